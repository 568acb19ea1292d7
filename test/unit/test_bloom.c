/*
 * One Bloom layer compared with a plain set of hashes, for many geometries.
 */
#include <math.h>
#include <string.h>

#include "core/bloom_inline.h"
#include "core/pause.h"
#include "random.h"
#include "tap.h"

/* A correct figure deviates by more than 5 standard deviations once in 3 million; with fixed seeds, it never does. */
#define SIGMAS 5.0

/* Hashes at which an index computed wrongly is likely to step outside. */
static const uint64_t edge_hashes[] = {
	0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(0xffffffff00000000), UINT64_C(0x00000000ffffffff),
	UINT64_C(0x8000000000000000), UINT64_C(0x7fffffffffffffff), UINT64_C(0x0000000080000000), UINT64_C(0x5555555555555555)
};

#define EDGE_HASHES (sizeof(edge_hashes) / sizeof(edge_hashes[0]))

static BloomLayer
create_layer(uint32_t blocks, uint32_t block_bits, uint32_t probes)
{
	BloomLayer	layer = {blocks, block_bits, probes, NULL};

	layer.bits = zeroed_memory(bloom_bytes(&layer));
	return layer;
}

static void
test_geometry_is_valid(void)
{
	uint64_t	failed = 0;

	for (uint32_t blocks = 0; blocks <= 3; blocks++)
		for (uint32_t bits = 0; bits <= 2 * BLOOM_SMALL_BITS; bits++)
			for (uint32_t probes = 0; probes <= 40; probes++)
			{
				bool		expected = blocks >= 1 && probes >= 1 && probes <= 32 &&
					(blocks == 1 ? bits >= 64 && bits <= 8192 && bits % 64 == 0 : bits == 512);

				if (bloom_geometry_is_valid(blocks, bits, probes) != expected)
					wrong(&failed, "%u blocks of %u bits, %u probes", blocks, bits, probes);
			}
	none_wrong(failed, "exactly the geometries of the format are valid");
	ok(bloom_geometry_is_valid(UINT32_MAX, 512, 32), "2^32 - 1 blocks are valid");
}

/*
 * Add random hashes and those at the edges to an empty layer. Added values are found at once and at the end; an add
 * reports whether the layer changed; counting bits agrees with counting them one by one.
 */
/* Adding many at once sets the same bits, and reports the same number of changes as one by one. */
static void
check_adding_all(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint64_t *failed)
{
	BloomLayer	single = *layer,
				together = *layer;
	size_t		changes = 0;

	single.bits = zeroed_memory(bloom_bytes(layer));
	together.bits = zeroed_memory(bloom_bytes(layer));
	for (size_t i = 0; i < count; i++)
		changes += bloom_add(&single, hashes[i]);
	if (bloom_add_all(&together, hashes, count) != changes)
		wrong(failed, "%u blocks of %u bits: adding together, another number of values reports a change", layer->blocks,
			  layer->block_bits);
	if (memcmp(single.bits, together.bits, bloom_bytes(layer)) != 0)
		wrong(failed, "%u blocks of %u bits: adding together sets other bits", layer->blocks, layer->block_bits);
	free(single.bits);
	free(together.bits);
}

static void
check_adding(const BloomLayer *layer, size_t count, uint64_t seed, uint64_t *failed)
{
	uint64_t   *hashes = zeroed_memory((EDGE_HASHES + count) * sizeof(uint64_t));
	Random		random = {seed};
	uint64_t	bits_set = 0;

	memcpy(hashes, edge_hashes, sizeof(edge_hashes));
	random_fill(&random, hashes + EDGE_HASHES, count);
	count += EDGE_HASHES;

	for (size_t i = 0; i < count; i++)
	{
		bool		was_there = bloom_contains(layer, hashes[i]);
		bool		changed;

		bloom_prefetch(layer, false, hashes[i]);
		changed = bloom_add(layer, hashes[i]);
		if (changed == was_there)
			wrong(failed, "%u blocks of %u bits: an add of a %s value reports that it changed %s", layer->blocks,
				  layer->block_bits, was_there ? "present" : "new", changed ? "something" : "nothing");
		if (!bloom_contains(layer, hashes[i]) || bloom_add(layer, hashes[i]))
			wrong(failed, "%u blocks of %u bits: an added value is not found", layer->blocks, layer->block_bits);
	}
	for (size_t i = 0; i < count; i++)
		if (!bloom_contains(layer, hashes[i]))
			wrong(failed, "%u blocks of %u bits, %u probes: value %u is lost", layer->blocks, layer->block_bits,
				  layer->probes, (unsigned) i);
	check_adding_all(layer, hashes, count, failed);

	for (uint64_t bit = 0; bit < 8 * bloom_bytes(layer); bit++)
		bits_set += layer->bits[bit / 8] >> (bit % 8) & 1;
	if (bloom_bits_set(layer) != bits_set)
		wrong(failed, "%u blocks of %u bits: %" PRIu64 " bits are set, counted as %" PRIu64, layer->blocks,
			  layer->block_bits, bits_set, bloom_bits_set(layer));
	if (bits_set > count * layer->probes)
		wrong(failed, "%u blocks of %u bits: more bits are set than %u values have", layer->blocks, layer->block_bits,
			  (unsigned) count);
	free(hashes);
}

