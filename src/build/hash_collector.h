/*
 * A set of 64-bit hashes that grows without bound: in memory up to the memory a hash table may use, then in a temporary
 * file, partitioned by the hashes' leading bits. What comes out is sorted and free of repeats, whatever order it came
 * in, so a filter built from it is the same for every plan.
 */
#ifndef FILTER_BUILD_HASH_COLLECTOR_H
#define FILTER_BUILD_HASH_COLLECTOR_H

#include "postgres.h"

#include "build/hash_groups.h"
#include "build/spill_file.h"

/*
 * What the collectors of all groups of an aggregation have in common. Each may keep as many hashes in memory as leave room to
 * sort them, and all together as many as fit; but LEAST_SPILLED of build/hash_collector.c may be in each.
 */
typedef struct CollectorPool
{
	MemoryContext context;		/* of the file */
	SpillFile  *spill;			/* null until a collector needs it */
	Size		held;			/* hashes that the memory taken has room for */
	bool		has_stream;		/* the collectors' owners: one of them fills a filter in place of its collector */
} CollectorPool;

typedef struct CollectorPartition
{
	SpillList	list;
	bool		sorted;			/* it is, and free of repeats */
} CollectorPartition;

/*
 * The first hashes are in an array. From there, many go to groups and the array is where they wait for that; where the groups
 * reach the memory limit, or where the limit is too low for them, all go to the file. There they are one list while they are
 * few, and then partitions.
 */
typedef struct HashCollector
{
	Size		count;
	Size		allocated;
	uint64	   *hashes;
	HashGroups *groups;			/* null while the array is all there is in memory */
	Size		sorted;			/* the first so many of the array are sorted and free of repeats */
	Size		look_at;		/* hashes in groups at which to look for repeats, or at the limit */
	Size		held;			/* what the pool counts for this collector */
	MemoryContext context;
	CollectorPool *pool;		/* null: never to spill */
	CollectorPartition unpartitioned;
	CollectorPartition *partitions; /* null until there are more hashes than one list is for */
	uint32		spills;			/* times that memory was moved to the file */
	bool		has_repeats;	/* sorting last found so many repeats that it pays to sort often */
} HashCollector;

extern void collector_pool_init(CollectorPool *pool, MemoryContext context);

/* Close the file. The collectors must not be used any more. */
extern void collector_pool_close(CollectorPool *pool);

/*
 * The pool, if any, outlives the collector; it must be closed when the query ends well.
 */
extern void collector_init(HashCollector *collector, MemoryContext context, CollectorPool *pool);

extern void collector_add_slow(HashCollector *collector, uint64 hash);

static inline void
collector_add(HashCollector *collector, uint64 hash)
{
	if (likely(collector->count < collector->allocated))
		collector->hashes[collector->count++] = hash;
	else
		collector_add_slow(collector, hash);
}

/* Hashes that may be kept in memory with as much again for sorting them. */
extern Size collector_memory_limit(void);

/*
 * Whether the next hash would take more memory than the collector may have. Looks for repeats first: what is in memory is then
 * sorted and distinct. Never once it has spilled.
 */
extern bool collector_is_at_limit(HashCollector *collector);

/* Add sorted distinct hashes, which may stand at any address; the cheaper the fewer were added otherwise. */
extern void collector_add_sorted(HashCollector *collector, const void *hashes, Size count);

/* The number of distinct hashes. Exact; takes the time to sort them. */
extern uint64 collector_distinct(HashCollector *collector);

/*
 * Visit all hashes, in runs of sorted distinct ones, in ascending order over all runs; false if the visitor stopped. The
 * collector may be added to afterwards.
 */
extern bool collector_visit(HashCollector *collector, HashVisitor visitor, void *argument);

/* Forget all hashes, and give back their memory. */
extern void collector_clear(HashCollector *collector);

#endif
