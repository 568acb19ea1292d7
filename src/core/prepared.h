/*
 * The type of a prepared filter, and what needs no more than that: see core/prepare.h.
 */
#ifndef FILTER_PREPARED_H
#define FILTER_PREPARED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/image.h"

typedef struct PreparedFilter PreparedFilter;

struct PreparedFilter
{
	Filter	   *filter;
	bool		(*contains) (const PreparedFilter *prepared, uint64_t hash);

	/* The layer, if there is only one. */
	union
	{
		BloomLayer	bloom;
		CuckooLayer cuckoo;
	}			layer;
};

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

#endif
