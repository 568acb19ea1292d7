/*
 * What both types of filter do, over their layers. Hashes are those of core/hash.h after filter_spread, of values of the
 * filter's kind: comparing kinds is the caller's part.
 *
 * A filter that changes its size (a first kind, one more layer, fewer layers) needs another image, and memory is the
 * caller's: change a copy of the Filter, filter_lay_out, get zeroed memory, filter_write_header, filter_copy_layer.
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image.h"
#include "core/layers.h"
#include "core/status.h"

/*
 * Append an empty layer to a filter that is being made: with the capacity given, or where that is 0 twice that of the
 * newest layer (FILTER_DEFAULT_CAPACITY for a first one). Layers after the first have tighter rates, so that the sum
 * stays within 1.5 times the filter's. FILTER_TOO_MANY_LAYERS, FILTER_BAD_CAPACITY, FILTER_TOO_LARGE; *bytes tells the
 * size that the layer alone would have. FILTER_FULL for a filter that does not grow and has its layer.
 */
extern FilterStatus filter_append_layer(Filter *filter, uint64_t capacity, double *bytes);

/*
 * Make the newest layer of a cuckoo filter that is being made a little larger, after its values turned out not to fit.
 * Errors and *bytes as above.
 */
extern FilterStatus filter_enlarge_newest(Filter *filter, double *bytes);

extern bool filter_contains(const Filter *filter, uint64_t hash);

/*
 * A lookup that reads only the bytes it needs, for images that are not at hand: the ranges of the image that decide about
 * a hash in one layer (one for a Bloom block, two for cuckoo windows), and the answer once they were fetched.
 */
extern uint32_t filter_lookup_ranges(const Filter *filter, uint32_t layer, uint64_t hash, FilterRange range[2]);
extern bool filter_ranges_contain(const Filter *filter, uint32_t layer, uint64_t hash, const uint8_t *const bytes[2]);

/*
 * Add one value; *changed tells whether the image did. A Bloom filter, and a cuckoo filter asked for `unique`, leave out
 * a value that they already seem to hold. FILTER_FULL, with nothing changed, when the newest layer has no room.
 *
 * A cuckoo filter that has grown in vain, because values were chosen to share their windows, is not full but gets a
 * wildcard; its size is then bounded by the entries it has.
 *
 * A Bloom filter that does not grow is never full: its rate rises. A cuckoo filter that does not grow is full when a value
 * finds no place, and it has the entries of its capacity or as many wildcards as leave its rate within 1.5 times the one
 * asked for.
 */
extern FilterStatus filter_add(Filter *filter, uint64_t hash, bool unique, bool *changed);

/*
 * The same for many: *done tells how many were taken before the status was reached. Prefetches, and counts the bits of
 * a Bloom layer once, not for every value.
 */
extern FilterStatus filter_add_all(Filter *filter, const uint64_t *hashes, size_t count, bool unique,
								   size_t *done, bool *changed);

/* The index of the first of the hashes for which filter_contains is not `wanted`; count if there is none. Prefetches. */
extern size_t filter_contains_run(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted);

/*
 * Fill the empty layer of a filter that has one with values whose hashes are distinct, in any order and in as many calls as
 * the caller likes. FILTER_FULL when a value finds no place in a cuckoo layer: start again with filter_enlarge_newest. After
 * FILTER_BUILD_ATTEMPTS of that it is chosen values that are in the way: have wildcards `cover` those that find no place.
 *
 * filter_add_all would not do for hashes that come sorted: it sees a layer filling up from one end, and takes the share
 * of all bits that are set for how full the blocks are.
 */
#define FILTER_BUILD_ATTEMPTS 8

extern FilterStatus filter_build(Filter *filter, const uint64_t *hashes, size_t count, bool cover);

/* Cuckoo filters: remove one copy; false if there was none that could be removed safely. */
extern bool filter_remove(const Filter *filter, uint64_t hash);

/*
 * Cuckoo filters: copies of a value, never too few; CUCKOO_STICKY_COUNT or more means "at least so many". Like
 * filter_contains it may take other values for this one.
 */
extern unsigned filter_count(const Filter *filter, uint64_t hash);

/*
 * Bloom: an estimate of the distinct values added, where a value counts once for layers of one geometry, but again for one of
 * another; cuckoo: the entries stored.
 */
extern double filter_cardinality(const Filter *filter);

/*
 * The same from a sample of what is large: within a few percent, at a cost that does not depend on the size. Where the
 * sample has no value, it is what about one value in it would stand for. Every layer counts by itself.
 */
extern double filter_cardinality_estimate(const Filter *filter);

/* The false positive rate to expect with what the filter holds now. */
extern double filter_rate_now(const Filter *filter);

/* Bits set, or slots taken, as a share of all in one layer. */
extern double filter_layer_fill(const Filter *filter, uint32_t layer);

extern uint64_t filter_capacity(const Filter *filter);

/*
 * The estimate at which a Bloom layer of a capacity takes no more by merging. The estimate is noisy: this is so far above the
 * capacity that as many values as that are not taken for more, and so near that the rate rises by less than a quarter.
 */
extern double filter_merge_limit(uint64_t capacity);

/*
 * Whether a layer of source can be merged into one of target without harm: the same geometry (Bloom), or one that folds
 * into it (cuckoo), and room for both. For a cuckoo layer the merge itself may still fail.
 */
extern bool filter_can_merge_layer(const Filter *target, uint32_t target_layer,
								   const Filter *source, uint32_t source_layer);

/*
 * Merge them. FILTER_FULL leaves the target layer half merged: keep a copy of it. Cuckoo only; Bloom never fails. Where the
 * target has so many layers that another one may soon be too many, what finds no place is covered by wildcards.
 */
extern FilterStatus filter_merge_layer(Filter *target, uint32_t target_layer,
									   const Filter *source, uint32_t source_layer);

/*
 * Merge the layers of source into the one of target, which does not grow. FILTER_OTHER_GEOMETRY if source does not grow
 * either and is of another geometry, or has a layer of another geometry that is not empty; FILTER_FULL if a cuckoo
 * filter would have more entries than its capacity, or too many wildcards. After either, target holds some of them: change a copy.
 */
extern FilterStatus filter_merge_into_fixed(Filter *target, const Filter *source);

/* Bloom filters of one layer each and the same geometry; else FILTER_OTHER_GEOMETRY. */
extern FilterStatus filter_intersect(const Filter *target, const Filter *source);

#endif
