/*
 * One layer of a Bloom filter, in blocks (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters",
 * 2007): a value sets `probes` bits, all in one block, so a lookup touches one cache line where the textbook filter
 * touches one per bit.
 *
 * A layer of up to BLOOM_SMALL_BITS bits is a single block of that size, which is the textbook filter; a larger one is
 * any number of blocks of BLOOM_BLOCK_BITS bits.
 *
 * The caller owns the memory of a layer, and has checked its geometry with bloom_geometry_is_valid.
 */
#ifndef FILTER_BLOOM_H
#define FILTER_BLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOOM_BLOCK_BITS	512
#define BLOOM_SMALL_BITS	8192	/* the largest single block */
#define BLOOM_WORD_BITS		64		/* a block is a whole number of these */
#define BLOOM_MAX_PROBES	32

typedef struct BloomLayer
{
	uint32_t	blocks;
	uint32_t	block_bits;
	uint32_t	probes;			/* bits a value sets, 1 .. BLOOM_MAX_PROBES; two of them may coincide */
	uint8_t    *bits;			/* blocks * block_bits / 8 bytes */
} BloomLayer;

extern bool bloom_geometry_is_valid(uint32_t blocks, uint32_t block_bits, uint32_t probes);

/* Size in bytes. */
extern uint64_t bloom_bytes(const BloomLayer *layer);

/* Bring the block of a hash into cache ahead of bloom_contains or bloom_add. */
extern void bloom_prefetch(const BloomLayer *layer, uint64_t hash);

extern bool bloom_contains(const BloomLayer *layer, uint64_t hash);

/* The same on the block alone: where it lies in the layer, layer->block_bits / 8 bytes, and what it says. */
extern uint64_t bloom_block_offset(const BloomLayer *layer, uint64_t hash);
extern bool bloom_block_contains(const BloomLayer *layer, const uint8_t *block, uint64_t hash);

/* Set the bits of a hash; true if one of them was clear. */
extern bool bloom_add(const BloomLayer *layer, uint64_t hash);

/*
 * Whether the block of a hash has as many bits set as a block is expected to have when the layer holds `capacity`
 * values: a cheap look that says when counting the whole layer is worth while.
 */
extern bool bloom_block_is_crowded(const BloomLayer *layer, uint64_t capacity, uint64_t hash);

extern uint64_t bloom_bits_set(const BloomLayer *layer);

/* Bits set in the union of two layers of one geometry, neither of which is changed. */
extern uint64_t bloom_bits_set_in_union(const BloomLayer *a, const BloomLayer *b);

/* Merge source into target; both have the same geometry. */
extern void bloom_unite(const BloomLayer *target, const BloomLayer *source);
extern void bloom_intersect(const BloomLayer *target, const BloomLayer *source);

/*
 * The number of distinct values that would set so many of the layer's bits, by inverting the expected fill (for one
 * block Swamidass and Baldi, 2007; for many, with the loads of the blocks Poisson distributed).
 */
extern double bloom_cardinality(const BloomLayer *layer, uint64_t bits_set);

/* The false positive rate with the bits as they are now: the mean over the blocks of (share of bits set)^probes. */
extern double bloom_rate_now(const BloomLayer *layer);

#endif
