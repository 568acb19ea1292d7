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

/* Check that an image opens from its bytes alone: the header, the content, and only the header. */
static inline void
fuzz_check_opens(const OwnedFilter *owned)
{
	const char *reason = "";
	FilterView	opened,
				header;

	if (filter_open(&opened, owned->image, owned->image_bytes, &reason) != FILTER_OK ||
		filter_check_content(&opened, &reason) != FILTER_OK)
		broken("an image of our own is refused: %s", reason);
	if (filter_open_header(&header.header, owned->image, filter_header_bytes(&opened.header), owned->image_bytes,
						   &reason) != FILTER_OK)
		broken("a header of our own is refused: %s", reason);
}

#endif
