/*
 * The operations of core/bloom_kernels.c, in each of their variants for this CPU, have the results of the definition in
 * core/bloom_inline.h, and set the same bits, for every hash, block and number of probes.
 */
#include "core/bloom_inline.h"
#include "random.h"
#include "tap.h"

#include <string.h>

#define BLOCKS 64

static const uint64_t edge_hashes[] = {
	0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(0xffffffff00000000), UINT64_C(0x00000000ffffffff),
	UINT64_C(0x8000000000000000), UINT64_C(0x7fffffffffffffff), UINT64_C(0x0000000080000000), UINT64_C(0x5555555555555555)
};

#define EDGE_HASHES (sizeof(edge_hashes) / sizeof(edge_hashes[0]))
#define HASHES (EDGE_HASHES + 2000)

static uint64_t hashes[HASHES];

/* A fraction of `of` in 8 of the bits is set, so that single hashes have all of theirs set or nearly so. */
static void
fill(const BloomLayer *layer, Random *random, unsigned of)
{
	for (uint64_t i = 0; i < bloom_bytes(layer) * 8; i++)
		if (random_next(random) % 8 < of)
			layer->bits[i / 8] |= (uint8_t) (1 << i % 8);
}

/* Whether the bits of a hash are set, bit by bit. */
static bool
contains_bit_by_bit(const BloomLayer *layer, uint64_t hash)
{
	const uint8_t *block = layer->bits + bloom_block_offset(layer, hash);
	uint32_t	word = 0;
	bool		contains = true;

	for (uint32_t probe = 0; probe < layer->probes; probe++)
	{
		uint32_t	bit;

		if (probe % BLOOM_PROBES_PER_WORD == 0)
			word = bloom_next_word(&hash);
		bit = bloom_bit_of_word(word, probe % BLOOM_PROBES_PER_WORD, layer->block_bits);
		contains &= (block[bit / 8] >> bit % 8 & 1) != 0;
	}
	return contains;
}

static void
check_layer(const BloomLayer *layer, uint64_t *failed)
{
	LayerLookup contains = bloom_lookup(layer);
	size_t		differing = 0;

	for (size_t i = 0; i < HASHES; i++)
	{
		bool		expected = contains_bit_by_bit(layer, hashes[i]);

		differing += contains(layer, hashes[i]) != expected || bloom_contains(layer, hashes[i]) != expected;
	}
	if (differing > 0)
		wrong(failed, "%u probes: %u answers differ", layer->probes, (unsigned) differing);
}

/* Which hashes a layer contains: of the usual blocks, and of a single block of any size. */
static void
check_contained(const BloomLayer *layer, uint64_t *failed)
{
	static uint32_t index[HASHES];
	size_t		count = bloom_contained(layer, hashes, HASHES, index),
				expected = 0;

	for (uint32_t i = 0; i < HASHES; i++)
		if (contains_bit_by_bit(layer, hashes[i]) && (expected >= count || index[expected++] != i))
		{
			wrong(failed, "%u blocks of %u bits, %u probes: hash %u is not found", layer->blocks, layer->block_bits,
				  layer->probes, i);
			return;
		}
	if (expected != count)
		wrong(failed, "%u blocks of %u bits, %u probes: other hashes are found", layer->blocks, layer->block_bits, layer->probes);
}

/* bloom_add, bit by bit. */
static bool
add_bit_by_bit(const BloomLayer *layer, uint64_t hash)
{
	uint8_t    *block = layer->bits + bloom_block_offset(layer, hash);
	uint32_t	word = 0;
	bool		changed = false;

	for (uint32_t probe = 0; probe < layer->probes; probe++)
	{
		uint32_t	bit;

		if (probe % BLOOM_PROBES_PER_WORD == 0)
			word = bloom_next_word(&hash);
		bit = bloom_bit_of_word(word, probe % BLOOM_PROBES_PER_WORD, layer->block_bits);
		changed |= (block[bit / 8] >> bit % 8 & 1) == 0;
		block[bit / 8] |= (uint8_t) (1 << bit % 8);
	}
	return changed;
}

static uint64_t
count_bit_by_bit(const BloomLayer *layer)
{
	uint64_t	count = 0;

	for (uint64_t i = 0; i < bloom_bytes(layer) * 8; i++)
		count += layer->bits[i / 8] >> i % 8 & 1;
	return count;
}

