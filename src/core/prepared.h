/*
 * A filter prepared for operations on one value at a time: what each of them would find out about the filter and the CPU
 * is found out once. Most filters have one layer without wildcards; for these, an operation takes two thirds of the time
 * of its counterpart in core/filter.h, with the same result.
 *
 * A prepared filter is a view of a Filter, which must outlive it. Prepare it again after the Filter was opened, or
 * changed by any other function that can add a layer, or mark it as crowded or fixed.
 */
#ifndef FILTER_PREPARED_H
#define FILTER_PREPARED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/image.h"
#include "core/status.h"

typedef struct PreparedFilter PreparedFilter;

struct PreparedFilter
{
	Filter	   *filter;
	bool		(*contains) (const PreparedFilter *prepared, uint64_t hash);

	/* Add a value if that is only a matter of finding a slot for it; false, without a change, if it is not. */
	bool		(*put) (const PreparedFilter *prepared, uint64_t hash);
	bool		(*remove) (const PreparedFilter *prepared, uint64_t hash);

	/* The layer, if there is only one. */
	union
	{
		BloomLayer	bloom;
		CuckooLayer cuckoo;
	}			layer;
};

/* The filter may have no image yet. */
extern void filter_prepare(PreparedFilter *prepared, Filter *filter);

/* Continue with the same image at another address; or with another image whose header has the same bytes. */
static inline void
prepared_move(PreparedFilter *prepared, uint8_t *image)
{
	Filter	   *filter = prepared->filter;

	filter->image = image;
	if (filter->layers == 0)
		return;
	if (filter->type == FILTER_BLOOM)
		prepared->layer.bloom.bits = image + filter->layer[0].offset;
	else
		prepared->layer.cuckoo.slots = image + filter->layer[0].offset;
}

/* filter_contains. The filter has an image. */
static inline bool
prepared_contains(const PreparedFilter *prepared, uint64_t hash)
{
	return prepared->contains(prepared, hash);
}

/* filter_add, not unique. */
extern FilterStatus prepared_add_slowly(PreparedFilter *prepared, uint64_t hash, bool *changed);

static inline FilterStatus
prepared_add(PreparedFilter *prepared, uint64_t hash, bool *changed)
{
	if (!prepared->put(prepared, hash))
		return prepared_add_slowly(prepared, hash, changed);
	*changed = true;
	return FILTER_OK;
}

/* filter_remove: only for cuckoo filters. */
static inline bool
prepared_remove(const PreparedFilter *prepared, uint64_t hash)
{
	return prepared->remove(prepared, hash);
}

#endif
