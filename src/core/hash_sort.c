/*
 * Radix sort takes linear time: hashes are distributed evenly, so a few digits nearly sort them.
 */
#include "core/hash_sort.h"

#include "core/arithmetic.h"
#include "core/pause.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS		8		/* for a pass over an array larger than the cache */
#define DIGITS			(1 << DIGIT_BITS)

#define INSERTION_MAX	12		/* up to this size, insertion sort is faster than counting digits */
#define DIVIDED_MAX		128		/* up to this size, one pass is enough: by a digit with as many values as there are hashes */
#define SHORT_MAX		16384	/* up to this size a pass uses 256 counters, above it 512 */
#define CACHED_MAX		131072	/* up to this size both arrays fit the core's private cache, and passes over them are cheap */
#define PASSES			2		/* over a cached array: together they distinguish nearly all hashes */
#define LONGEST_DIGIT	9

/* The average number of moves per value after which insertion sort gives up. */
#define MAX_MOVES		8

static inline unsigned
hash_sort_digit(uint64_t hash, unsigned shift, unsigned bits)
{
	return (unsigned) (hash >> shift) & ((1U << bits) - 1);
}

/*
 * Append a hash to those of its digit, which end at *end. The next line is prefetched, since the hardware does not prefetch
 * for as many sequences as there are digits.
 */
FILTER_ALWAYS_INLINE void
hash_sort_append(uint64_t *to, size_t *end, uint64_t hash)
{
	uint64_t   *next = to + (*end)++;

	*next = hash;
	/* The address is an integer, since it may be after the end of the array. */
	filter_prefetch((const void *) ((uintptr_t) next + FILTER_CACHE_LINE_BYTES));
}

/* Insertion sort; false if it exceeds a number of moves, and gives up: the hashes are then in any order. */
static bool
insertion_sort(uint64_t *hashes, size_t count, size_t most_moves)
{
	size_t		moves = 0;

	for (size_t i = 1; i < count; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		at = i;

		for (; at > 0 && hashes[at - 1] > hash; at--)
			hashes[at] = hashes[at - 1];
		hashes[at] = hash;
		moves += i - at;
		if (moves > most_moves)
			return false;
	}
	return true;
}

/* Convert the counts of digits to the position where each digit begins. */
static void
sum_up(size_t *start, unsigned digits)
{
	size_t		sum = 0;

	for (unsigned d = 0; d < digits; d++)
	{
		size_t		in_digit = start[d];

		start[d] = sum;
		sum += in_digit;
	}
}