/* A lookup in a copy of a block, in memory of its size, has the same result as one in the layer. */
static void
check_block_alone(const BloomLayer *layer, uint64_t seed, uint64_t *failed)
{
	uint64_t	block_bytes = layer->block_bits / 8;
	uint8_t    *block = zeroed_memory(block_bytes);
	Random		random = {seed};

	/* Probe the members again, and as many other values. */
	for (size_t i = 0; i < 400; i++)
	{
		uint64_t	hash = i < EDGE_HASHES ? edge_hashes[i] : random_next(&random);
		uint64_t	offset = bloom_block_offset(layer, hash);

		if (offset % block_bytes != 0 || offset + block_bytes > bloom_bytes(layer))
		{
			wrong(failed, "%u blocks of %u bits: a block begins at byte %" PRIu64, layer->blocks, layer->block_bits,
				  offset);
			continue;
		}
		memcpy(block, layer->bits + offset, (size_t) block_bytes);
		if (bloom_block_contains(layer, block, hash) != bloom_contains(layer, hash))
			wrong(failed, "%u blocks of %u bits: a lookup in a block and one in the layer differ", layer->blocks,
				  layer->block_bits);
	}
	free(block);
}

static void
test_single_blocks(void)
{
	uint64_t	failed = 0;

	for (uint32_t bits = 64; bits <= BLOOM_SMALL_BITS; bits += 64)
		for (uint32_t probes = 1; probes <= BLOOM_MAX_PROBES; probes += probes < 10 ? 1 : 11)
		{
			BloomLayer	layer = create_layer(1, bits, probes);

			check_adding(&layer, bits / 10, bits + probes, &failed);
			check_block_alone(&layer, bits + probes, &failed);
			free(layer.bits);
		}
	none_wrong(failed, "single blocks of every size lose nothing");
}

static void
test_many_blocks(void)
{
	static const uint32_t blocks[] = {2, 3, 4, 5, 7, 8, 31, 100, 257, 4096, 10007, 65537};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		for (uint32_t probes = 1; probes <= BLOOM_MAX_PROBES; probes += blocks[i] > 5000 ? 13 : 3)
		{
			BloomLayer	layer = create_layer(blocks[i], BLOOM_BLOCK_BITS, probes);

			check_adding(&layer, blocks[i] < 1000 ? 50 * blocks[i] : 100000, blocks[i] + probes, &failed);
			check_block_alone(&layer, blocks[i] + probes, &failed);
			free(layer.bits);
		}
	none_wrong(failed, "many blocks lose nothing");
}

