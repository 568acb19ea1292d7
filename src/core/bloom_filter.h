/*
 * The operations of Bloom filters alone, besides those of core/filter.h.
 */
#ifndef FILTER_BLOOM_FILTER_H
#define FILTER_BLOOM_FILTER_H

#include "core/layers.h"

/* Prepare a filter for `count` additions. */
extern void bloom_filter_expect(Filter *filter, size_t count);

/*
 * The estimated number of values above which a merged layer of a capacity would be too full. Estimates are
 * noisy: the limit is far enough above the capacity to accept that many values, and near enough to it that the rate
 * rises by less than a quarter.
 */
extern double filter_merge_limit(uint64_t capacity);

/* Both must have one layer, of the same geometry; otherwise FILTER_OTHER_GEOMETRY. */
extern FilterStatus filter_intersect(const Filter *target, const Filter *source);

#endif
