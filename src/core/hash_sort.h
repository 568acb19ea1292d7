/*
 * Distinct hashes: sorting turns what the aggregates collected into a set, in an order that does not depend on the plan,
 * and marks count it without sorting.
 */
#ifndef FILTER_HASH_SORT_H
#define FILTER_HASH_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sort hashes in ascending order and remove duplicates; returns how many are left. scratch is memory of the same
 * size, which is overwritten. Linear in count for any distribution of the hashes; fastest if they are a few sorted runs.
 */
extern size_t filter_sort_unique(uint64_t *hashes, uint64_t *scratch, size_t count);

/*
 * Copy hashes, grouped by their leading bits, in the order of these bits: group g ends at end[g], for g in 0 ..
 * 2^bits - 1. bits is 1 .. 16.
 */
extern void filter_group_hashes(const uint64_t *hashes, uint64_t *grouped, size_t count, unsigned bits, size_t *end);

/*
 * Merge two sorted runs without duplicates into one without duplicates; returns its length. The first is in hashes,
 * which has room for both; the second is elsewhere, at any alignment, in the machine's byte order.
 */
extern size_t filter_merge_unique(uint64_t *hashes, size_t count, const void *run, size_t run_count);

/*
 * Marks: which hashes may be duplicates. Each hash is marked in a bitmap at a position that some of its bits choose. The
 * hashes whose position was marked more than once are candidates: only these can have duplicates, and only these need to
 * be sorted to be counted.
 */
typedef struct HashMarks
{
	uint64_t   *words;			/* filter_mark_words(bits) of them, all zero at the beginning */
	unsigned	bits;			/* of a hash that choose its position, 6 .. 63 - skipped */
	unsigned	skipped;		/* leading bits that are the same in all hashes */
} HashMarks;

/* A suitable `bits` for a number of hashes: at most an eighth of the distinct ones are candidates. */
extern unsigned filter_mark_bits(size_t count);

static inline size_t
filter_mark_words(unsigned bits)
{
	return (size_t) 2 << (bits - 6);
}

extern void filter_mark(const HashMarks *marks, const uint64_t *hashes, size_t count);

/* Copy the candidates among hashes, all of which have been marked; returns their number. There must be room for all. */
extern size_t filter_marked_again(const HashMarks *marks, const uint64_t *hashes, size_t count, uint64_t *candidates);

#endif
