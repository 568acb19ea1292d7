/*
 * A set of 64-bit hashes of unlimited size, in memory up to the memory that a hash table may use, then in a temporary file.
 * When the set is read in order, its hashes are free of duplicates, so a filter built from them is the same for every plan.
 */
#ifndef FILTER_COLLECT_HASH_SET_H
#define FILTER_COLLECT_HASH_SET_H

#include "collect/hash_groups.h"
#include "collect/hash_pool.h"

/* A FilterBuilder with so many hashes fits in 256 bytes. palloc would round up more to 512. */
#define HASH_SET_FIRST	12

/*
 * Hashes are added to a buffer. A small set consists of its buffer, which grows. The buffer of a large set has a fixed size
 * and is emptied into groups when it is full. At the memory limit, the hashes in memory move to the groups in the file.
 *
 * In a GROUP BY successive values hit different sets, so adding a hash must access few cache lines and pages. The fields that
 * it needs come first, and then the first hashes.
 */
typedef struct HashSet
{
	uint64	   *buffer;			/* `first` until `first` is full */
	uint32		count;			/* hashes in the buffer */
	uint32		allocated;		/* the size of the buffer, less than MIN_GROUPED_LIMIT */
	uint64		first[HASH_SET_FIRST];
	HashGroups *groups;			/* null while all hashes in memory are in the buffer */
	Size		grouped_limit;	/* hashes that the groups may hold before the set is sorted or spilled, or gets more memory */
	Size		held;			/* this set's part of the pool's `held` */
	MemoryContext context;
	HashPool   *pool;			/* null: never spill */
	SpillList  *spilled;		/* HASH_GROUPS lists; null while no hashes in the file are divided into groups */
	SpillList	mixed;			/* hashes in the file that were too few to be divided into groups */
	uint32		spills;			/* how often hashes were moved to the file */
	bool		has_duplicates;	/* whether the last sort found so many duplicates that sorting again is worthwhile */
} HashSet;

/* The pool, if any, must outlive the set, and must be closed when the query ends without an error. */
extern void hash_set_init(HashSet *set, MemoryContext context, HashPool *pool);

/* Whether the buffer has space for another hash. */
static inline bool
hash_set_has_space(const HashSet *set)
{
	return set->count < set->allocated;
}

/* Make space in the buffer for at least one more hash. */
extern void hash_set_make_space(HashSet *set);

static inline void
hash_set_add(HashSet *set, uint64 hash)
{
	if (unlikely(!hash_set_has_space(set)))
		hash_set_make_space(set);
	set->buffer[set->count++] = hash;
}

/* Add hashes at any alignment. */
extern void hash_set_add_all(HashSet *set, const void *hashes, Size count);

/* Whether memory for `hashes` hashes could replace the set's memory within the limit for all sets of its pool. */
extern bool hash_set_can_be_replaced(const HashSet *set, Size hashes);

/*
 * Make space in the buffer for at least one more hash; false if it takes more memory than the set may have. With may_sort, it
 * first removes duplicates if that may help.
 */
extern bool hash_set_make_space_in_memory(HashSet *set, bool may_sort);

/* The number of hashes, including duplicates. */
extern Size hash_set_count(const HashSet *set);

/* Hashes can be read sorted and distinct, or in any order and with duplicates, which a Bloom filter does not depend on. */
typedef enum HashOrder
{
	HASHES_SORTED,
	HASHES_IN_ANY_ORDER
} HashOrder;

extern uint64 hash_set_distinct(HashSet *set);

/* Reading all hashes in runs. */
typedef struct HashScan
{
	const uint64 *hashes;		/* the run: `count` hashes, at least one */
	Size		count;
	HashSet    *set;
	uint32		next;			/* number of the next run */
	uint32		runs;
	bool		sort;			/* whether a run must be sorted when it has been read */
	uint64	   *copy;			/* the run, unless it is in the set; or null */
} HashScan;

/*
 * hash_scan_next returns false after the last run. All hashes whose leading HASH_GROUP_BITS agree are in one run, and these
 * bits ascend over all runs, in either order. A run may be long. Hashes may be added to the set afterwards. hash_scan_end is
 * needed only to stop before the last run.
 */
extern void hash_scan_begin(HashScan *scan, HashSet *set, HashOrder order);
extern bool hash_scan_next(HashScan *scan);
extern void hash_scan_end(HashScan *scan);

/* Discard all hashes, which must be in memory: keep the memory for others, or free it. */
extern void hash_set_empty(HashSet *set);
extern void hash_set_clear(HashSet *set);

#endif
