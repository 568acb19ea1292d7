/*
 * Pauses in long operations, in which the core's user can check every few milliseconds whether to continue.
 *
 * Every loop of the core whose length depends on a filter's size or the number of hashes pauses. The hook may not
 * return (longjmp); the object being changed must then be discarded.
 */
#ifndef FILTER_PAUSE_H
#define FILTER_PAUSE_H

#include <stddef.h>
#include <stdint.h>

/* This is called in each pause, unless it is null. It is global, since an interrupt concerns the whole program. */
extern void (*filter_pause_hook) (void);

/*
 * The steps between two pauses, which take about a millisecond: of a loop over 8-byte words; of a loop in which each step may
 * wait for memory; and of additions to a cuckoo layer, which take ten times as long when it is nearly full.
 */
#define FILTER_STRIDE_WORDS		((size_t) 1 << 17)
#define FILTER_STRIDE_HASHES	((size_t) 1 << 14)
#define FILTER_STRIDE_ADDITIONS	((size_t) 1 << 12)

/*
 * Every loop that pauses runs in strides, and gets the end of each from this function, which pauses before each stride but the
 * first, so that short loops have no overhead:
 *
 *     for (size_t i = 0; i < count;)
 *         for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
 */
static inline size_t
filter_stride(size_t from, size_t count, size_t stride)
{
	if (from > 0 && filter_pause_hook != NULL)
		filter_pause_hook();
	return count - from > stride ? from + stride : count;
}

/* memcpy and memset to 0, in strides. When copying, `to` may overlap `from` if it comes before it. */
extern void filter_copy_bytes(void *to, const void *from, size_t length);
extern void filter_clear_bytes(void *to, size_t length);

#endif