/* Values are spread evenly over all blocks, including the first and the last, and over all bits of a block. */
static void
test_spread(void)
{
	enum
	{
		BLOCKS = 37
	};
	uint64_t	values = repeats(370000);
	BloomLayer	layer = create_layer(BLOCKS, BLOOM_BLOCK_BITS, 8);
	uint64_t	in_block[BLOCKS] = {0};
	uint64_t	at_bit[BLOOM_BLOCK_BITS] = {0};
	uint64_t	all_bits = 0;
	uint64_t	failed = 0;
	Random		random = {5};
	double		expected;

	for (uint64_t i = 0; i < values; i++)
	{
		uint64_t	blocks_touched = 0;

		(void) bloom_add(&layer, random_next(&random));
		for (uint32_t block = 0; block < BLOCKS; block++)
		{
			uint8_t    *bytes = layer.bits + block * (BLOOM_BLOCK_BITS / 8);
			bool		touched = false;

			for (uint32_t byte = 0; byte < BLOOM_BLOCK_BITS / 8; byte++)
			{
				for (uint32_t bit = 0; bytes[byte] != 0 && bit < 8; bit++)
					if (bytes[byte] >> bit & 1)
					{
						touched = true;
						at_bit[8 * byte + bit]++;
						all_bits++;
					}
				bytes[byte] = 0;
			}
			in_block[block] += touched;
			blocks_touched += touched;
		}
		if (blocks_touched != 1)
			wrong(&failed, "a value sets bits in %" PRIu64 " blocks", blocks_touched);
	}
	none_wrong(failed, "all bits of a value lie in one block");

	failed = 0;
	expected = (double) values / BLOCKS;
	for (uint32_t block = 0; block < BLOCKS; block++)
		if (fabs((double) in_block[block] - expected) > SIGMAS * sqrt(expected))
			wrong(&failed, "block %u has %" PRIu64 " values, not %.0f", block, in_block[block], expected);
	none_wrong(failed, "values are spread evenly over the blocks");

	failed = 0;
	expected = (double) all_bits / BLOOM_BLOCK_BITS;
	for (uint32_t bit = 0; bit < BLOOM_BLOCK_BITS; bit++)
		if (fabs((double) at_bit[bit] - expected) > SIGMAS * sqrt(expected))
			wrong(&failed, "bit %u was set %" PRIu64 " times, not %.0f", bit, at_bit[bit], expected);
	none_wrong(failed, "every bit of a block is set equally often");
	free(layer.bits);
}

/* A layer with the values first .. last - 1 of a list. */
static BloomLayer
layer_of(uint32_t blocks, uint32_t block_bits, uint32_t probes, const uint64_t *hashes, size_t first, size_t last)
{
	BloomLayer	layer = create_layer(blocks, block_bits, probes);

	for (size_t i = first; i < last; i++)
		(void) bloom_add(&layer, hashes[i]);
	return layer;
}

static bool
same_bits(const BloomLayer *a, const BloomLayer *b)
{
	return memcmp(a->bits, b->bits, (size_t) bloom_bytes(a)) == 0;
}

/* Whether every bit of a is set in b. */
static bool
is_subset(const BloomLayer *a, const BloomLayer *b)
{
	for (uint64_t i = 0; i < bloom_bytes(a); i++)
		if (a->bits[i] & ~b->bits[i])
			return false;
	return true;
}

/* Sets [0, 600) and [400, 1000) of a list of values. */
static void
check_merging(uint32_t blocks, uint32_t block_bits, uint32_t probes, uint64_t *failed_union, uint64_t *failed_common)
{
	uint64_t	hashes[1000];
	Random		random = {blocks + block_bits + probes};
	BloomLayer	left,
				right,
				both,
				common,
				left_before,
				right_before;

	random_fill(&random, hashes, 1000);
	left = layer_of(blocks, block_bits, probes, hashes, 0, 600);
	right = layer_of(blocks, block_bits, probes, hashes, 400, 1000);
	both = layer_of(blocks, block_bits, probes, hashes, 0, 1000);
	common = layer_of(blocks, block_bits, probes, hashes, 400, 600);
	left_before = layer_of(blocks, block_bits, probes, hashes, 0, 600);
	right_before = layer_of(blocks, block_bits, probes, hashes, 400, 1000);

	if (bloom_bits_set_in_any((const BloomLayer[]) {left, right}, 2) != bloom_bits_set(&both) ||
		bloom_bits_set_in_any((const BloomLayer[]) {common, left, right}, 3) != bloom_bits_set(&both) ||
		bloom_bits_set_in_any(&left, 1) != bloom_bits_set(&left) ||
		!same_bits(&left, &left_before) || !same_bits(&right, &right_before))
		wrong(failed_union, "%u blocks of %u bits: number of bits set in a union", blocks, block_bits);

	bloom_merge(&left, &right, false);
	if (!same_bits(&left, &both) || !same_bits(&right, &right_before))
		wrong(failed_union, "%u blocks of %u bits: union", blocks, block_bits);

	memcpy(left.bits, left_before.bits, (size_t) bloom_bytes(&left));
	bloom_merge(&left, &right, true);
	for (size_t i = 400; i < 600; i++)
		if (!bloom_contains(&left, hashes[i]))
			wrong(failed_common, "%u blocks of %u bits: a common value is lost", blocks, block_bits);
	if (!is_subset(&common, &left) || !is_subset(&left, &left_before) || !is_subset(&left, &right) ||
		!same_bits(&right, &right_before))
		wrong(failed_common, "%u blocks of %u bits: intersection", blocks, block_bits);
	for (uint64_t i = 0; i < bloom_bytes(&left); i++)
		if (left.bits[i] != (left_before.bits[i] & right.bits[i]))
			wrong(failed_common, "%u blocks of %u bits: byte %u", blocks, block_bits, (unsigned) i);

	free(left.bits);
	free(right.bits);
	free(both.bits);
	free(common.bits);
	free(left_before.bits);
	free(right_before.bits);
}

