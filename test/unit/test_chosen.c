/*
 * The false positive rates of filters whose values were chosen so that as many other values as possible look like one
 * of them: docs/security.md states them.
 */
#include <math.h>

#include "core/bloom.h"
#include "core/cuckoo.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#define RATES 10
static const double rates[RATES] = {0.5, 0.3, 0.1, 0.03, 0.01, 0.005, 0.001, 1e-4, 1e-5, 1e-7};

/*
 * Cuckoo filters: no two values are of one class, and as many as possible have fingerprint 1, which stands for two.
 */

/* The n-th value: fingerprint 1 in every lower window of the layer, then 2 in every one, and so on. */
static uint64_t
chosen_hash(const CuckooLayer *layer, uint64_t n)
{
	uint64_t	windows = (uint64_t) layer->pages * layer->windows;
	uint64_t	fingerprint = 1 + n / windows % ((UINT64_C(1) << (layer->slot_bits - 1)) - 1);
	double		at = ((double) (n % windows) + 0.5) / (double) windows;

	return (uint64_t) ldexp(at, 32) << 32 | fingerprint << layer->fingerprint_shift;
}

/* The probability that a random hash is of a class that the only layer has. */
static double
exact_rate(const FilterView *filter)
{
	CuckooLayer layer = filter_cuckoo_layer(filter, 0);
	uint64_t	windows = (uint64_t) layer.pages * layer.windows;
	uint64_t	fingerprints = UINT64_C(1) << (layer.slot_bits - 1);
	uint64_t	found = 0;

	for (uint64_t n = 0; n < windows * (fingerprints - 1); n++)
		found += filter_contains(filter, chosen_hash(&layer, n)) ? n < windows ? 2 : 1 : 0;
	return (double) found / (double) (windows * fingerprints);
}

/* By formula: each window has so many values of the capacity, and one of fingerprint 1. */
static double
highest_rate(const FilterLayer *layer)
{
	double		windows = (double) layer->count * layer->size;
	double		met = (double) layer->capacity / windows;

	return ldexp(met + fmin(met, 1.0), 1 - (int) layer->width);
}

static void
test_within_capacity(void)
{
	uint64_t	above = 0,
				wrong_formulas = 0;

	for (int i = 0; i < RATES; i++)
		for (uint64_t capacity = 1; capacity < 100000000; capacity += 1 + capacity / 8)
		{
			FilterHeader plan;
			double		highest;
			double		bytes;

			(void) filter_init(&plan, FILTER_CUCKOO, rates[i]);
			if (filter_append_layer(&plan, capacity, &bytes) != FILTER_OK)
				bail_out("a layer has no geometry");
			highest = highest_rate(&plan.layer[0]);
			if (highest > 1.5 * rates[i])
				wrong(&above, "capacity %" PRIu64 ": %g, not %g", capacity, highest, rates[i]);
			if (capacity <= 40 && plan.layer[0].width <= 13)
			{
				OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, rates[i]);
				CuckooLayer layer = filter_cuckoo_layer(&owned.filter, 0);
				double		exact;

				for (uint64_t n = 0; n < capacity; n++)
					if (owned_filter_add(&owned, chosen_hash(&layer, n), false) != FILTER_OK)
						bail_out("a value cannot be added");
				exact = exact_rate(&owned.filter);
				if (owned.filter.header.layers > 1 || fabs(exact - highest) > 1e-9)
					wrong(&wrong_formulas, "capacity %" PRIu64 ", rate %g: %g, by formula %g, in %u layers", capacity, rates[i],
						  exact, highest, owned.filter.header.layers);
				owned_filter_free(&owned);
			}
		}
	none_wrong(wrong_formulas, "cuckoo: the formula for chosen values is right");
	none_wrong(above, "cuckoo: chosen values up to the capacity have at most 1.5 times the rate");
}

/* Full filters, also of several layers, which have more values than their capacity. */
static void
test_full(void)
{
	enum {LAYERS = 4};
	int			lookups = (int) repeats(400000);
	static const uint64_t capacities[] = {1, 2, 5, 10, 50, 100, 230, 500, 1000, 10000};
	Random		absent = {1};
	uint64_t	above = 0;

	for (int i = 0; i < 7; i++)
		for (size_t j = 0; j < sizeof(capacities) / sizeof(capacities[0]) && capacities[j] <= repeats(10000); j++)
		{
			OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacities[j], rates[i]);

			for (uint32_t layers = 1; layers <= LAYERS; layers++)
			{
				CuckooLayer newest = filter_cuckoo_layer(&owned.filter, layers - 1);
				uint64_t	found = 0;
				bool		changed;
				double		expected = 2.0 * rates[i] * lookups;

				for (uint64_t n = 0; filter_add(&owned.filter, chosen_hash(&newest, n), true, &changed) == FILTER_OK; n++)
					;
				for (int n = 0; n < lookups; n++)
					found += filter_contains(&owned.filter, random_next(&absent));
				if ((double) found > expected + 5.0 * sqrt(expected))
					wrong(&above, "rate %g, capacity %" PRIu64 ", %u layers: %" PRIu64 " of %d", rates[i], capacities[j], layers,
						  found, lookups);
				if (owned_filter_grow(&owned, 0) != FILTER_OK)
					bail_out("a filter does not grow");
			}
			owned_filter_free(&owned);
		}
	none_wrong(above, "cuckoo: as many chosen values as a filter takes have at most twice the rate, in up to %d layers", LAYERS);
}

/* Bloom filters: all values are of a part of the blocks, which they fill, with up to twice the capacity. */
static void
test_blocks(void)
{
	int			capacity = (int) repeats(100000);
	int			lookups = capacity;
	static const double parts[] = {0.5, 0.3, 0.2};
	uint64_t	above = 0;

	for (int i = 0; i < RATES; i++)
		for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++)
		{
			Random		random = {1};
			OwnedFilter owned = owned_filter_create(FILTER_BLOOM, (uint64_t) capacity, rates[i]);

			for (int values = 1; values <= 2 * capacity; values++)
			{
				uint64_t	found = 0;

				(void) owned_filter_add(&owned, (uint64_t) (parts[j] * (double) random_next(&random)), false);
				if (values % capacity != 0)
					continue;
				for (int n = 0; n < lookups; n++)
					found += filter_contains(&owned.filter, random_next(&random));
				if ((double) found > (0.35 + rates[i]) * lookups)
					wrong(&above, "rate %g, %d values in %g of the blocks: %" PRIu64 " of %d", rates[i], values, parts[j], found,
						  lookups);
			}
			owned_filter_free(&owned);
		}
	none_wrong(above, "bloom: values of a part of the blocks have a rate of at most 0.35 more than requested");
}

int
main(void)
{
	test_within_capacity();
	test_full();
	test_blocks();
	return done_testing();
}
