/*
 * What the aggregates collected becomes a set, in an order that does not depend on the plan, by sorting.
 */
#ifndef FILTER_HASH_SORT_H
#define FILTER_HASH_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sort hashes in ascending order and remove duplicates; returns how many are left. scratch is memory of the same
 * size, which is overwritten. Linear in count for any distribution of the hashes.
 */
extern size_t filter_sort_unique(uint64_t *hashes, uint64_t *scratch, size_t count);

/*
 * Copy hashes, grouped by their leading bits, in the order of these bits. Group g, for g in 0 .. 2^bits - 1, ends at end[g].
 * bits is 1 .. 16.
 */
extern void filter_group_hashes(const uint64_t *hashes, uint64_t *grouped, size_t count, unsigned bits, size_t *end);

#endif
