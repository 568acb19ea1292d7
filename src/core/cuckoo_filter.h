/*
 * The operations of cuckoo filters alone, besides those of core/filter.h.
 */
#ifndef FILTER_CUCKOO_FILTER_H
#define FILTER_CUCKOO_FILTER_H

#include "core/image.h"

/* core/filter.h describes the functions whose names end in the same words. */
extern FilterStatus cuckoo_filter_add(FilterView *filter, uint64_t hash, bool unique, bool *changed);
extern double cuckoo_filter_cardinality(const FilterView *filter);
extern bool cuckoo_filter_unite_layer(FilterView *target, const FilterView *source, uint32_t source_layer);

/* Add some of the first hashes at once, if possible, and return how many. Values that the filter holds are added again. */
extern size_t cuckoo_filter_add_run(FilterView *filter, const uint64_t *hashes, size_t count, bool *changed);

/* Choose the geometry of a layer for a capacity and rate. It follows the newest layer, unless that is null. */
extern FilterStatus cuckoo_filter_choose_geometry(const FilterLayer *newest, uint64_t capacity, double rate,
												  FilterLayer *layer, double *bytes);

/* Remove one copy; false if none could be removed safely: a value that is counted as CUCKOO_PERMANENT stays. Not for a set. */
extern bool filter_remove(const FilterView *filter, uint64_t hash);

/* Remove one copy of each of many values, as filter_remove does; returns how many were removed. Prefetches and pauses. */
extern size_t filter_remove_all(const FilterView *filter, const uint64_t *hashes, size_t count);

/*
 * The number of copies of a value, never too low: 0 .. CUCKOO_MAX_COUNT, or CUCKOO_PERMANENT, which means that many or more.
 * Other values may be mistaken for this one, as in filter_contains. In a set, the number only tells 0 from more.
 */
extern unsigned filter_count(const FilterView *filter, uint64_t hash);

/*
 * Plan more room in the newest layer (for filter_plan_growth) or in any layer (for filter_plan_union). False if another layer is
 * needed.
 */
extern bool cuckoo_filter_plan_growth(const FilterView *filter, uint64_t hash, FilterHeader *next);
extern bool cuckoo_filter_plan_union(const FilterView *target, const FilterView *source, uint32_t source_layer, FilterHeader *next);

/* Move the entries of newer layers to older ones as far as these have room. */
extern void filter_compact(const FilterView *filter);

/*
 * Plan an image of the layers that have values, without the counters and the room that each does not need. The caller copies
 * the layers from[] to it. A filter that holds no value keeps its first layer, and thereby its capacity.
 */
extern void filter_plan_compact(const FilterView *filter, FilterHeader *next, uint32_t from[FILTER_MAX_LAYERS]);

/* Plan an image that is a set. */
extern void filter_plan_set(const FilterHeader *header, FilterHeader *next);

#endif
