/*
 * Wide arithmetic with the same results on every CPU, and prefetching.
 */
#ifndef FILTER_ARITHMETIC_H
#define FILTER_ARITHMETIC_H

#include <stdint.h>

#define FILTER_NOINLINE __attribute__((noinline))
#define FILTER_ALWAYS_INLINE static inline __attribute__((always_inline))
/*
 * gcc takes a function that only prefetches for one without effect, and deletes its call if the result is unused. Functions
 * that prefetch are therefore FILTER_ALWAYS_INLINE, or are called through a pointer.
 */
#define filter_prefetch(address) __builtin_prefetch(address)
/* If is_far, which must be a constant, the line goes into the second cache only. */
#define filter_prefetch_from(is_far, address) \
	((is_far) ? __builtin_prefetch(address, 0, 2) : __builtin_prefetch(address))
#define filter_popcount_64(word) ((unsigned) __builtin_popcountll(word))
#define filter_lowest_bit(word) ((unsigned) __builtin_ctzll(word))	/* index of the lowest bit set; undefined for 0 */

/* Nearly all CPUs have lines of this size. A Bloom block is as long. */
#define FILTER_CACHE_LINE_BYTES 64

/*
 * The number of additions, or lookups, whose memory is prefetched: more than the cache misses that a CPU core keeps in flight.
 */
#define FILTER_BATCH 32

/*
 * The number of lookups that filter_contained prefetches. More than FILTER_BATCH make lookups in a large filter faster, and in
 * a smaller one a little slower.
 */
#define FILTER_LOOKUPS_AHEAD 64

/*
 * From this size on, filter_contained prefetches into the second level of caches, since the CPU keeps more of such prefetches
 * in flight at once. In a smaller layer, much is cached already, and is read faster from the first level.
 */
#define FILTER_FAR_BYTES (UINT64_C(48) * 1024 * 1024)

/* Returns the high 64 bits of a 128-bit product; *low gets the low ones. */
static inline uint64_t
multiply_wide(uint64_t a, uint64_t b, uint64_t *low)
{
#if defined(__SIZEOF_INT128__)
	__extension__ typedef unsigned __int128 wide;
	wide		product = (wide) a * b;

	*low = (uint64_t) product;
	return (uint64_t) (product >> 64);
#else
	uint64_t	a_low = (uint32_t) a,
				a_high = a >> 32,
				b_low = (uint32_t) b,
				b_high = b >> 32;
	uint64_t	middle = a_high * b_low + ((a_low * b_low) >> 32);
	uint64_t	cross = a_low * b_high + (uint32_t) middle;

	*low = a * b;
	return a_high * b_high + (middle >> 32) + (cross >> 32);
#endif
}

/*
 * `multiply_high(hash, n)` maps a uniform hash to 0 .. n - 1 without a division, for any n, and keeps the order of the
 * hashes (Lemire, "Fast Random Integer Generation in an Interval", 2019).
 */
static inline uint64_t
multiply_high(uint64_t a, uint64_t b)
{
	uint64_t	low;

	return multiply_wide(a, b, &low);
}

#endif
