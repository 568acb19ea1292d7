/*
 * Functions that the harnesses share: reading the input piece by piece, and reporting what is wrong.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "owned_filter.h"
#include "random.h"

typedef struct Input
{
	const uint8_t *bytes;
	size_t		left;
} Input;

/* The next bytes as a little-endian number; missing bytes are zero. */
static inline uint64_t
input_number(Input *input, unsigned bytes)
{
	uint64_t	number = 0;

	for (unsigned i = 0; i < bytes && input->left > 0; i++, input->left--)
		number |= (uint64_t) *input->bytes++ << (8 * i);
	return number;
}

static inline uint32_t
input_below(Input *input, uint32_t limit)
{
	return (uint32_t) input_number(input, limit > 256 ? 2 : 1) % limit;
}

/* Report a violated invariant, and abort. */
static inline void broken(const char *format,...) TAP_PRINTF(1, 2);
static inline void
broken(const char *format,...)
{
	va_list		values;

	va_start(values, format);
	tap_print(stderr, "# broken: ", format, values);
	va_end(values);
	abort();
}

/* No larger images are made, so that an input takes only milliseconds. */
#define FUZZ_MAX_IMAGE 65536

/* Compare with lookups that fetch only the ranges they need, as from an image that is not in memory. */
static inline void
fuzz_check_ranges(const Filter *filter, uint64_t image_bytes, uint64_t hash)
{
	Filter		away = *filter;
	bool		contains = false;

	away.image = NULL;
	for (uint32_t layer = 0; layer < away.layers; layer++)
	{
		FilterRange range[2];
		uint8_t    *fetched[2] = {NULL, NULL};
		const uint8_t *bytes[2];
		uint32_t	ranges = filter_lookup_ranges(&away, layer, hash, range);

		for (uint32_t i = 0; i < ranges; i++)
		{
			if (range[i].offset < filter->layer[layer].offset ||
				range[i].offset + range[i].length > filter->layer[layer].offset + filter->layer[layer].bytes ||
				range[i].offset + range[i].length > image_bytes)
				broken("a lookup requests bytes outside its layer");
			fetched[i] = zeroed_memory(range[i].length);
			memcpy(fetched[i], filter->image + range[i].offset, range[i].length);
		}
		bytes[0] = fetched[0];
		bytes[1] = fetched[1];
		contains |= filter_ranges_contain(&away, layer, hash, bytes);
		free(fetched[0]);
		free(fetched[1]);
	}
	/* A stash is not in the ranges. */
	if (filter->has_stash ? contains > filter_contains(filter, hash) : contains != filter_contains(filter, hash))
		broken("a lookup by ranges differs from one in the image");
}

/* Check that an image opens from its bytes alone: the header, the content, and only the header. */
static inline void
fuzz_check_opens(const OwnedFilter *owned)
{
	const char *reason = "";
	Filter		opened,
				header;

	if (filter_open(&opened, owned->image, owned->image_bytes, &reason) != FILTER_OK ||
		filter_check_content(&opened, &reason) != FILTER_OK)
		broken("an image of our own is refused: %s", reason);
	if (filter_open_header(&header, owned->image, filter_header_bytes(&opened), owned->image_bytes,
						   &reason) != FILTER_OK)
		broken("a header of our own is refused: %s", reason);
}

#endif