static void
test_merging(void)
{
	uint64_t	failed_union = 0;
	uint64_t	failed_common = 0;

	for (uint32_t bits = 64; bits <= BLOOM_SMALL_BITS; bits += 64)
		check_merging(1, bits, 1 + bits / 64 % 10, &failed_union, &failed_common);
	for (uint32_t blocks = 2; blocks < 60; blocks++)
		check_merging(blocks, BLOOM_BLOCK_BITS, 1 + blocks % 10, &failed_union, &failed_common);
	none_wrong(failed_union, "a union is equal to the filter of all values, byte for byte");
	none_wrong(failed_common, "an intersection has the bits that both have, and contains every common value");
}

/*
 * The estimate from the bits has a standard deviation below that of a Poisson count, sqrt(values), up to 1.5 times the
 * number of values that a layer is made for.
 */
static void
check_cardinality(uint64_t capacity, double rate, uint64_t *failed)
{
	static const double fills[] = {0.1, 0.5, 1.0, 1.5};
	BloomLayer	geometry;
	double		bytes;
	BloomLayer	layer;
	Random		random = {capacity};
	uint64_t	values = 0;

	if (bloom_choose_geometry(capacity, rate, &geometry, &bytes) != FILTER_OK)
		bail_out("no geometry");
	layer = create_layer(geometry.blocks, geometry.block_bits, geometry.probes);
	for (int i = 0; i < 4; i++)
	{
		double		estimate;

		for (; (double) values < fills[i] * (double) capacity; values++)
			(void) bloom_add(&layer, random_next(&random));
		estimate = bloom_cardinality(&layer, bloom_bits_set(&layer));
		if (!(fabs(estimate - (double) values) <= SIGMAS * sqrt((double) values)))
			wrong(failed, "%" PRIu64 " values at a rate of %g are estimated as %.1f", values, rate, estimate);
	}
	free(layer.bits);
}

static void
test_cardinality(void)
{
	static const uint64_t capacities[] = {1, 2, 5, 10, 100, 500, 1000, 2000, 10000, 100000, 1000000};
	static const double rates[] = {0.3, 0.03, 0.01, 0.001, 1e-5};
	uint64_t	failed = 0;
	BloomLayer	layer;

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
		for (size_t j = 0; j < sizeof(rates) / sizeof(rates[0]); j++)
			check_cardinality(capacities[i], rates[j], &failed);
	none_wrong(failed, "cardinality: within %.0f * sqrt(values) of the number of values", SIGMAS);

	layer = create_layer(100, BLOOM_BLOCK_BITS, 5);
	ok(bloom_cardinality(&layer, 0) == 0.0, "cardinality: 0 of an empty layer");
	ok(isfinite(bloom_cardinality(&layer, 51200)) &&
	   bloom_cardinality(&layer, 51200) > bloom_cardinality(&layer, 51199),
	   "cardinality: a full layer has more than any other, but not infinitely many");
	free(layer.bits);
}

/*
 * The rate computed from the bits, compared with the measured rate. The formula assumes that the probes of a value are
 * independent. Those of one word are steps of a product instead, which changes the rate by a few percent.
 */
static void
check_rate_now(uint64_t capacity, double rate, uint64_t *failed)
{
	enum
	{
		PROBES = 400000
	};
	BloomLayer	geometry;
	double		bytes,
				expected,
				allowed;
	BloomLayer	layer;
	Random		random = {capacity};
	uint64_t	found = 0;

	if (bloom_choose_geometry(capacity, rate, &geometry, &bytes) != FILTER_OK)
		bail_out("no geometry");
	layer = create_layer(geometry.blocks, geometry.block_bits, geometry.probes);
	for (uint64_t i = 0; i < capacity; i++)
		(void) bloom_add(&layer, random_next(&random));
	for (int i = 0; i < PROBES; i++)
		found += bloom_contains(&layer, random_next(&random));
	expected = PROBES * bloom_rate_now(&layer);
	allowed = SIGMAS * sqrt(expected) + 0.05 * expected + 1.0;
	if (!(fabs((double) found - expected) <= allowed))
		wrong(failed, "%" PRIu64 " values at a rate of %g: %" PRIu64 " found, %.0f expected, give or take %.0f", capacity,
			  rate, found, expected, allowed);
	free(layer.bits);
}

