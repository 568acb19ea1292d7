/*
 * Where to put a copy of an image that will be probed.
 *
 * A Bloom block is as long as a cache line. Where it begins at the start of one, a lookup waits for one line; anywhere
 * else, for two. The offsets of the layers are part of the format, so only the start of the image can be chosen, and
 * one layer with it: the largest, which is the most likely not to be cached. All layers with more than one block are
 * multiples of a line long, so the others follow suit, unless a layer of a single block is in between.
 */
#ifndef FILTER_PLACEMENT_H
#define FILTER_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/image.h"

#define FILTER_CACHE_LINE_BYTES		(BLOOM_BLOCK_BITS / 8)

/* The bytes to allocate in addition to the image. */
#define FILTER_PLACEMENT_BYTES		(FILTER_CACHE_LINE_BYTES - 1)

/* The start of the image in memory of the size of the image and FILTER_PLACEMENT_BYTES. The filter may have no image. */
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
