/*
 * A filter prepared for lookups of one value at a time: what each of them would find out about the filter and the CPU is
 * found out once. Most filters have one layer without wildcards; in these, a lookup takes less time than filter_contains
 * (test/peers measures it), with the same result.
 *
 * A prepared filter is a view of a Filter, which must outlive it. Prepare it again after the Filter was opened, or
 * changed by a function that can add a layer, or mark it as crowded.
 */
#ifndef FILTER_PREPARE_H
#define FILTER_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cpu.h"
#include "core/image.h"

typedef struct PreparedFilter
{
	LayerLookup contains;		/* in `in` */

	/* The only layer, or the filter if it has several, or wildcards. */
	union
	{
		BloomLayer	bloom;
		CuckooLayer cuckoo;
		const Filter *filter;
	}			in;
	Filter	   *filter;
} PreparedFilter;

/* The filter may have no image yet. */
extern void filter_prepare(PreparedFilter *prepared, Filter *filter);

/* Continue with the same image at another address; or with another image whose header has the same bytes. */
static inline void
prepared_move(PreparedFilter *prepared, uint8_t *image)
{
	Filter	   *filter = prepared->filter;

	filter->image = image;
	if (!filter_is_plain(filter))
		return;
	if (filter->type == FILTER_BLOOM)
		prepared->in.bloom.bits = filter_layer_start(filter, 0);
	else
		prepared->in.cuckoo.slots = filter_layer_start(filter, 0);
}

/* filter_contains. The filter has an image. */
static inline bool
prepared_contains(const PreparedFilter *prepared, uint64_t hash)
{
	return prepared->contains(&prepared->in, hash);
}

/*
 * Where to put a copy of an image that will be probed.
 *
 * A Bloom block is as long as a cache line. A lookup waits for one line if the block is aligned to it, otherwise for
 * two. The offsets of the layers are part of the format, so only the start of the image can be chosen. It is chosen to
 * align the largest layer, which is the least likely to be cached. A layer of several blocks is a whole number of lines
 * long, so this aligns the others too, unless a layer of a single block lies in between.
 */

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
