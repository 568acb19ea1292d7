/*
 * Lookups in a Bloom layer, inline: they take a few nanoseconds, so the cost of a call would be noticeable.
 *
 * The positions of a value's bits are part of the image format. The high half of the hash selects the block. The bits come
 * from 32-bit words, each the high half of a product of the whole hash, eight bits per word: word, word * BIT_STEP, word *
 * BIT_STEP^2, ... scaled to the block (the construction of RocksDB's FastLocalBloom). At the lowest rates a full block holds
 * values that agree in one word; taking a new word every eight bits keeps them from agreeing in all bits.
 */
#ifndef FILTER_BLOOM_INLINE_H
#define FILTER_BLOOM_INLINE_H

#include "core/arithmetic.h"
#include "core/bloom.h"
#include "core/bytes.h"

#define BLOOM_WORD_STEP			UINT64_C(0x9e3779b97f4a7c15)
#define BLOOM_PROBES_PER_WORD	8
#define BLOOM_PROBES_AT_ONCE	4

/* BIT_STEP^0 .. BIT_STEP^7, modulo 2^32. By this table, the bits of a word are computed independently of each other. */
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

/* The byte offset in the layer of the block of a hash. */
static inline uint64_t
bloom_block_offset(const BloomLayer *layer, uint64_t hash)
{
	uint64_t	block = ((hash >> 32) * layer->blocks) >> 32;

	return block * (layer->block_bits / 8);
}

/* Prefetch the block of a hash; returns it. is_far must be a constant: whether the layer has FILTER_FAR_BYTES or more. */
FILTER_ALWAYS_INLINE const uint8_t *
bloom_prefetch(const BloomLayer *layer, bool is_far, uint64_t hash)
{
	const uint8_t *block = layer->bits + bloom_block_offset(layer, hash);

	/* Blocks are as long as a cache line, but an image seldom begins at the start of one. */
	filter_prefetch_from(is_far, block);
	filter_prefetch_from(is_far, block + layer->block_bits / 8 - 1);
	return block;
}

/* Whether the layer contains a hash, given its block. */
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
