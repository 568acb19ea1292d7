/*
 * The operations of Bloom filters alone, besides those of core/filter.h.
 */
#ifndef FILTER_BLOOM_FILTER_H
#define FILTER_BLOOM_FILTER_H

#include "core/image.h"

/* As the functions of core/filter.h whose names end in the same words. */
extern FilterStatus bloom_filter_add(FilterView *filter, uint64_t hash, bool *changed);
extern double bloom_filter_cardinality(const FilterView *filter);
extern bool bloom_filter_unite_layer(FilterView *target, const FilterView *source, uint32_t source_layer);

/* Add some of the first hashes at once, if possible, and return how many. */
extern size_t bloom_filter_add_run(FilterView *filter, const uint64_t *hashes, size_t count, bool *changed);

/* Choose the geometry of a layer for a capacity and rate. */
extern FilterStatus bloom_filter_choose_geometry(uint64_t capacity, double rate, FilterLayer *layer, double *bytes);

/* Prepare a filter for `count` additions. */
extern void bloom_filter_expect(FilterView *filter, size_t count);

/*
 * The estimated number of values above which a merged layer of a capacity would be too full. Estimates are
 * noisy: the limit is far enough above the capacity to accept that many values, and near enough to it that the rate
 * rises by less than a quarter.
 */
extern double filter_merge_limit(uint64_t capacity);

/* Both must have one layer, of the same geometry; otherwise FILTER_OTHER_GEOMETRY. */
extern FilterStatus filter_intersect(const FilterView *target, const FilterView *source);

#endif
