#include "core/bloom.h"

#include "core/arithmetic.h"
#include "core/bytes.h"

#include <math.h>

/*
 * Where the bits of a value lie is part of the image format. The high half of the hash picks the block. The bits come
 * from 32-bit words, each the high half of a product of the whole hash, eight bits a word: word, word * BIT_STEP,
 * word * BIT_STEP^2, ... scaled to the block (the construction of RocksDB's FastLocalBloom). A new word every eight
 * bits keeps values that agree in one word, of which a full block has some at the lowest rates, from agreeing in all.
 */
#define WORD_STEP		UINT64_C(0x9e3779b97f4a7c15)
#define BIT_STEP		UINT32_C(0x9e3779b9)
#define PROBES_PER_WORD	8

bool
bloom_geometry_is_valid(uint32_t blocks, uint32_t block_bits, uint32_t probes)
{
	if (blocks == 0 || probes == 0 || probes > BLOOM_MAX_PROBES)
		return false;
	if (blocks == 1)
		return block_bits > 0 && block_bits <= BLOOM_SMALL_BITS && block_bits % BLOOM_WORD_BITS == 0;
	return block_bits == BLOOM_BLOCK_BITS;
}

uint64_t
bloom_bytes(const BloomLayer *layer)
{
	return (uint64_t) layer->blocks * (layer->block_bits / 8);
}

static inline uint64_t
block_offset(const BloomLayer *layer, uint64_t hash)
{
	uint64_t	block = ((hash >> 32) * layer->blocks) >> 32;

	return block * (layer->block_bits / 8);
}

static inline uint8_t *
block_of(const BloomLayer *layer, uint64_t hash)
{
	return layer->bits + block_offset(layer, hash);
}

/* BIT_STEP^0 .. BIT_STEP^7, modulo 2^32: taken from a table, the bits of a word do not wait for one another. */
static const uint32_t bit_step_power[PROBES_PER_WORD] = {
	UINT32_C(0x00000001), UINT32_C(0x9e3779b9), UINT32_C(0xe35e67b1), UINT32_C(0x734297e9),
	UINT32_C(0x35fbe861), UINT32_C(0xdeb7c719), UINT32_C(0x0448b211), UINT32_C(0x3459b749)
};

/* The word of the next eight bits of a value; *state starts as its hash. */
static inline uint32_t
next_word(uint64_t *state)
{
	*state *= WORD_STEP;
	return (uint32_t) (*state >> 32);
}

/* block_bits is passed apart from the layer so that the common size is a constant where this is inlined. */
static inline uint32_t
bit_of_word(uint32_t word, uint32_t index, uint32_t block_bits)
{
	return (uint32_t) (((uint64_t) (word * bit_step_power[index]) * block_bits) >> 32);
}

/*
 * All bits of a word are looked at, without a branch between them: in a filter at its capacity every second one is clear,
 * and a branch that cannot be predicted costs more than a few loads from a line that is there.
 */
static inline bool
block_contains(const uint8_t *block, uint32_t block_bits, uint32_t probes, uint64_t hash)
{
	for (uint32_t first = 0; first < probes; first += PROBES_PER_WORD)
	{
		uint32_t	word = next_word(&hash);
		uint32_t	count = probes - first < PROBES_PER_WORD ? probes - first : PROBES_PER_WORD;
		uint32_t	set = 1;

		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t	bit = bit_of_word(word, i, block_bits);

			set &= (uint32_t) block[bit >> 3] >> (bit & 7);
		}
		if (set == 0)
			return false;
	}
	return true;
}

static inline bool
block_add(uint8_t *block, uint32_t block_bits, uint32_t probes, uint64_t hash)
{
	uint32_t	clear = 0;

	for (uint32_t first = 0; first < probes; first += PROBES_PER_WORD)
	{
		uint32_t	word = next_word(&hash);
		uint32_t	count = probes - first < PROBES_PER_WORD ? probes - first : PROBES_PER_WORD;

		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t	bit = bit_of_word(word, i, block_bits);

			clear |= ~((uint32_t) block[bit >> 3] >> (bit & 7)) & 1;
			block[bit >> 3] = (uint8_t) (block[bit >> 3] | 1U << (bit & 7));
		}
	}
	return clear != 0;
}

