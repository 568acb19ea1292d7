/*
 * Where to put a copy of an image that will be probed.
 *
 * A Bloom block is as long as a cache line. A lookup waits for one line if the block is aligned to it, otherwise for
 * two. The offsets of the layers are part of the format, so only the start of the image can be chosen. It is chosen to
 * align the largest layer, which is the least likely to be cached. A layer of several blocks is a whole number of lines
 * long, so this aligns the others too, unless a layer of a single block lies in between.
 */
#ifndef FILTER_PLACEMENT_H
#define FILTER_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/image.h"

/* The bytes to allocate in addition to the image. */
#define FILTER_PLACEMENT_BYTES		(FILTER_CACHE_LINE_BYTES - 1)

/* Where to start the image in memory that is FILTER_PLACEMENT_BYTES longer. The filter may have no image yet. */
static inline uint8_t *
filter_place_image(const Filter *filter, void *memory)
{
	uint64_t	offset = 0;
	uint64_t	most = 0;

	for (uint32_t i = 0; i < filter->layers; i++)
		if (filter->layer[i].bytes > most)
		{
			most = filter->layer[i].bytes;
			offset = filter->layer[i].offset;
		}
	return (uint8_t *) memory + (0 - ((uintptr_t) memory + (uintptr_t) offset)) % FILTER_CACHE_LINE_BYTES;
}

#endif
