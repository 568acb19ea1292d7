/*
 * Wide arithmetic, the same on every CPU.
 */
#ifndef FILTER_ARITHMETIC_H
#define FILTER_ARITHMETIC_H

#include <stdint.h>

#define FILTER_NOINLINE __attribute__((noinline))
#define FILTER_ALWAYS_INLINE static inline __attribute__((always_inline))
/*
 * gcc takes functions that only prefetch for functions without effect, and deletes calls of them whose result is not
 * used. So functions that prefetch are FILTER_ALWAYS_INLINE, or are called through a pointer.
 */
#define filter_prefetch(address) __builtin_prefetch(address)
/* Into the second cache only if is_far, which must be a constant. */
#define filter_prefetch_from(is_far, address) \
	((is_far) ? __builtin_prefetch(address, 0, 2) : __builtin_prefetch(address))
#define filter_popcount_64(word) ((unsigned) __builtin_popcountll(word))
#define filter_lowest_bit(word) ((unsigned) __builtin_ctzll(word))	/* the index of the lowest bit that is set; not of 0 */

/* As on nearly all CPUs; a Bloom block is as long. */
#define FILTER_CACHE_LINE_BYTES 64

/* Lookups or additions whose memory is prefetched; more than the cache misses that a CPU core keeps in flight. */
#define FILTER_BATCH 32

/*
 * The same for filter_contained. With FILTER_BATCH, a key takes longer in a filter of 100 MB, and a little less in one of
 * 10 MB.
 */
#define FILTER_LOOKUPS_AHEAD 64

/*
 * From this size on, filter_contained prefetches into the second level of caches: more of such prefetches are in flight at
 * once. A plain loop over random lines of 60 MB or more in huge pages is faster in this way. Of 30 MB or less, there is no
 * difference, and what is in that cache already is read from the first level faster.
 */
#define FILTER_FAR_BYTES (UINT64_C(48) * 1024 * 1024)

/* The high 64 bits of a 128-bit product; *low gets the others. */
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
