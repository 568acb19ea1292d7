/*
 * Sorting hashes: what the aggregates collected becomes a set, in the one order that every plan leads to.
 */
#ifndef FILTER_HASH_SORT_H
#define FILTER_HASH_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sort hashes in ascending order and drop repeated ones; returns how many are left. scratch is memory of the same size
 * that is overwritten. Linear in count for any distribution of the hashes.
 */
extern size_t filter_sort_unique(uint64_t *hashes, uint64_t *scratch, size_t count);

/*
 * Copy hashes so that those with the same leading bits stand together, in the order of these bits: group g ends at end[g],
 * for g in 0 .. 2^bits - 1. bits is 1 .. 16.
 */
extern void filter_group_hashes(const uint64_t *hashes, uint64_t *grouped, size_t count, unsigned bits, size_t *end);

/* Drop repeated hashes of a sorted array; returns how many are left. */
extern size_t filter_unique(uint64_t *hashes, size_t count);

/*
 * Merge two sorted runs without repeats into one without repeats; returns its length. The first stands in hashes, which has
 * room for both; the second elsewhere, at any alignment, in the machine's own byte order.
 */
extern size_t filter_merge_unique(uint64_t *hashes, size_t count, const void *run, size_t run_count);

#endif
