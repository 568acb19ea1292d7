/*
 * The operations of Bloom filters alone, besides those of core/filter.h.
 */
#ifndef FILTER_BLOOM_FILTER_H
#define FILTER_BLOOM_FILTER_H

#include "core/image.h"

/* core/filter.h describes the functions whose names end in the same words. */
extern FilterStatus bloom_filter_add(FilterView *filter, uint64_t hash, bool *changed);
extern double bloom_filter_cardinality(const FilterView *filter);
extern bool bloom_filter_unite_layer(FilterView *target, const FilterView *source, uint32_t source_layer);

/* Add some of the first hashes at once, if possible, and return how many. */
extern size_t bloom_filter_add_run(FilterView *filter, const uint64_t *hashes, size_t count, bool *changed);

extern FilterStatus bloom_filter_choose_geometry(uint64_t capacity, double rate, FilterLayer *layer, double *bytes);

/* Prepare a filter for `count` additions. */
extern void bloom_filter_expect(FilterView *filter, size_t count);

/*
 * The estimated number of values above which a merged layer of a capacity would be too full. Since estimates are noisy, it is
 * above the capacity, by so little that the rate rises by less than a quarter.
 */
extern double filter_merge_limit(uint64_t capacity);

/* FILTER_OTHER_GEOMETRY unless both have one layer, of the same geometry. */
extern FilterStatus filter_intersect(const FilterView *target, const FilterView *source);

#endif
