/*
 * Copying and clearing pause, too: a filter can have hundreds of megabytes, for which a single call would take too long.
 */
#include "core/pause.h"

#include <string.h>

#define STRIDE_BYTES (FILTER_STRIDE_WORDS * 8)

void		(*filter_pause_hook) (void) = NULL;

void
filter_copy_bytes(void *to, const void *from, size_t length)
{
	for (size_t i = 0, end; i < length; i = end)
	{
		end = filter_stride(i, length, STRIDE_BYTES);
		memmove((uint8_t *) to + i, (const uint8_t *) from + i, end - i);
	}
}

void
filter_clear_bytes(void *to, size_t length)
{
	for (size_t i = 0, end; i < length; i = end)
	{
		end = filter_stride(i, length, STRIDE_BYTES);
		memset((uint8_t *) to + i, 0, end - i);
	}
}
