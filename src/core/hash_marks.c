#include "core/hash_marks.h"

#include "core/pause.h"

/* Positions per hash. With more, there are fewer candidates, but the bitmap takes more of the cache. */
#define MIN_POSITIONS	8

#define MIN_BITS		6
#define MAX_BITS		40

unsigned
filter_mark_bits(size_t count)
{
	unsigned	bits = MIN_BITS;

	while (bits < MAX_BITS && (size_t) 1 << bits < MIN_POSITIONS * count)
		bits++;
	return bits;
}

/* The words for a hash: the first has the marks of the positions marked once or more, the second those marked again. */
static inline uint64_t *
words_of(const HashMarks *marks, uint64_t hash, uint64_t *mark)
{
	uint64_t	position = hash << marks->skipped >> (64 - marks->bits);

	*mark = UINT64_C(1) << (position & 63);
	return &marks->words[position >> 6 << 1];
}

void
filter_mark(const HashMarks *marks, const uint64_t *hashes, size_t count)
{
	for (size_t i = 0; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
		{
			uint64_t	mark;
			uint64_t   *words = words_of(marks, hashes[i], &mark);

			words[1] |= words[0] & mark;
			words[0] |= mark;
		}
}

size_t
filter_marked_again(const HashMarks *marks, const uint64_t *hashes, size_t count, uint64_t *candidates)
{
	size_t		found = 0;

	for (size_t i = 0; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
		{
			uint64_t	mark;
			const uint64_t *words = words_of(marks, hashes[i], &mark);

			/* Without a branch, which would be unpredictable. */
			candidates[found] = hashes[i];
			found += (words[1] & mark) != 0;
		}
	return found;
}
