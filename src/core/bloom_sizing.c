/*
 * How many bits and probes a Bloom filter needs for a number of values and a rate. Some blocks have more values than others,
 * so the rate is a mean over a Poisson distribution, and higher than the textbook formula says.
 */
#include "core/bloom.h"

#include <math.h>

#define LN_2 0.69314718055994530942

/*
 * The load of a block is searched in whole steps of 1/256 value, so that machines whose math libraries differ in the last
 * digit still choose the same geometry.
 */
#define LOAD_STEPS 256

static double
bloom_power(double base, uint32_t exponent)
{
	double		result = 1.0;

	for (; exponent != 0; exponent >>= 1, base *= base)
		if (exponent & 1)
			result *= base;
	return result;
}

/*
 * E[(X / bits)^probes], where X is the number of bits set: a second-order Taylor expansion by the mean and variance of X /
 * bits, which follow from the probabilities that one given bit and two given bits are still clear.
 */
static double
block_rate(double bits, uint32_t probes, double one_clear, double two_clear)
{
	double		fraction = 1.0 - one_clear;
	double		variance = (two_clear * (bits - 1.0) + one_clear) / bits - one_clear * one_clear;

	if (fraction <= 0.0)
		return 0.0;
	if (variance < 0.0)
		variance = 0.0;
	return bloom_power(fraction, probes) * (1.0 + 0.5 * probes * (probes - 1.0) * variance / (fraction * fraction));
}

double
bloom_rate(const BloomLayer *layer, double values)
{
	double		bits = layer->block_bits;
	double		one_clear = bloom_power(1.0 - 1.0 / bits, layer->probes);
	double		two_clear = bloom_power(1.0 - 2.0 / bits, layer->probes);
	double		load = values / layer->blocks;
	double		chance,
				one = 1.0,
				two = 1.0,
				sum = 0.0;
	double		last;

	if (layer->blocks == 1)
		return fmin(1.0, block_rate(bits, layer->probes, pow(one_clear, values), pow(two_clear, values)));

	/* A higher load is certain to fill its blocks, and would underflow the first term (exp(-709) is no normal number). */
	if (load > 600.0)
		return 1.0;
	chance = exp(-load);
	last = load + 16.0 * sqrt(load) + 40.0;
	for (double in_block = 0.0; in_block <= last; in_block += 1.0)
	{
		sum += chance * block_rate(bits, layer->probes, one, two);
		chance *= load / (in_block + 1.0);
		one *= one_clear;
		two *= two_clear;
	}
	return fmin(1.0, sum);
}

/*
 * The rate of one block at the best number of probes near the textbook optimum. A block is a whole number of words
 * and may be too large for its values; then it gets no more probes than the rate requires.
 */
static double
best_small_rate(BloomLayer *layer, uint32_t values, double wanted)
{
	double		bits = layer->block_bits;
	double		ideal = fmin(bits / values * LN_2, ceil(-log(wanted) / LN_2));
	/* Probabilities that one given bit, and two given bits, are clear after one probe of each value. */
	double		one_clear = bloom_power(1.0 - 1.0 / bits, values);
	double		two_clear = bloom_power(1.0 - 2.0 / bits, values);
	double		best = 2.0;
	uint32_t	first = ideal >= BLOOM_MAX_PROBES ? BLOOM_MAX_PROBES - 1 : (uint32_t) ideal;

	for (uint32_t probes = first > 1 ? first - 1 : 1; probes <= first + 1 && probes <= BLOOM_MAX_PROBES; probes++)
	{
		double		rate = fmin(1.0, block_rate(bits, probes, bloom_power(one_clear, probes), bloom_power(two_clear, probes)));

		if (rate < best)
		{
			best = rate;
			layer->probes = probes;
		}
	}
	return best;
}

/*
 * A single block with the fewest words; zero words if BLOOM_SMALL_BITS do not suffice. The search starts at the textbook size,
 * which assumes a fractional number of probes and evenly filled bits. No block can be smaller, and few are much larger.
 */
static uint32_t
choose_small(uint32_t values, double rate, BloomLayer *layer)
{
	const uint32_t most = BLOOM_SMALL_BITS / BLOOM_WORD_BITS;
	double		textbook = -log(rate) / (LN_2 * LN_2) * values / BLOOM_WORD_BITS;

	layer->blocks = 1;
	for (uint32_t words = textbook < most ? (uint32_t) textbook + 1 : most; words <= most; words++)
	{
		layer->block_bits = words * BLOOM_WORD_BITS;
		if (best_small_rate(layer, values, rate) <= rate)
			return words;
	}
	return 0;
}

/* The largest load of full-size blocks, in steps, that keeps within the rate, and its number of probes. */
static uint32_t
choose_load(double rate, uint32_t *best_probes)
{
	BloomLayer	layer = {2, BLOOM_BLOCK_BITS, 1, NULL};
	double		textbook = -log(rate) / LN_2;
	uint32_t	best = 0;
	/* The best is 0.77 of the textbook's or more, at rates of 1e-7 to 0.06: trying much fewer only takes time. */
	uint32_t	first = textbook < 4.0 ? 1 : (uint32_t) (textbook * 0.4);

	*best_probes = 1;
	for (uint32_t probes = first; probes <= BLOOM_MAX_PROBES && probes <= textbook + 2.0; probes++)
	{
		uint32_t	low = best,
					high = BLOOM_BLOCK_BITS * LOAD_STEPS;

		layer.probes = probes;
		if (bloom_rate(&layer, 2.0 * (best + 1) / LOAD_STEPS) > rate)
			continue;
		while (high - low > 1)	/* a load of `low` is within the rate, or an earlier choice; `high` is not */
		{
			uint32_t	middle = low + (high - low) / 2;

			if (bloom_rate(&layer, 2.0 * middle / LOAD_STEPS) > rate)
				high = middle;
			else
				low = middle;
		}
		best = low;
		*best_probes = probes;
	}
	return best > 0 ? best : 1;
}

FilterStatus
bloom_choose_geometry(uint64_t capacity, double rate, BloomLayer *layer, double *bytes)
{
	uint32_t	load;
	double		blocks;

	/* A value needs at least one bit, so a larger capacity needs more than one block. */
	if (capacity <= BLOOM_SMALL_BITS && choose_small((uint32_t) capacity, rate, layer) != 0)
	{
		*bytes = layer->block_bits / 8;
		return FILTER_OK;
	}

	load = choose_load(rate, &layer->probes);
	blocks = ceil((double) capacity * LOAD_STEPS / load);
	if (blocks < 2.0)
		blocks = 2.0;
	*bytes = blocks * (BLOOM_BLOCK_BITS / 8);
	if (blocks > UINT32_MAX)
		return FILTER_TOO_LARGE;
	layer->blocks = (uint32_t) blocks;
	layer->block_bits = BLOOM_BLOCK_BITS;
	return FILTER_OK;
}
