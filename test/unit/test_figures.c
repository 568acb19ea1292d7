/*
 * What filters report of themselves: capacity, rate and fill.
 */
#include "core/filter.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

static void
test_figures(void)
{
	FilterView	filter;
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, 1000, 0.01);
	double		rate = 0.0;
	bool		rises = true;
	Random		random = {4};

	(void) filter_init(&filter.header, FILTER_CUCKOO, 0.01);
	filter.header.layers = 3;
	filter.header.layer[0].capacity = INT64_MAX - 10;
	filter.header.layer[1].capacity = 5;
	filter.header.layer[2].capacity = INT64_MAX;
	is(filter_capacity(&filter.header), INT64_MAX, "figures: capacities that sum to more than the largest are the largest");

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

int
main(void)
{
	test_figures();
	return done_testing();
}
