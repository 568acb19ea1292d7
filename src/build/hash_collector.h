/*
 * A set of 64-bit hashes of unlimited size: in memory up to the memory a hash table may use, then in a temporary
 * file, partitioned by the hashes' leading bits. The output is sorted and free of duplicates, whatever the order of
 * the input, so a filter built from it is the same for every plan.
 */
#ifndef FILTER_BUILD_HASH_COLLECTOR_H
#define FILTER_BUILD_HASH_COLLECTOR_H

#include "postgres.h"

#include "build/hash_groups.h"
#include "build/spill_file.h"

/*
 * The memory and the file that the collectors of all groups of an aggregation share. Each collector may keep as many
 * hashes in memory as leave room to sort them, and all together as many as fit; but each may always keep
 * LEAST_SPILLED (see hash_collector.c).
 */
typedef struct CollectorPool
{
	MemoryContext context;		/* of the file */
	SpillFile  *spill;			/* null until a collector needs it */
	Size		held;			/* hashes that the allocated memory has room for */
	bool		has_stream;		/* for the collectors' owners: whether one of them streams into a filter instead */
} CollectorPool;

typedef struct CollectorPartition
{
	SpillList	list;
	bool		sorted;			/* sorted and free of duplicates */
} CollectorPartition;

/*
 * Hashes are first in an array. Once there are many, they move to groups, and the array is a buffer for the groups.
 * When the groups reach the memory limit, or if the limit is too low for groups, all hashes move to the file. There
 * they are one list while they are few, and then partitions.
 */
typedef struct HashCollector
{
	Size		count;
	Size		allocated;
	uint64	   *hashes;
	HashGroups *groups;			/* null while all hashes in memory are in the array */
	Size		sorted;			/* length of the array's prefix that is sorted and free of duplicates */
	Size		look_at;		/* number of hashes in groups at which to remove duplicates, or the limit */
	Size		held;			/* this collector's part of the pool's `held` */
	MemoryContext context;
	CollectorPool *pool;		/* null: never spill */
	CollectorPartition unpartitioned;
	CollectorPartition *partitions; /* null until there are too many hashes for one list */
	uint32		spills;			/* times that memory was moved to the file */
	bool		has_repeats;	/* the last sort found enough duplicates that sorting often pays */
} HashCollector;

extern void collector_pool_init(CollectorPool *pool, MemoryContext context);

/* Close the file. The collectors must not be used afterwards. */
extern void collector_pool_close(CollectorPool *pool);

/*
 * The pool, if any, must outlive the collector, and must be closed when the query ends without an error.
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

/* The number of hashes that may be kept in memory, with the same amount again for sorting them. */
extern Size collector_memory_limit(void);

/*
 * Whether the next hash would take more memory than the collector may have. Removes duplicates first, so if true, the
 * hashes in memory are sorted and distinct. Always false once the collector has spilled.
 */
extern bool collector_is_at_limit(HashCollector *collector);

/* Add sorted distinct hashes, at any alignment. Cheapest if few hashes were added in other ways. */
extern void collector_add_sorted(HashCollector *collector, const void *hashes, Size count);

/* The exact number of distinct hashes. Sorts them. */
extern uint64 collector_distinct(HashCollector *collector);

/*
 * Visit all distinct hashes, in runs, in ascending order over all runs; false if the visitor stopped. Hashes may be
 * added to the collector afterwards.
 */
extern bool collector_visit(HashCollector *collector, HashVisitor visitor, void *argument);

/* Discard all hashes, and free their memory. */
extern void collector_clear(HashCollector *collector);

#endif
