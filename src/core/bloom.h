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

#include "core/arithmetic.h"
#include "core/bytes.h"
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

/* Size in bytes. */
static inline uint64_t
bloom_bytes(const BloomLayer *layer)
{
	return (uint64_t) layer->blocks * (layer->block_bits / 8);
}

/*
 * The number of bits that a block is expected to have set when the layer holds `capacity` values; a block with as many
 * is crowded. Whether the block of an added value is crowded is a cheap test of whether counting the whole layer is
 * worthwhile.
 */
extern uint32_t bloom_crowded_bits(const BloomLayer *layer, uint64_t capacity);

extern uint64_t bloom_bits_set(const BloomLayer *layer);

/* The same for the block of a hash. Does not pause. */
extern uint32_t bloom_bits_set_in_block(const BloomLayer *layer, uint64_t hash);

/* Bits set in the union of layers of the same geometry. The layers are not changed. */
extern uint64_t bloom_bits_set_in_any(const BloomLayer *layers, uint32_t count);

/* Merge source into target; both have the same geometry. */
extern void bloom_unite(const BloomLayer *target, const BloomLayer *source);
extern void bloom_intersect(const BloomLayer *target, const BloomLayer *source);

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

/* The index of the first hash for which bloom_contains is not `wanted`; count if there is none. Prefetches. */
extern size_t bloom_contains_run(const BloomLayer *layer, const uint64_t *hashes, size_t count, bool wanted);

/*
 * Write the indexes of the hashes that the layer contains, in ascending order; returns their number. `index` has room
 * for `count`. Prefetches, but does not pause. No branch depends on which hashes are contained, since that could not be
 * predicted where both answers are frequent.
 */
extern size_t bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);

/*
 * Lookups, inline: they take a few nanoseconds, so the cost of a call would be noticeable.
 *
 * Where the bits of a value lie is part of the image format. The high half of the hash selects the block. The bits
 * come from 32-bit words, each the high half of a product of the whole hash, eight bits per word: word, word *
 * BIT_STEP, word * BIT_STEP^2, ... scaled to the block (the construction of RocksDB's FastLocalBloom). At the lowest
 * rates a full block holds values that agree in one word; taking a new word every eight bits keeps them from agreeing
 * in all bits.
 */
#define BLOOM_WORD_STEP			UINT64_C(0x9e3779b97f4a7c15)
#define BLOOM_PROBES_PER_WORD	8
#define BLOOM_PROBES_AT_ONCE	4

/* BIT_STEP^0 .. BIT_STEP^7, modulo 2^32. With a table the bits of a word are computed independently of each other. */
static const uint32_t bloom_bit_step_power[BLOOM_PROBES_PER_WORD] = {
	UINT32_C(0x00000001), UINT32_C(0x9e3779b9), UINT32_C(0xe35e67b1), UINT32_C(0x734297e9),
	UINT32_C(0x35fbe861), UINT32_C(0xdeb7c719), UINT32_C(0x0448b211), UINT32_C(0x3459b749)
};

/* The word for the next eight bits of a value; *state starts as its hash. */
static inline uint32_t
bloom_next_word(uint64_t *state)
{
	*state *= BLOOM_WORD_STEP;
	return (uint32_t) (*state >> 32);
}

/* block_bits is a separate argument, so that the common size is a constant where this is inlined. */
static inline uint32_t
bloom_bit_of_word(uint32_t word, uint32_t index, uint32_t block_bits)
{
	return (uint32_t) (((uint64_t) (word * bloom_bit_step_power[index]) * block_bits) >> 32);
}

/* The result is bit 0; the higher bits are undefined. */
static inline uint64_t
bloom_bit_is_set(const uint8_t *block, uint32_t word, uint32_t index, uint32_t block_bits)
{
	uint32_t	bit = bloom_bit_of_word(word, index, block_bits);

	return load_le64(block + bit / BLOOM_WORD_BITS * sizeof(uint64_t)) >> (bit % BLOOM_WORD_BITS);
}

/*
 * Bits are tested four at a time, with no branch in between: in a filter at its capacity every second bit is clear,
 * and an unpredictable branch costs more than a few loads from a cached line. Four bits exclude 15 of 16 absent
 * values, so the branch after them is predictable.
 */
FILTER_ALWAYS_INLINE bool
bloom_bits_are_set(const uint8_t *block, uint32_t block_bits, uint32_t probes, uint64_t hash)
{
	uint32_t	word = bloom_next_word(&hash);
	bool		is_half_used = false;

	for (; probes >= BLOOM_PROBES_AT_ONCE; probes -= BLOOM_PROBES_AT_ONCE)
	{
		if ((bloom_bit_is_set(block, word, 0, block_bits) & bloom_bit_is_set(block, word, 1, block_bits) &
			 bloom_bit_is_set(block, word, 2, block_bits) & bloom_bit_is_set(block, word, 3, block_bits) & 1) == 0)
			return false;
		word = is_half_used ? bloom_next_word(&hash) : word * bloom_bit_step_power[BLOOM_PROBES_AT_ONCE];
		is_half_used = !is_half_used;
	}
	if ((probes & 2) != 0 &&
		(bloom_bit_is_set(block, word, 0, block_bits) & bloom_bit_is_set(block, word, 1, block_bits) & 1) == 0)
		return false;
	return (probes & 1) == 0 || (bloom_bit_is_set(block, word, probes - 1, block_bits) & 1) != 0;
}

/* The byte offset in the layer of the block of a hash. The block is layer->block_bits / 8 bytes long. */
static inline uint64_t
bloom_block_offset(const BloomLayer *layer, uint64_t hash)
{
	uint64_t	block = ((hash >> 32) * layer->blocks) >> 32;

	return block * (layer->block_bits / 8);
}

/*
 * Prefetch the block of a hash, for a later lookup or bloom_add; returns it. is_far: the layer is of FILTER_FAR_BYTES or
 * more. It must be a constant.
 */
FILTER_ALWAYS_INLINE const uint8_t *
bloom_prefetch(const BloomLayer *layer, bool is_far, uint64_t hash)
{
	const uint8_t *block = layer->bits + bloom_block_offset(layer, hash);

	/* Blocks are as long as a cache line, but an image seldom begins at the start of one. */
	filter_prefetch_from(is_far, block);
	filter_prefetch_from(is_far, block + layer->block_bits / 8 - 1);
	return block;
}

/* bloom_contains, given the block of the hash. */
FILTER_ALWAYS_INLINE bool
bloom_block_contains(const BloomLayer *layer, const uint8_t *block, uint64_t hash)
{
	if (layer->block_bits == BLOOM_BLOCK_BITS)
		return bloom_bits_are_set(block, BLOOM_BLOCK_BITS, layer->probes, hash);
	return bloom_bits_are_set(block, layer->block_bits, layer->probes, hash);
}

FILTER_ALWAYS_INLINE bool
bloom_contains(const BloomLayer *layer, uint64_t hash)
{
	return bloom_block_contains(layer, layer->bits + bloom_block_offset(layer, hash), hash);
}

#endif
