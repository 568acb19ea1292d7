/*
 * What filters report of themselves: capacity, rate, fill, and the estimate of a cardinality.
 */
#include <math.h>

#include "core/layers.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

static void
test_figures(void)
{
	Filter		filter;
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, 1000, 0.01);
	double		rate = 0.0;
	bool		rises = true;
	Random		random = {4};

	(void) filter_init(&filter, FILTER_CUCKOO, 0.01);
	filter.layers = 3;
	filter.layer[0].capacity = INT64_MAX - 10;
	filter.layer[1].capacity = 5;
	filter.layer[2].capacity = INT64_MAX;
	is(filter_capacity(&filter), INT64_MAX, "figures: capacities that sum to more than the largest are the largest");

	for (int i = 0; i < 3000; i++)
	{
		double		now = filter_rate_now(&owned.filter);

		rises &= now >= rate && now < 0.02;
		rate = now;
		if (owned_filter_add(&owned, random_next(&random), false) != FILTER_OK)
			rises = false;
	}
	ok(rises && rate > 0.005, "figures: the rate now rises with the values");
	ok(filter_layer_fill(&owned.filter, 0) > 0.9 && filter_layer_fill(&owned.filter, 0) <= 1.0,
	   "figures: the first layer of a grown cuckoo filter is nearly full");
	ok(!filter_layer_is_empty(&owned.filter, 0), "figures: and not empty");
	ok(filter_layer_rate_fraction(0) == 1.0 && filter_layer_rate_fraction(1) < 0.1 && filter_layer_rate_fraction(31) > 0.0,
	   "figures: later layers have a small part of the rate");
	owned_filter_free(&owned);
}

/*
 * The sample of a large layer estimates its cardinality, whatever it holds, and a nearly empty layer as nearly empty.
 * The probability of a larger error is below 1e-9.
 */
static void
test_cardinality_estimate(FilterType type)
{
	const char *name = type == FILTER_BLOOM ? "bloom" : "cuckoo";
	static const size_t counts[] = {0, 1, 100, 40000, 400000, 3000000};
	OwnedFilter large = owned_filter_create(type, 3000000, 0.001);
	OwnedFilter small = owned_filter_create(type, 20000, 0.01);
	OwnedFilter grown = owned_filter_create(type, 100000, 0.01);
	size_t		held = 0;
	Random		random = {5};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		double		counted;
		double		estimate;

		for (; held < counts[i]; held++)
			if (owned_filter_add(&large, random_next(&random), false) != FILTER_OK)
				bail_out("a value was not added");
		counted = filter_cardinality(&large.filter);
		estimate = filter_cardinality_estimate(&large.filter);
		/* 100 or fewer values are rarely in the sample, a twentieth of the layer. */
		if (counts[i] <= 100)
			ok(estimate > 0.0 && estimate < 1000.0, "cardinality estimate: %s of %.0f is small (%.0f)", name, counted, estimate);
		else
			ok(fabs(estimate / counted - 1.0) < 0.2 / sqrt((double) counts[i] / 40000.0) + 0.01,
			   "cardinality estimate: %s of %.0f (%.0f)", name, counted, estimate);
	}
	for (int i = 0; i < 20000; i++)
		(void) owned_filter_add(&small, random_next(&random), false);
	ok(filter_cardinality_estimate(&small.filter) == filter_cardinality(&small.filter),
	   "cardinality estimate: %s that is small is counted", name);
	for (int i = 0; i < 1000000; i++)
		(void) owned_filter_add(&grown, random_next(&random), false);
	ok(grown.filter.layers > 2 &&
	   fabs(filter_cardinality_estimate(&grown.filter) / filter_cardinality(&grown.filter) - 1.0) < 0.05,
	   "cardinality estimate: %s of several layers", name);
	owned_filter_free(&large);
	owned_filter_free(&small);
	owned_filter_free(&grown);
}

int
main(void)
{
	test_figures();
	test_cardinality_estimate(FILTER_BLOOM);
	test_cardinality_estimate(FILTER_CUCKOO);
	return done_testing();
}
