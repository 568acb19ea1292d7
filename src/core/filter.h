/*
 * The operations of both types of filter; core/bloom_filter.h and core/cuckoo_filter.h have those of one type. A hash is that
 * of core/hash.h after filter_mix, of a value of the filter's kind; the caller compares kinds.
 *
 * A filter that changes its size (a first kind, another layer, fewer layers) needs another image, for which the caller
 * allocates memory: change a copy of its header, call filter_lay_out, allocate zeroed memory, call filter_write_header and
 * filter_copy_layer.
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include "core/lookup.h"

/*
 * Append an empty layer to a filter that is being made. If capacity is 0, it is twice that of the newest layer, or
 * FILTER_DEFAULT_CAPACITY for a first one. Layers after the first have lower rates, so that the sum stays within 1.5 times the
 * filter's. FILTER_TOO_MANY_LAYERS; FILTER_TOO_LARGE; FILTER_FULL for a filter that does not grow and already has its layer.
 * *bytes is set to the size of the layer alone.
 */
extern FilterStatus filter_append_layer(FilterHeader *header, uint64_t capacity, double *bytes);

/*
 * Make the newest layer of a filter that is being made slightly larger, after its values did not fit.
 * Errors and *bytes as in filter_append_layer.
 */
extern FilterStatus filter_enlarge_newest(FilterHeader *header, double *bytes);

/*
 * Plan the layer of a filter anew, after a value found no slot in it while it was built. The first attempts, counted from 0,
 * plan a slightly larger layer, later ones a larger stash. Errors and *bytes as in filter_append_layer.
 */
extern FilterStatus filter_plan_again(FilterHeader *header, int attempt, double *bytes);

/*
 * Copy a layer to an empty one of the same geometry. If a cuckoo layer gains counters, or its filter becomes a set, the
 * entries of each class are merged into one. Counters that the other layer does not have are dropped.
 */
extern void filter_copy_layer(const FilterView *to, uint32_t to_layer, const FilterView *from, uint32_t from_layer);

/* The fraction of the filter's rate that the layer with this index may have. */
extern double filter_layer_rate_fraction(uint32_t layer);

/*
 * Add one value; *changed is set to whether the image changed. A Bloom filter and a set skip a value that they seem to hold,
 * and with `unique`, any cuckoo filter does. FILTER_FULL, with no change, if the image has no room. A Bloom filter that does
 * not grow is never full: its rate rises.
 */
extern FilterStatus filter_add(FilterView *filter, uint64_t hash, bool unique, bool *changed);

/*
 * filter_add for many values: *done is set to how many were added before the status was reached, and *changed to whether
 * the image changed. Prefetches, and counts the bits of a Bloom layer once instead of for every value.
 */
extern FilterStatus filter_add_all(FilterView *filter, const uint64_t *hashes, size_t count, bool unique,
								   size_t *done, bool *changed);

/*
 * After filter_add returned FILTER_FULL for a value, plan a larger image with room for it. A value may need several, one after
 * another. A cuckoo filter gets counters for its copies, a larger stash, or another layer. Errors as in filter_append_layer.
 */
extern FilterStatus filter_plan_growth(const FilterView *filter, uint64_t hash, FilterHeader *next, double *bytes);

/* Copy all layers of a filter to an image that filter_plan_growth planned; a layer that the filter does not have stays empty. */
extern void filter_copy_layers(const FilterView *to, const FilterView *from);

/* The index of the first hash for which filter_contains is not `wanted`; count if there is none. Prefetches. */
extern size_t filter_contains_run(const FilterView *filter, const uint64_t *hashes, size_t count, bool wanted);

/*
 * Write the indexes of the hashes that the filter contains, in ascending order, to `index`, which has room for `count`;
 * returns their number. Prefetches, but does not pause: for at most a few thousand hashes.
 */
extern size_t filter_contained(const FilterView *filter, const uint64_t *hashes, size_t count, uint32_t *index);

/*
 * Fill the empty layer of a filter that has one layer, in any order and any number of calls, with values whose hashes
 * are distinct (duplicates make no difference to a Bloom filter). FILTER_FULL if a value finds no slot in a cuckoo
 * layer: start again with filter_plan_again.
 *
 * filter_add_all is not suitable for sorted hashes: it judges how full the blocks are by the fraction of bits set in
 * the whole layer, which misleads while a layer is being filled from one end.
 */
extern FilterStatus filter_build(FilterView *filter, const uint64_t *hashes, size_t count);

/*
 * For a Bloom filter, an estimate of the number of distinct values added; a value counts once per geometry of the layers that
 * hold it. For a cuckoo filter, the number of copies counted.
 */
extern double filter_cardinality(const FilterView *filter);

/* The expected false positive rate for the filter's present content. */
extern double filter_rate_now(const FilterView *filter);

/* The fraction of bits set, or of slots taken, in one layer. */
extern double filter_layer_fill(const FilterView *filter, uint32_t layer);

extern uint64_t filter_capacity(const FilterHeader *header);

/* Whether it holds no value. O(size). */
extern bool filter_is_empty(const FilterView *filter);

/*
 * Plan an image of target with the parameters of its union with source, which has layers: the higher rate and, if the filters
 * do not grow, the larger capacity. False if target has these parameters already.
 */
extern bool filter_plan_parameters(const FilterHeader *target, const FilterHeader *source, FilterHeader *next);

/*
 * Plan an image of target, which holds no value, with the layers of source in place of empty ones of the same geometry. The caller
 * copies layer i of source to the layer to[i]. FILTER_TOO_MANY_LAYERS.
 */
extern FilterStatus filter_plan_adoption(const FilterHeader *target, const FilterHeader *source, FilterHeader *next,
										 uint32_t to[FILTER_MAX_LAYERS]);

/*
 * Merge a layer of source into the layers of target; false if there is no room for a part of it. A cuckoo filter must be a
 * set, and source a copy, since what is merged is removed from it.
 */
extern bool filter_unite_layer(FilterView *target, const FilterView *source, uint32_t source_layer);

/*
 * Plan an image of target with room for what filter_unite_layer left. If *appended, the room is in a new layer, the last, to
 * which the caller copies the rest. FILTER_FULL if target does not grow; FILTER_TOO_MANY_LAYERS.
 */
extern FilterStatus filter_plan_union(const FilterView *target, const FilterView *source, uint32_t source_layer,
									  FilterHeader *next, bool *appended);

#endif
