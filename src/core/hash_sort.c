#include "core/hash_sort.h"

#include <string.h>

#define DIGIT_BITS	8
#define DIGITS		(1 << DIGIT_BITS)
#define TOP_SHIFT	(64 - DIGIT_BITS)

#define INSERTION_MAX	48		/* up to here insertion sort beats counting 256 digits */
#define CACHED_MAX		65536	/* up to here both arrays fit a core's own cache, and passes over all of it are cheap */

static inline unsigned
digit(uint64_t hash, int shift)
{
	return (unsigned) (hash >> shift) & (DIGITS - 1);
}

static void
insertion_sort(uint64_t *hashes, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		at = i;

		for (; at > 0 && hashes[at - 1] > hash; at--)
			hashes[at] = hashes[at - 1];
		hashes[at] = hash;
	}
}

/* Distribute by one digit; start[d] becomes where digit d ends. */
static void
distribute(const uint64_t *from, uint64_t *to, size_t count, int shift, size_t start[DIGITS])
{
	size_t		sum = 0;

	memset(start, 0, DIGITS * sizeof(size_t));
	for (size_t i = 0; i < count; i++)
		start[digit(from[i], shift)]++;
	for (unsigned d = 0; d < DIGITS; d++)
	{
		size_t		in_digit = start[d];

		start[d] = sum;
		sum += in_digit;
	}
	for (size_t i = 0; i < count; i++)
		to[start[digit(from[i], shift)]++] = from[i];
}

/*
 * Sort by the digits from shift down: large arrays by the leading digit, part by part (each part is then its own
 * problem, and soon one that fits the cache); small ones by the last digit first, pass by pass.
 */
static void
radix_sort(uint64_t *hashes, uint64_t *scratch, size_t count, int shift)
{
	size_t		start[DIGITS];

	if (count <= INSERTION_MAX)
	{
		insertion_sort(hashes, count);
		return;
	}
	if (count <= CACHED_MAX)
	{
		uint64_t   *from = hashes,
				   *to = scratch;

		for (int at = 0; at <= shift; at += DIGIT_BITS)
		{
			uint64_t   *swap = from;

			distribute(from, to, count, at, start);
			from = to;
			to = swap;
		}
		if (from != hashes)
			memcpy(hashes, from, count * sizeof(uint64_t));
		return;
	}

	distribute(hashes, scratch, count, shift, start);
	if (shift > 0)
		for (unsigned d = 0; d < DIGITS; d++)
		{
			size_t		begin = d == 0 ? 0 : start[d - 1];

			radix_sort(scratch + begin, hashes + begin, start[d] - begin, shift - DIGIT_BITS);
		}
	memcpy(hashes, scratch, count * sizeof(uint64_t));
}

size_t
filter_unique(uint64_t *hashes, size_t count)
{
	size_t		kept = 0;

	for (size_t i = 0; i < count; i++)
		if (kept == 0 || hashes[kept - 1] != hashes[i])
			hashes[kept++] = hashes[i];
	return kept;
}

size_t
filter_sort_unique(uint64_t *hashes, uint64_t *scratch, size_t count)
{
	radix_sort(hashes, scratch, count, TOP_SHIFT);
	return filter_unique(hashes, count);
}

size_t
filter_merge_unique(uint64_t *hashes, size_t middle, size_t count, uint64_t *scratch)
{
	size_t		left = middle,
				right = count,
				to = count;

	if (count - middle > middle)
	{
		/* The left run is the shorter: set it aside and merge upwards. */
		size_t		i = 0;

		memcpy(scratch, hashes, middle * sizeof(uint64_t));
		for (to = 0, right = middle; i < left || right < count; to++)
			hashes[to] = right == count || (i < left && scratch[i] <= hashes[right]) ? scratch[i++] : hashes[right++];
		return filter_unique(hashes, count);
	}

	memcpy(scratch, hashes + middle, (count - middle) * sizeof(uint64_t));
	right = count - middle;
	while (right > 0)
	{
		if (left > 0 && hashes[left - 1] > scratch[right - 1])
			hashes[--to] = hashes[--left];
		else
			hashes[--to] = scratch[--right];
	}
	return filter_unique(hashes, count);
}
