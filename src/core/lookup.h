/*
 * Lookups of single hashes in a filter of either type.
 */
#ifndef FILTER_LOOKUP_H
#define FILTER_LOOKUP_H

#include "core/image.h"

extern bool filter_contains(const FilterView *filter, uint64_t hash);

/*
 * A filter prepared for lookups of one value at a time: what each lookup would find out about the filter and the CPU is found
 * out once. The results are those of filter_contains. In a filter of one layer without a stash, as most are, they take less
 * time (test/peers measures it).
 *
 * A prepared filter refers to a view, which must outlive it. Prepare it again after the view was opened, or changed by a
 * function that can add a layer or a stash.
 */
typedef struct PreparedFilter
{
	LayerLookup contains;		/* looks up in `in` */

	/* The filter, if it has several layers or a stash; otherwise its layer. */
	union
	{
		AnyLayer	layer;
		const FilterView *filter;
	}			in;
} PreparedFilter;

/* The filter may have no image yet. */
extern void filter_prepare(PreparedFilter *prepared, const FilterView *filter);

/* Continue with the same image at another address, or with another image whose header has the same bytes. */
static inline void
prepared_move(PreparedFilter *prepared, FilterView *filter, uint8_t *image)
{
	filter->image = image;
	if (!filter_is_plain(&filter->header))
		return;
	if (filter->header.type == FILTER_BLOOM)
		prepared->in.layer.bloom.bits = filter_layer_start(filter, 0);
	else
		prepared->in.layer.cuckoo.slots = filter_layer_start(filter, 0);
}

/* Whether the filter, which has an image, contains a hash. */
static inline bool
prepared_contains(const PreparedFilter *prepared, uint64_t hash)
{
	return prepared->contains(&prepared->in, hash);
}

typedef struct FilterRange
{
	uint64_t	offset;
	uint32_t	length;			/* at most BLOOM_SMALL_BITS / 8 */
} FilterRange;

/*
 * A lookup in an image that is not in memory reads only the bytes that it needs. The first function sets the ranges of the
 * image that the lookup of a hash reads in one layer: one for a Bloom block, two for cuckoo windows. The second returns
 * whether the layer contains the hash, given the bytes of these ranges. The filter must not have a stash.
 */
extern uint32_t filter_lookup_ranges(const FilterView *filter, uint32_t layer, uint64_t hash, FilterRange range[2]);
extern bool filter_ranges_contain(const FilterView *filter, uint32_t layer, uint64_t hash, const uint8_t *const bytes[2]);

/* The further ranges that filter_count reads in one layer: two if it has counters, else none. */
extern uint32_t filter_counter_ranges(const FilterView *filter, uint32_t layer, uint64_t hash, FilterRange range[2]);

#endif