void
bloom_prefetch(const BloomLayer *layer, uint64_t hash)
{
	const uint8_t *block = block_of(layer, hash);

	/* Blocks are as long as a cache line, but images seldom begin where one does. */
	filter_prefetch(block);
	filter_prefetch(block + layer->block_bits / 8 - 1);
}

uint64_t
bloom_block_offset(const BloomLayer *layer, uint64_t hash)
{
	return block_offset(layer, hash);
}

bool
bloom_block_contains(const BloomLayer *layer, const uint8_t *block, uint64_t hash)
{
	if (layer->block_bits == BLOOM_BLOCK_BITS)
		return block_contains(block, BLOOM_BLOCK_BITS, layer->probes, hash);
	return block_contains(block, layer->block_bits, layer->probes, hash);
}

bool
bloom_contains(const BloomLayer *layer, uint64_t hash)
{
	return bloom_block_contains(layer, block_of(layer, hash), hash);
}

bool
bloom_add(const BloomLayer *layer, uint64_t hash)
{
	uint8_t    *block = block_of(layer, hash);

	if (layer->block_bits == BLOOM_BLOCK_BITS)
		return block_add(block, BLOOM_BLOCK_BITS, layer->probes, hash);
	return block_add(block, layer->block_bits, layer->probes, hash);
}

static uint64_t
count_bits(const uint8_t *bits, uint64_t bytes)
{
	uint64_t	count = 0;

	for (uint64_t i = 0; i < bytes; i += 8)
		count += filter_popcount_64(load_le64(bits + i));
	return count;
}

bool
bloom_block_is_crowded(const BloomLayer *layer, uint64_t capacity, uint64_t hash)
{
	double		bits = (double) layer->blocks * layer->block_bits;
	double		expected_share = 1.0 - exp(-(double) capacity * layer->probes / bits);
	uint64_t	set = count_bits(block_of(layer, hash), layer->block_bits / 8);

	return (double) set >= expected_share * layer->block_bits;
}

uint64_t
bloom_bits_set(const BloomLayer *layer)
{
	return count_bits(layer->bits, bloom_bytes(layer));
}

uint64_t
bloom_bits_set_in_union(const BloomLayer *a, const BloomLayer *b)
{
	uint64_t	count = 0;
	uint64_t	bytes = bloom_bytes(a);

	for (uint64_t i = 0; i < bytes; i += 8)
		count += filter_popcount_64(load_le64(a->bits + i) | load_le64(b->bits + i));
	return count;
}

void
bloom_unite(const BloomLayer *target, const BloomLayer *source)
{
	uint64_t	bytes = bloom_bytes(target);

	for (uint64_t i = 0; i < bytes; i += 8)
		store_le64(target->bits + i, load_le64(target->bits + i) | load_le64(source->bits + i));
}

void
bloom_intersect(const BloomLayer *target, const BloomLayer *source)
{
	uint64_t	bytes = bloom_bytes(target);

	for (uint64_t i = 0; i < bytes; i += 8)
		store_le64(target->bits + i, load_le64(target->bits + i) & load_le64(source->bits + i));
}

double
bloom_cardinality(const BloomLayer *layer, uint64_t bits_set)
{
	double		bits = (double) layer->blocks * layer->block_bits;
	double		stays_clear = pow(1.0 - 1.0 / layer->block_bits, layer->probes);
	double		clear;

	/* A layer without a clear bit tells only that it is overfull; half a bit stands in for the missing one. */
	clear = bits_set < (uint64_t) bits ? (bits - (double) bits_set) / bits : 0.5 / bits;

	if (layer->blocks == 1)
		return log(clear) / log(stays_clear);
	return -log(clear) / (1.0 - stays_clear) * layer->blocks;
}

double
bloom_rate_now(const BloomLayer *layer)
{
	double		rate_of[BLOOM_BLOCK_BITS + 1];
	double		sum = 0.0;
	uint64_t	block_bytes = layer->block_bits / 8;

	if (layer->blocks == 1)
		return pow((double) count_bits(layer->bits, block_bytes) / layer->block_bits, layer->probes);

	for (uint32_t set = 0; set <= BLOOM_BLOCK_BITS; set++)
		rate_of[set] = pow((double) set / BLOOM_BLOCK_BITS, layer->probes);
	for (uint64_t block = 0; block < layer->blocks; block++)
		sum += rate_of[count_bits(layer->bits + block * block_bytes, block_bytes)];
	return sum / layer->blocks;
}