/* Add the hashes to copies of the layer: bit by bit, one by one and all at once. */
static void
check_additions(const BloomLayer *layer, uint64_t *failed)
{
	size_t		bytes = (size_t) bloom_bytes(layer);
	uint8_t    *memory = zeroed_memory(3 * bytes + 1);
	BloomLayer	expected = *layer,
				one_by_one = *layer,
				at_once = *layer;
	size_t		changes = 0;
	size_t		differing = 0;

	expected.bits = memory;
	one_by_one.bits = memory + bytes;
	at_once.bits = memory + 2 * bytes + 1;
	for (int i = 0; i < 3; i++)
		memcpy(memory + (size_t) i * bytes + (i == 2), layer->bits, bytes);
	for (size_t i = 0; i < HASHES; i++)
	{
		bool		changed = add_bit_by_bit(&expected, hashes[i]);

		changes += changed;
		differing += bloom_add(&one_by_one, hashes[i]) != changed;
	}
	if (differing > 0 || memcmp(one_by_one.bits, expected.bits, bytes) != 0)
		wrong(failed, "%u probes: added one by one, %u results differ, or bits", layer->probes, (unsigned) differing);
	if (bloom_add_all(&at_once, hashes, HASHES) != changes || memcmp(at_once.bits, expected.bits, bytes) != 0)
		wrong(failed, "%u probes: added at once, the number of changes differs, or bits", layer->probes);
	if (filter_count_bits(expected.bits, bytes) != count_bit_by_bit(&expected))
		wrong(failed, "%u probes: another number of bits is counted", layer->probes);
	free(memory);
}

static void
test_every_number_of_probes(const char *variant)
{
	uint64_t	failed = 0;

	for (uint32_t probes = 1; probes <= BLOOM_MAX_PROBES; probes++)
		for (unsigned of = 0; of <= 8; of++)
		{
			Random		random = {probes * 100 + of};
			BloomLayer	layer = {BLOCKS, BLOOM_BLOCK_BITS, probes, NULL};
			/* At an odd address, as in an image, and with no memory after it. */
			uint8_t    *memory = zeroed_memory(bloom_bytes(&layer) + 1);

			layer.bits = memory + 1;
			fill(&layer, &random, of);
			for (size_t i = EDGE_HASHES; i < HASHES; i++)
				hashes[i] = random_next(&random);
			check_additions(&layer, &failed);
			/* Some are present in any layer. */
			for (size_t i = 0; i < HASHES; i += 5)
				(void) bloom_add(&layer, hashes[i]);
			check_layer(&layer, &failed);
			check_contained(&layer, &failed);
			free(memory);
		}
	none_wrong(failed, "%s: blocks of the common size", variant);
}

static void
test_single_blocks(const char *variant)
{
	uint64_t	failed = 0;

	for (uint32_t probes = 1; probes <= BLOOM_MAX_PROBES; probes++)
		for (uint32_t words = 1; words <= BLOOM_SMALL_BITS / BLOOM_WORD_BITS; words += words < 12 ? 1 : 29)
		{
			Random		random = {probes * 1000 + words};
			BloomLayer	layer = {1, words * BLOOM_WORD_BITS, probes, NULL};
			uint8_t    *memory = zeroed_memory(bloom_bytes(&layer) + 1);

			layer.bits = memory + 1;
			fill(&layer, &random, words % 9);
			check_additions(&layer, &failed);
			for (size_t i = 0; i < HASHES; i += 1 + words)
				(void) bloom_add(&layer, hashes[i]);
			check_layer(&layer, &failed);
			check_contained(&layer, &failed);
			free(memory);
		}
	none_wrong(failed, "%s: a single block of any size", variant);
}

static void
test_variant(const char *variant)
{
	test_every_number_of_probes(variant);
	test_single_blocks(variant);
}

int
main(void)
{
	for (size_t i = 0; i < EDGE_HASHES; i++)
		hashes[i] = edge_hashes[i];
#if FILTER_DETECTS_CPU
	if (filter_cpu_has_avx2)
		test_variant("AVX2");
	filter_cpu_has_avx2 = false;
	test_variant("plain C");
#else
	test_variant(FILTER_HAS_NEON ? "NEON" : "plain C");
#endif
	return done_testing();
}
