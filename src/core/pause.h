/*
 * Pauses in long work: whoever uses the core may want to look, every few milliseconds, at whether the work is still wanted.
 *
 * Every loop of the core that grows with a filter or with the number of hashes pauses on its way. A pause may leave for
 * good, by longjmp; what was being changed is then to be thrown away.
 */
#ifndef FILTER_PAUSE_H
#define FILTER_PAUSE_H

#include <stddef.h>
#include <stdint.h>

/* What to do in a pause, or null: one for the whole program, as there is one user to interrupt it. */
extern void (*filter_pause_hook) (void);

static inline void
filter_pause(void)
{
	if (filter_pause_hook != NULL)
		filter_pause_hook();
}

/*
 * Steps between two pauses: of a loop over 8-byte words, and of one in which each step may have to wait for memory. About a
 * millisecond on an idle machine.
 */
#define FILTER_STRIDE_WORDS		((size_t) 1 << 17)
#define FILTER_STRIDE_HASHES	((size_t) 1 << 14)

/*
 * For loops in strides, which pause from the second stride on, so that short ones do not pay:
 *
 *     for (size_t i = 0; i < count;)
 *         for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
 */
static inline size_t
filter_stride(size_t from, size_t count, size_t stride)
{
	if (from > 0)
		filter_pause();
	return count - from > stride ? from + stride : count;
}

/* memcpy and memset to 0, in strides. Bytes may be copied to where they overlap themselves, if that is before them. */
extern void filter_copy_bytes(void *to, const void *from, size_t length);
extern void filter_clear_bytes(void *to, size_t length);

#endif