static void
test_rate_now(void)
{
	static const uint64_t capacities[] = {10, 100, 500, 1000, 2000, 10000, 200000};
	static const double rates[] = {0.5, 0.1, 0.03, 0.01, 0.001};
	uint64_t	failed = 0;
	BloomLayer	single = create_layer(1, 4096, 5);
	BloomLayer	several = create_layer(10, BLOOM_BLOCK_BITS, 5);

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
		for (size_t j = 0; j < sizeof(rates) / sizeof(rates[0]); j++)
			check_rate_now(capacities[i], rates[j], &failed);
	none_wrong(failed, "rate now: within 5%% plus %.0f standard deviations of the measured rate", SIGMAS);

	ok(bloom_rate_now(&single) == 0.0 && bloom_rate_now(&several) == 0.0, "rate now: 0 of empty layers");
	memset(single.bits, 0xff, (size_t) bloom_bytes(&single));
	memset(several.bits, 0xff, (size_t) bloom_bytes(&several));
	ok(bloom_rate_now(&single) == 1.0 && bloom_rate_now(&several) == 1.0, "rate now: 1 of full layers");
	free(single.bits);
	free(several.bits);
}

static void
test_ends(void)
{
	uint64_t	failed = 0;
	Random		random = {7};

	for (uint32_t blocks = 1; blocks <= 9; blocks += 8)
	{
		BloomLayer	layer = create_layer(blocks, BLOOM_BLOCK_BITS, 6);

		for (int i = 0; i < 1000; i++)
			if (bloom_contains(&layer, random_next(&random)))
				wrong(&failed, "an empty layer contains a value");
		memset(layer.bits, 0xff, (size_t) bloom_bytes(&layer));
		for (int i = 0; i < 1000; i++)
			if (!bloom_contains(&layer, random_next(&random)) || bloom_add(&layer, random_next(&random)))
				wrong(&failed, "a full layer does not contain a value");
		free(layer.bits);
	}
	none_wrong(failed, "an empty layer contains nothing, a full one everything");
}

/* Few blocks of a layer are crowded well below its capacity, about half at its capacity, and all far beyond it. */
static void
test_crowded(void)
{
	enum
	{
		BLOCKS = 1000
	};
	static const double fills[] = {0.0, 0.5, 1.0, 2.0};
	static const double least[] = {0.0, 0.0, 0.4, 0.99};
	static const double most[] = {0.0, 0.01, 0.6, 1.0};
	BloomLayer	layer = create_layer(BLOCKS, BLOOM_BLOCK_BITS, 6);
	uint64_t	capacity = 50 * BLOCKS;
	uint64_t	values = 0;
	Random		random = {9};

	for (int i = 0; i < 4; i++)
	{
		double		crowded = 0.0;

		for (; (double) values < fills[i] * (double) capacity; values++)
			(void) bloom_add(&layer, random_next(&random));
		for (uint64_t block = 0; block < BLOCKS; block++)
			crowded += bloom_bits_set_in_block(&layer, ((block << 32) + (UINT64_C(1) << 31)) / BLOCKS << 32) >=
				bloom_crowded_bits(&layer, capacity);
		crowded /= BLOCKS;
		if (!ok(crowded >= least[i] && crowded <= most[i], "crowded blocks at %g times the capacity", fills[i]))
			diag("%.3f of the blocks, not %g to %g", crowded, least[i], most[i]);
	}
	free(layer.bits);
}

/* Adding values in another order results in the same bytes. */
static void
test_order(void)
{
	uint64_t	hashes[500];
	Random		random = {11};
	BloomLayer	forwards,
				backwards = create_layer(13, BLOOM_BLOCK_BITS, 7);

	random_fill(&random, hashes, 500);
	forwards = layer_of(13, BLOOM_BLOCK_BITS, 7, hashes, 0, 500);
	for (size_t i = 500; i-- > 0;)
		(void) bloom_add(&backwards, hashes[i]);
	ok(same_bits(&forwards, &backwards), "the order of adding does not matter");
	free(forwards.bits);
	free(backwards.bits);
}

int
main(void)
{
	test_geometry_is_valid();
	test_single_blocks();
	test_many_blocks();
	test_spread();
	test_ends();
	test_order();
	test_merging();
	test_cardinality();
	test_rate_now();
	test_crowded();
	return done_testing();
}
