/*
 * Bloom layers as a whole: validity, merging, and what the number of bits says about the number of values. Lookups and
 * additions, which use vectors, are in bloom_kernels.c.
 */
#include "core/bloom_inline.h"

#include "core/pause.h"

#include <math.h>

bool
bloom_geometry_is_valid(uint32_t blocks, uint32_t block_bits, uint32_t probes)
{
	if (blocks == 0 || probes == 0 || probes > BLOOM_MAX_PROBES)
		return false;
	if (blocks == 1)
		return block_bits > 0 && block_bits <= BLOOM_SMALL_BITS && block_bits % BLOOM_WORD_BITS == 0;
	return block_bits == BLOOM_BLOCK_BITS;
}

uint32_t
bloom_crowded_bits(const BloomLayer *layer, uint64_t capacity)
{
	double		bits = (double) layer->blocks * layer->block_bits;

	return (uint32_t) ceil((1.0 - exp(-(double) capacity * layer->probes / bits)) * layer->block_bits);
}

uint32_t
bloom_bits_set_in_block(const BloomLayer *layer, uint64_t hash)
{
	return (uint32_t) filter_count_bits(layer->bits + bloom_block_offset(layer, hash), layer->block_bits / 8);
}

/* The layer is in memory, so a size_t can count its words. */
static size_t
layer_words(const BloomLayer *layer)
{
	return (size_t) (bloom_bytes(layer) / 8);
}

uint64_t
bloom_bits_set(const BloomLayer *layer)
{
	size_t		words = layer_words(layer);
	uint64_t	count = 0;

	for (size_t i = 0, end; i < words; i = end)
	{
		end = filter_stride(i, words, FILTER_STRIDE_WORDS);
		count += filter_count_bits(layer->bits + i * 8, (end - i) * 8);
	}
	return count;
}

uint64_t
bloom_bits_set_in_any(const BloomLayer *layers, uint32_t count)
{
	size_t		words = layer_words(&layers[0]);
	uint64_t	set = 0;

	for (size_t i = 0; i < words;)
		for (size_t end = filter_stride(i, words, FILTER_STRIDE_WORDS); i < end; i++)
		{
			uint64_t	word = 0;

			for (uint32_t layer = 0; layer < count; layer++)
				word |= load_le64(layers[layer].bits + i * 8);
			set += filter_popcount_64(word);
		}
	return set;
}

void
bloom_merge(const BloomLayer *target, const BloomLayer *source, bool intersect)
{
	size_t		words = layer_words(target);

	for (size_t i = 0; i < words;)
		for (size_t end = filter_stride(i, words, FILTER_STRIDE_WORDS); i < end; i++)
		{
			uint64_t	a = load_le64(target->bits + i * 8);
			uint64_t	b = load_le64(source->bits + i * 8);

			store_le64(target->bits + i * 8, intersect ? a & b : a | b);
		}
}

double
bloom_cardinality(const BloomLayer *layer, uint64_t bits_set)
{
	double		bits = (double) layer->blocks * layer->block_bits;
	double		stays_clear = pow(1.0 - 1.0 / layer->block_bits, layer->probes);
	double		clear;

	/* A layer without a clear bit is overfull; assume half a clear bit, so that the estimate stays finite. */
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
		return pow((double) filter_count_bits(layer->bits, block_bytes) / layer->block_bits, layer->probes);

	for (uint32_t set = 0; set <= BLOOM_BLOCK_BITS; set++)
		rate_of[set] = pow((double) set / BLOOM_BLOCK_BITS, layer->probes);
	for (size_t block = 0; block < layer->blocks;)
		for (size_t end = filter_stride(block, layer->blocks, FILTER_STRIDE_HASHES); block < end; block++)
			sum += rate_of[filter_count_bits(layer->bits + block * block_bytes, (size_t) block_bytes)];
	return sum / layer->blocks;
}
