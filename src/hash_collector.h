/*
 * A set of 64-bit hashes that grows without bound: in memory up to the memory a hash table may use, then in temporary
 * files, partitioned by the hashes' leading bits. What comes out is sorted and free of repeats, whatever order it came
 * in, so a filter built from it is the same for every plan.
 */
#ifndef FILTER_HASH_COLLECTOR_H
#define FILTER_HASH_COLLECTOR_H

#include "postgres.h"

#include "storage/buffile.h"

#include "hash_groups.h"

#define COLLECTOR_PARTITION_BITS	6
#define COLLECTOR_PARTITIONS		(1 << COLLECTOR_PARTITION_BITS)

typedef struct CollectorPartition
{
	BufFile    *file;			/* null until hashes went there */
	uint64		count;			/* hashes in the file */
	bool		sorted;			/* they are, and free of repeats */
} CollectorPartition;

/*
 * The first hashes are in an array. From there, many go to groups and the array is where they wait for that; where the groups
 * reach the memory limit, or where the limit is too low for them, all go to the partitions' files.
 */
typedef struct HashCollector
{
	Size		count;
	Size		allocated;
	uint64	   *hashes;
	CollectorPartition *partitions; /* null while everything is in memory */
	HashGroups *groups;			/* null while the array is all there is in memory */
	Size		sorted;			/* the first so many of the array are sorted and free of repeats */
	Size		look_at;		/* hashes in groups at which to look for repeats, or at the limit */
	MemoryContext context;
	uint32		spills;			/* times that memory was moved to partitions */
	bool		may_spill;
	bool		has_repeats;	/* sorting last found so many repeats that it pays to sort often */
} HashCollector;

/* may_spill: only where collector_close is sure to be called when the query ends well. */
extern void collector_init(HashCollector *collector, MemoryContext context, bool may_spill);

/* Add a hash when there is no room left; where there is, callers put it there themselves. */
extern void collector_add_slow(HashCollector *collector, uint64 hash);

/* Hashes that a collector keeps in memory at most before it spills, as an array; in groups it keeps more. */
extern Size collector_memory_limit(void);

/* The number of hashes in memory, repeats included. */
extern Size collector_in_memory(const HashCollector *collector);

/* Add sorted distinct hashes, which may stand at any address; the cheaper the fewer were added otherwise. */
extern void collector_add_sorted(HashCollector *collector, const void *hashes, Size count);

/* Sort what is in memory and drop repeats; returns how many hashes are in memory then. */
extern Size collector_compact(HashCollector *collector);

/* The number of distinct hashes. Exact; takes the time to sort them. */
extern uint64 collector_distinct(HashCollector *collector);

/*
 * Visit all hashes, in runs of sorted distinct ones, in ascending order over all runs; false if the visitor stopped. The
 * collector may be added to afterwards.
 */
extern bool collector_visit(HashCollector *collector, HashVisitor visitor, void *argument);

/* Forget all hashes and close the files. */
extern void collector_close(HashCollector *collector);

#endif
