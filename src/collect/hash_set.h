/*
 * A set of 64-bit hashes of unlimited size: in memory up to the memory that a hash table may use, then in a temporary
 * file. Sorted, its hashes are free of duplicates, whatever the order in which they were added, so a filter built from
 * them is the same for every plan.
 */
#ifndef FILTER_COLLECT_HASH_SET_H
#define FILTER_COLLECT_HASH_SET_H

#include "postgres.h"

#include "collect/hash_groups.h"
#include "collect/spilled_groups.h"

/*
 * The memory and the file that the sets of an aggregation share. The hashes of one set must leave enough memory to
 * sort them, and those of all sets must fit. But each set may always keep MIN_SPILLED hashes (see hash_set.c).
 */
typedef struct HashPool
{
	MemoryContext context;		/* of the file */
	SpillFile  *spill;			/* null until a set needs it */
	Size		held;			/* memory allocated, in hashes */
} HashPool;

/*
 * Hashes are added to a buffer. A small set consists of its buffer, which grows. The buffer of a large set has a fixed
 * size and is emptied into groups when it is full. At the memory limit, the hashes in memory move to the groups in the
 * file.
 */
typedef struct HashSet
{
	Size		count;			/* hashes in the buffer */
	Size		allocated;
	uint64	   *buffer;
	HashGroups *groups;			/* null while all hashes in memory are in the buffer */
	Size		sorted;			/* length of the buffer's prefix that is sorted and free of duplicates */
	Size		grouped_room;	/* hashes that the groups may hold before make_room sorts, spills or allows more */
	Size		held;			/* this set's part of the pool's `held` */
	MemoryContext context;
	HashPool   *pool;			/* null: never spill */
	SpilledGroups *spilled;		/* null while all hashes are in memory */
	uint32		spills;			/* how often hashes were moved to the file */
	bool		has_duplicates;	/* whether the last sort found so many duplicates that sorting again is worthwhile */
} HashSet;

extern void hash_pool_init(HashPool *pool, MemoryContext context);

/* Count memory that was allocated for purposes other than sets, in hashes. */
extern void hash_pool_hold(HashPool *pool, Size hashes);

/* Close the file. The sets must not be used afterwards. */
extern void hash_pool_close(HashPool *pool);

/* The pool, if any, must outlive the set, and must be closed when the query ends without an error. */
extern void hash_set_init(HashSet *set, MemoryContext context, HashPool *pool);

extern void hash_set_add_slow(HashSet *set, uint64 hash);

/* Whether the buffer has room for another hash. */
static inline bool
hash_set_has_room(const HashSet *set)
{
	return set->count < set->allocated;
}

static inline void
hash_set_add(HashSet *set, uint64 hash)
{
	if (likely(hash_set_has_room(set)))
		set->buffer[set->count++] = hash;
	else
		hash_set_add_slow(set, hash);
}

/* Add hashes at any alignment. If they are sorted, they are later merged with others instead of being sorted again. */
extern void hash_set_add_all(HashSet *set, const void *hashes, Size count);

/* The number of hashes that a set may keep in memory, with the same amount again for sorting them. */
extern Size hash_set_memory_limit(void);

/* Whether memory for `hashes` hashes could replace that of a set within the limit for all sets of its pool. */
extern bool hash_set_can_be_replaced(const HashSet *set, Size hashes);

/*
 * Whether the next hash would take more memory than the set may have. Removes duplicates first. Always false once the
 * set has spilled.
 */
extern bool hash_set_is_at_limit(HashSet *set);

/* Sort the hashes in memory and remove duplicates; returns how many are left in memory. */
extern Size hash_set_sort(HashSet *set);

/* The number of hashes, including duplicates. */
extern Size hash_set_count(const HashSet *set);

/* Whether so many of some hashes are duplicates that sorting them, to remove these, is worthwhile. */
extern bool hash_set_has_many_duplicates(Size count, Size distinct);

/*
 * Sorted and distinct, or in any order and with duplicates. Sorting a large set is most of the work of building a Bloom
 * filter, which depends on neither.
 */
typedef enum HashOrder
{
	HASHES_SORTED,
	HASHES_IN_ANY_ORDER
} HashOrder;

/*
 * Visit all hashes in runs; false if the visitor stopped. All hashes whose leading HASH_GROUP_BITS agree are in one run,
 * and these bits ascend over all runs, in either order. A run may be long. Hashes may be added to the set afterwards.
 */
extern bool hash_set_visit(HashSet *set, HashOrder order, HashVisitor visitor, void *argument);

/* Discard all hashes, and free their memory. */
extern void hash_set_clear(HashSet *set);

#endif
