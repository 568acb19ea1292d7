/*
 * The layers of a Bloom filter: a value is in one of them.
 */
#ifndef FILTER_BLOOM_FILTER_H
#define FILTER_BLOOM_FILTER_H

#include "core/layers.h"

extern const FilterMethods bloom_filter_methods;

/* Prepare for `count` additions. */
extern void bloom_filter_expect(Filter *filter, size_t count);

/* As filter_cardinality, filter_merge_limit, and filter_intersect. */
extern double bloom_filter_cardinality(const Filter *filter);
extern double bloom_filter_merge_limit(uint64_t capacity);
extern FilterStatus bloom_filter_intersect(const Filter *target, const Filter *source);

#endif