/* Distribute by one digit; start[d] becomes the end of digit d. */
static void
hash_sort_distribute(const uint64_t *from, uint64_t *to, size_t count, unsigned shift, unsigned bits, size_t *start)
{
	memset(start, 0, sizeof(size_t) << bits);
	for (size_t i = 0; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
			start[hash_sort_digit(from[i], shift, bits)]++;
	sum_up(start, 1U << bits);
	for (size_t i = 0; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
			hash_sort_append(to, &start[hash_sort_digit(from[i], shift, bits)], from[i]);
}

/*
 * Sort an array that fits the cache by the lowest `bits` bits: first by the leading ones of these, last digit first, then by
 * insertion those that agree in them. Hashes chosen to agree in more bits would make insertion quadratic; they are sorted by
 * all digits.
 */
static void
sort_cached(uint64_t *hashes, uint64_t *other, size_t count, unsigned bits)
{
	size_t		start[PASSES][1 << LONGEST_DIGIT];
	unsigned	width = count <= SHORT_MAX ? 8 : LONGEST_DIGIT;
	unsigned	lowest = bits > PASSES * width ? bits - PASSES * width : 0;
	uint64_t   *from = hashes,
			   *to = other;

	for (unsigned pass = 0; pass < PASSES; pass++)
		memset(start[pass], 0, sizeof(size_t) << width);
	for (size_t i = 0; i < count; i++)
		for (unsigned pass = 0; pass < PASSES; pass++)
			start[pass][hash_sort_digit(from[i], lowest + pass * width, width)]++;
	/* The number of passes is even, so that the result ends up in the array where it began. */
	for (unsigned pass = 0; pass < PASSES; pass++)
	{
		uint64_t   *swap = from;

		sum_up(start[pass], 1U << width);
		for (size_t i = 0; i < count; i++)
			hash_sort_append(to, &start[pass][hash_sort_digit(from[i], lowest + pass * width, width)], from[i]);
		from = to;
		to = swap;
	}
	if (insertion_sort(hashes, count, count * MAX_MOVES))
		return;

	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
	{
		uint64_t   *swap = from;

		hash_sort_distribute(from, to, count, shift, DIGIT_BITS, start[0]);
		from = to;
		to = swap;
	}
}

/* Sort so few hashes that one pass, with as many counters as hashes, leaves hardly any out of order. */
static void
sort_few(uint64_t *hashes, uint64_t *other, size_t count, unsigned bits)
{
	unsigned	width = 0;

	while (((size_t) 1 << width) < count)
		width++;
	if (bits > width)
	{
		size_t		end[DIVIDED_MAX];

		hash_sort_distribute(hashes, other, count, bits - width, width, end);
		memcpy(hashes, other, count * sizeof(uint64_t));
	}
	if (!insertion_sort(hashes, count, count * MAX_MOVES))
		sort_cached(hashes, other, count, bits);
}

/*
 * Sort by the lowest `bits` bits, with other as scratch memory; the result is in hashes, or in other if so asked.
 * Large arrays are divided by the leading digit and each part is sorted on its own; parts soon fit the cache.
 */
static void
radix_sort(uint64_t *hashes, uint64_t *other, size_t count, unsigned bits, bool into_other)
{
	size_t		end[DIGITS];

	if (count <= CACHED_MAX)
	{
		if (count <= INSERTION_MAX)
			(void) insertion_sort(hashes, count, SIZE_MAX);
		else if (count <= DIVIDED_MAX)
			sort_few(hashes, other, count, bits);
		else
			sort_cached(hashes, other, count, bits);
		if (into_other)
			memcpy(other, hashes, count * sizeof(uint64_t));
		return;
	}

	/* The last of the eight digits leaves its result in other, where it is wanted, as into_other alternates. */
	hash_sort_distribute(hashes, other, count, bits - DIGIT_BITS, DIGIT_BITS, end);
	if (bits > DIGIT_BITS)
		for (size_t d = 0; d < DIGITS;)
			for (size_t next = filter_stride(d, DIGITS, 1); d < next; d++)
			{
				size_t		begin = d == 0 ? 0 : end[d - 1];

				radix_sort(other + begin, hashes + begin, end[d] - begin, bits - DIGIT_BITS, !into_other);
			}
}

void
filter_group_hashes(const uint64_t *hashes, uint64_t *grouped, size_t count, unsigned bits, size_t *end)
{
	hash_sort_distribute(hashes, grouped, count, 64 - bits, bits, end);
}

static size_t
hash_sort_unique(uint64_t *hashes, size_t count)
{
	size_t		kept = 0;

	for (size_t i = 0; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
			if (kept == 0 || hashes[kept - 1] != hashes[i])
				hashes[kept++] = hashes[i];
	return kept;
}

/* The number of lowest bits that differ between some of the hashes: the hashes of one group agree in their leading bits. */
static unsigned
differing_bits(const uint64_t *hashes, size_t count)
{
	uint64_t	differing = 0;
	unsigned	bits = 0;

	for (size_t i = 1; i < count; i++)
		differing |= hashes[i] ^ hashes[0];
	for (; differing != 0; differing >>= 1)
		bits++;
	return bits;
}

size_t
filter_sort_unique(uint64_t *hashes, uint64_t *scratch, size_t count)
{
	bool		is_cached = count > DIVIDED_MAX && count <= CACHED_MAX;

	radix_sort(hashes, scratch, count, is_cached ? differing_bits(hashes, count) : 64, false);
	return hash_sort_unique(hashes, count);
}
