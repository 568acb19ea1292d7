/*
 * One layer of a Bloom filter, in blocks (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007): a
 * value sets `probes` bits of one block, so a lookup touches a single cache line.
 *
 * A layer of up to BLOOM_SMALL_BITS bits is a single block of that size, that is, a textbook filter; a larger one consists of
 * any number of blocks of BLOOM_BLOCK_BITS bits.
 *
 * The caller owns the memory of a layer and has checked its geometry with bloom_geometry_is_valid.
 */
#ifndef FILTER_BLOOM_H
#define FILTER_BLOOM_H

#include <stddef.h>

#include "core/cpu.h"
#include "core/status.h"

#define BLOOM_BLOCK_BITS	512
#define BLOOM_SMALL_BITS	8192	/* the largest single block */
#define BLOOM_WORD_BITS		64		/* a block is a whole number of words */
#define BLOOM_MAX_PROBES	32

typedef struct BloomLayer
{
	uint32_t	blocks;
	uint32_t	block_bits;
	uint32_t	probes;			/* bits set per value, 1 .. BLOOM_MAX_PROBES; two of them may coincide */
	uint8_t    *bits;			/* blocks * block_bits / 8 bytes */
} BloomLayer;

extern bool bloom_geometry_is_valid(uint32_t blocks, uint32_t block_bits, uint32_t probes);

/*
 * The expected false positive rate, for random values, of a layer that holds `values` distinct values. It depends on the
 * geometry only.
 *
 * In one block, it is the mean of (fraction of bits set)^probes, to second order around the mean fraction. In many blocks, it
 * is the mean of this over the number of values in a block, which is Poisson distributed with mean values / blocks. Because
 * some blocks hold more values than average, a blocked filter needs a few bits more per value than the textbook's -log2(rate)
 * / ln 2.
 */
extern double bloom_rate(const BloomLayer *layer, double values);

/*
 * Set the smallest geometry that holds capacity distinct values (1 or more) at or below the rate (above 0, below 1).
 * FILTER_TOO_LARGE if it needs more blocks than a layer can have; *bytes is set to the size in either case.
 */
extern FilterStatus bloom_choose_geometry(uint64_t capacity, double rate, BloomLayer *layer, double *bytes);

static inline uint64_t
bloom_bytes(const BloomLayer *layer)
{
	return (uint64_t) layer->blocks * (layer->block_bits / 8);
}

/*
 * The number of bits that are set in a block, on average, when the layer holds `capacity` values. A block with so many is
 * crowded. Only if the block of an added value is crowded, it is worthwhile to count the bits of the whole layer.
 */
extern uint32_t bloom_crowded_bits(const BloomLayer *layer, uint64_t capacity);

extern uint64_t bloom_bits_set(const BloomLayer *layer);

/* The number of bits set in the block of a hash. Does not pause. */
extern uint32_t bloom_bits_set_in_block(const BloomLayer *layer, uint64_t hash);

/* The number of bits set in the union of layers of one geometry, which are not changed. */
extern uint64_t bloom_bits_set_in_any(const BloomLayer *layers, uint32_t count);

/* Merge source into target, as a union or an intersection; both have the same geometry. */
extern void bloom_merge(const BloomLayer *target, const BloomLayer *source, bool intersect);

/*
 * The number of distinct values expected to set bits_set of the layer's bits, by inverting the expected fill (one
 * block: Swamidass and Baldi, 2007; many blocks: with Poisson distributed block loads).
 */
extern double bloom_cardinality(const BloomLayer *layer, uint64_t bits_set);

/* The false positive rate for the bits now set: the mean over the blocks of (fraction of bits set)^probes. */
extern double bloom_rate_now(const BloomLayer *layer);

/* Set the bits of a hash; return whether any of them was clear. */
extern bool bloom_add(const BloomLayer *layer, uint64_t hash);

/* Set the bits of many hashes; returns how many hashes set a bit that was clear. Prefetches. */
extern size_t bloom_add_all(const BloomLayer *layer, const uint64_t *hashes, size_t count);

/* The function that looks up one hash in a layer of this geometry. */
extern LayerLookup bloom_lookup(const BloomLayer *layer);

/*
 * Write the indexes of the hashes that the layer contains, in ascending order, to `index`, which has room for `count`; returns
 * their number. Prefetches, but does not pause.
 */
extern size_t bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);

#endif
