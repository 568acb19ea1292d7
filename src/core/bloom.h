/*
 * One layer of a Bloom filter, in blocks (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters",
 * 2007): a value sets `probes` bits, all in one block, so a lookup touches a single cache line; in the textbook
 * filter it touches one per bit.
 *
 * A layer of up to BLOOM_SMALL_BITS bits is a single block of that size, that is, a textbook filter; a larger one
 * consists of any number of blocks of BLOOM_BLOCK_BITS bits.
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
#define BLOOM_WORD_BITS		64		/* a block is a whole number of these */
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
 * The expected false positive rate, for random values, of a layer that holds `values` distinct values. Depends on the
 * geometry only.
 *
 * One block: the mean of (fraction of bits set)^probes, to second order around the mean fraction. Many blocks: the
 * mean of that over the number of values in a block, which is Poisson distributed with mean values / blocks. Because
 * some blocks hold more values than average, a blocked filter needs a few bits more per value than the textbook's
 * -log2(rate) / ln 2.
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
 * The number of bits that a block is expected to have set when the layer holds `capacity` values; a block with as many is
 * crowded. Whether the block of an added value is crowded is a cheap test of whether counting the whole layer is worthwhile.
 */
extern uint32_t bloom_crowded_bits(const BloomLayer *layer, uint64_t capacity);

extern uint64_t bloom_bits_set(const BloomLayer *layer);

/* The same for the block of a hash. Does not pause. */
extern uint32_t bloom_bits_set_in_block(const BloomLayer *layer, uint64_t hash);

/* Bits set in the union of layers of the same geometry. The layers are not changed. */
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

/* The same for many hashes; returns how many of them set a bit that was clear. Prefetches. */
extern size_t bloom_add_all(const BloomLayer *layer, const uint64_t *hashes, size_t count);

/* The function for bloom_contains in a layer of this geometry, one hash at a time. */
extern LayerLookup bloom_lookup(const BloomLayer *layer);

/*
 * Write the indexes of the hashes that the layer contains, in ascending order; returns their number. `index` has room
 * for `count`. Prefetches, but does not pause. No branch depends on which hashes are contained, since that could not be
 * predicted where both answers are frequent.
 */
extern size_t bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);

#endif
