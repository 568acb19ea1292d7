/*
 * The operations of both types of filter, over their layers; those of one type alone are in core/bloom_filter.h and
 * core/cuckoo_filter.h. Hashes are those of core/hash.h after filter_spread, of values of the filter's kind; the caller
 * compares kinds.
 *
 * A filter that changes its size (a first kind, another layer, fewer layers) needs another image, for which the
 * caller allocates memory: change a copy of the Filter, call filter_lay_out, allocate zeroed memory, call
 * filter_write_header and filter_copy_layer.
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include "core/layers.h"

typedef struct FilterRange
{
	uint64_t	offset;
	uint32_t	length;			/* at most BLOOM_SMALL_BITS / 8 */
} FilterRange;

/*
 * A lookup that reads only the bytes it needs, for images that are not in memory: the ranges of the image that a
 * lookup of a hash reads in one layer (one for a Bloom block, two for cuckoo windows), and the result once they have
 * been fetched: for a cuckoo filter what filter_count adds up, for a Bloom filter 1 if it contains the hash, else 0.
 */
extern uint32_t filter_lookup_ranges(const Filter *filter, uint32_t layer, uint64_t hash, FilterRange range[2]);
extern unsigned filter_ranges_count(const Filter *filter, uint32_t layer, uint64_t hash, const uint8_t *const bytes[2]);

/*
 * Add one value; *changed is set to whether the image changed. A Bloom filter, and a cuckoo filter with `unique`,
 * skip a value that they already seem to hold. FILTER_FULL, with nothing changed, if the newest layer has no room.
 *
 * A cuckoo filter in which a value finds no place although its newest layer is nearly empty, mostly because values
 * were chosen to share their windows, gets a wildcard instead. Its size is thus bounded by the number of its values.
 *
 * A Bloom filter that does not grow is never full: its rate rises. A cuckoo filter that does not grow is full if a
 * value finds no place and the filter has as many entries as its capacity, or as many wildcards as its rate allows:
 * at most 1.5 times the requested one.
 */
extern FilterStatus filter_add(Filter *filter, uint64_t hash, bool unique, bool *changed);

/*
 * filter_add for many values: *done is set to how many were added before the status was reached, and *changed to whether
 * the image changed. Prefetches, and counts the bits of a Bloom layer once instead of for every value.
 */
extern FilterStatus filter_add_all(Filter *filter, const uint64_t *hashes, size_t count, bool unique,
								   size_t *done, bool *changed);

/* The index of the first hash for which filter_contains is not `wanted`; count if there is none. Prefetches. */
extern size_t filter_contains_run(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted);

/*
 * Write the indexes of the hashes that the filter contains, in ascending order; returns their number. `index` has room
 * for `count`. Prefetches, but does not pause: for at most a few thousand hashes.
 */
extern size_t filter_contained(const Filter *filter, const uint64_t *hashes, size_t count, uint32_t *index);

/*
 * Fill the empty layer of a filter that has one layer, in any order and any number of calls, with values whose hashes
 * are distinct (duplicates make no difference to a Bloom filter). FILTER_FULL if a value finds no place in a cuckoo
 * layer: start again with filter_enlarge_newest. If FILTER_BUILD_ATTEMPTS fail, values must have been chosen to
 * collide: pass `cover`, so that wildcards cover those that find no place.
 *
 * filter_add_all is not suitable for sorted hashes: it judges how full the blocks are by the fraction of bits set in
 * the whole layer, which misleads while a layer is being filled from one end.
 */
#define FILTER_BUILD_ATTEMPTS 8

extern FilterStatus filter_build(Filter *filter, const uint64_t *hashes, size_t count, bool cover);

/*
 * Bloom: an estimate of the number of distinct values added; a value counts once for all layers of one geometry, and
 * again for those of another. Cuckoo: the number of entries stored.
 */
extern double filter_cardinality(const Filter *filter);

/* The expected false positive rate for the filter's present content. */
extern double filter_rate_now(const Filter *filter);

/* The fraction of bits set, or of slots taken, in one layer. */
extern double filter_layer_fill(const Filter *filter, uint32_t layer);

extern uint64_t filter_capacity(const Filter *filter);

/*
 * Whether a layer of source can be merged into one of target: its geometry is the same (Bloom) or folds into the
 * target's (cuckoo), and there is room for both. For a cuckoo layer the merge itself may still fail.
 */
extern bool filter_can_merge_layer(const Filter *target, uint32_t target_layer,
								   const Filter *source, uint32_t source_layer);

/*
 * Merge the two layers. FILTER_FULL (cuckoo only) leaves the target's partly merged: keep a copy of it. If target is
 * close to the maximum number of layers, wildcards cover entries that find no place.
 */
extern FilterStatus filter_merge_layer(Filter *target, uint32_t target_layer,
									   const Filter *source, uint32_t source_layer);

/*
 * Merge filters that do not grow. FILTER_OTHER_GEOMETRY if they differ in that; FILTER_FULL if a cuckoo filter would have more
 * entries than its capacity, or too many wildcards. After that, target is partly merged: change a copy.
 */
extern FilterStatus filter_merge_fixed(Filter *target, const Filter *source);

#endif
