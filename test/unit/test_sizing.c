/*
 * The geometry for a capacity and rate is valid, small enough, and by formula never above the requested rate.
 * test_rates measures whether the formulas are correct.
 */
#include <math.h>

#include "core/bloom.h"
#include "core/cuckoo.h"
#include "core/filter.h"
#include "tap.h"

/* A margin for the last digits, in which math libraries differ. */
#define ROUNDING (1.0 + 1e-9)

static const double rates[] = {
	1e-7, 1.7e-7, 3e-7, 1e-6, 4e-6, 1e-5, 5e-5, 1e-4, 4.2e-4, 1e-3, 2e-3, 3.1e-3, 0.005, 0.0078, 0.01, 0.013, 0.02, 0.03,
	0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5
};

#define RATES (sizeof(rates) / sizeof(rates[0]))

static const char *
type_name(FilterType type)
{
	return type == FILTER_BLOOM ? "bloom" : "cuckoo";
}

/* The rate of a layer, by formula, for a number of values. */
static double
layer_rate(FilterType type, const FilterLayer *layer, double values)
{
	if (type == FILTER_BLOOM)
	{
		BloomLayer	geometry = {layer->count, layer->size, layer->width, NULL};

		return bloom_rate(&geometry, values);
	}
	else
	{
		CuckooLayer cuckoo = cuckoo_layer(layer->count, layer->size, layer->width, false, 0, NULL);

		return cuckoo_rate(&cuckoo, values);
	}
}

static bool
geometry_is_valid(FilterType type, const FilterLayer *layer)
{
	return type == FILTER_BLOOM ? bloom_geometry_is_valid(layer->count, layer->size, layer->width)
		: cuckoo_geometry_is_valid(layer->count, layer->size, layer->width);
}

/* The size computed by the code of the type. */
static uint64_t
layer_bytes(FilterType type, const FilterLayer *layer)
{
	if (type == FILTER_BLOOM)
	{
		BloomLayer	bloom = {layer->count, layer->size, layer->width, NULL};

		return bloom_bytes(&bloom);
	}
	else
	{
		CuckooLayer cuckoo = cuckoo_layer(layer->count, layer->size, layer->width, false, 0, NULL);

		return cuckoo_bytes(&cuckoo);
	}
}

/* The size of the stored value: 4 bytes of varlena header, and the image. */
static double
stored_bytes(FilterType type, uint64_t capacity, double rate)
{
	FilterView	filter;
	double		bytes = 0.0;

	if (filter_init(&filter.header, type, rate) != FILTER_OK || filter_append_layer(&filter.header, capacity, &bytes) != FILTER_OK ||
		filter_lay_out(&filter.header, &bytes) != FILTER_OK)
		bail_out("a filter of moderate size could not be planned");
	return bytes + 4.0;
}

typedef struct Limit
{
	double		rate;
	double		bits[3];		/* a value; by FilterType */
} Limit;

static const Limit limits[] = {
	{0.03, {0.0, 7.6, 7.7}},
	{0.01, {0.0, 10.1, 9.8}},
	{0.001, {0.0, 15.8, 13.1}},
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

static void
test_bits_per_value(FilterType type)
{
	for (size_t i = 0; i < LIMITS; i++)
	{
		double		bits = stored_bytes(type, 1000000, limits[i].rate) * 8.0 / 1e6;

		if (!ok(bits <= limits[i].bits[type], "%s: at most %g bits per value at 1,000,000 values and a rate of %g",
				type_name(type), limits[i].bits[type], limits[i].rate))
			diag("%.3f", bits);
	}
}

/* Small filters have overhead: 64 bytes, and a quarter more per value. */
static void
test_small_filters(FilterType type)
{
	for (size_t i = 0; i < LIMITS; i++)
	{
		uint64_t	failed = 0;

		for (uint64_t capacity = 1; capacity <= repeats(1000); capacity++)
		{
			double		bytes = stored_bytes(type, capacity, limits[i].rate);
			double		allowed = 64.0 + 1.25 * (double) capacity * limits[i].bits[type] / 8.0;

			if (!(bytes <= allowed))
				wrong(&failed, "%s for %" PRIu64 " values at %g takes %.0f bytes, allowed are %.1f", type_name(type),
					  capacity, limits[i].rate, bytes, allowed);
		}
		none_wrong(failed, "%s: 1 to 1,000 values at a rate of %g in at most 64 bytes + 1.25 * %g bits per value",
				   type_name(type), limits[i].rate, limits[i].bits[type]);
	}
}

/* At low rates, compared with an ideal Bloom filter. */
static void
test_small_filters_at_low_rates(FilterType type)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= repeats(1000); capacity++)
	{
		double		bytes = stored_bytes(type, capacity, 1e-5);
		double		textbook = -log(1e-5) / (log(2.0) * log(2.0)) / 8.0;

		if (!(bytes <= 65.0 + 1.5 * (double) capacity * textbook))
			wrong(&failed, "%s for %" PRIu64 " values takes %.0f bytes", type_name(type), capacity, bytes);
	}
	none_wrong(failed, "%s: 1 to 1,000 values at a rate of 1e-5 in at most 65 bytes + 1.5 times the textbook's bits",
			   type_name(type));
}

/* The next capacity of a sweep: every one of the small ones, then in steps of about 2%, of no regular shape. */
static uint64_t
next_capacity(uint64_t capacity)
{
	return capacity < repeats(300) ? capacity + 1 : capacity + capacity / repeats(41) + 1;
}

static void
test_geometries(FilterType type)
{
	uint64_t	invalid = 0;
	uint64_t	above = 0;
	uint64_t	other_size = 0;
	uint64_t	refused = 0;

	for (size_t i = 0; i < RATES; i++)
		for (uint64_t capacity = 1; capacity <= 400000000; capacity = next_capacity(capacity))
		{
			FilterHeader filter;
			double		bytes;
			FilterStatus status;

			(void) filter_init(&filter, type, rates[i]);
			status = filter_append_layer(&filter, capacity, &bytes);
			if (status != FILTER_OK)
			{
				if (status != FILTER_TOO_LARGE || bytes <= FILTER_MAX_IMAGE_BYTES)
					wrong(&refused, "%s for %" PRIu64 " values at %g: status %d at %.0f bytes", type_name(type), capacity,
						  rates[i], (int) status, bytes);
				break;
			}
			if (!geometry_is_valid(type, &filter.layer[0]))
				wrong(&invalid, "%s for %" PRIu64 " values at %g: %u * %u, %u", type_name(type), capacity, rates[i],
					  filter.layer[0].count, filter.layer[0].size, filter.layer[0].width);
			if (!(layer_rate(type, &filter.layer[0], (double) capacity) <= rates[i] * ROUNDING))
				wrong(&above, "%s for %" PRIu64 " values at %g: %g", type_name(type), capacity, rates[i],
					  layer_rate(type, &filter.layer[0], (double) capacity));
			if (bytes != (double) layer_bytes(type, &filter.layer[0]))
				wrong(&other_size, "%s for %" PRIu64 " values at %g: %.0f bytes planned, %" PRIu64 " taken", type_name(type),
					  capacity, rates[i], bytes, layer_bytes(type, &filter.layer[0]));
		}
	none_wrong(invalid, "%s: every geometry chosen is one of the format", type_name(type));
	none_wrong(above, "%s: by formula, none has a rate above the requested one", type_name(type));
	none_wrong(other_size, "%s: the planned size is the actual size", type_name(type));
	none_wrong(refused, "%s: a size is rejected only above the limit", type_name(type));
}

/* A cuckoo layer must have a slot for each entry, and no load that insertion cannot reach. */
static void
test_loads(void)
{
	uint64_t	failed = 0;

	for (size_t i = 0; i < RATES; i++)
		for (uint64_t capacity = 1; capacity <= 100000000; capacity = next_capacity(capacity))
		{
			CuckooLayer geometry;
			double		bytes;
			double		load;

			if (cuckoo_choose_geometry(capacity, rates[i], &geometry, &bytes) != FILTER_OK)
				break;
			load = (double) capacity / (2.0 * (geometry.windows + 1.0) * geometry.pages);
			if (load > (capacity < 100 ? 0.86 : 0.936))
				wrong(&failed, "%" PRIu64 " values at %g: load %.4f", capacity, rates[i], load);
		}
	none_wrong(failed, "cuckoo: no load above 0.936, none above 0.86 for fewer than 100 values");
}

/*
 * Filters grown by doubling from small and larger first layers: their layers' rates by formula, each layer being full,
 * add up to at most 1.5 times the requested rate.
 */
static void
test_layer_shares(FilterType type)
{
	static const uint64_t firsts[] = {1, 2, 3, 5, 10, 31, 100, 1000, 20000};
	uint64_t	failed = 0;
	uint64_t	stuck = 0;

	for (size_t i = 0; i < RATES; i++)
		for (size_t j = 0; j < sizeof(firsts) / sizeof(firsts[0]); j++)
		{
			FilterHeader filter;
			double		bytes,
						sum = 0.0;
			FilterStatus status = filter_init(&filter, type, rates[i]);

			for (uint64_t capacity = firsts[j]; filter.layers < FILTER_MAX_LAYERS; capacity = 0)
			{
				uint32_t	layer = filter.layers;

				status = filter_append_layer(&filter, capacity, &bytes);
				if (status == FILTER_OK)
					status = filter_lay_out(&filter, &bytes);
				if (status != FILTER_OK)
					break;
				if (filter.layer[layer].capacity != firsts[j] << layer || !geometry_is_valid(type, &filter.layer[layer]))
					wrong(&stuck, "%s from %" PRIu64 " at %g: layer %u", type_name(type), firsts[j], rates[i], layer);
				sum += layer_rate(type, &filter.layer[layer], (double) filter.layer[layer].capacity);
				if (!(sum <= 1.5 * rates[i]))
					wrong(&failed, "%s from %" PRIu64 " at %g: %g with %u layers", type_name(type), firsts[j], rates[i], sum,
						  filter.layers);
			}
			if (status != FILTER_OK && (status != FILTER_TOO_LARGE || bytes <= FILTER_MAX_IMAGE_BYTES))
				wrong(&stuck, "%s from %" PRIu64 " at %g: no more than %u layers", type_name(type), firsts[j], rates[i],
					  filter.layers);
		}
	none_wrong(failed, "%s: the rates of full layers add up to at most 1.5 times the requested one", type_name(type));
	none_wrong(stuck, "%s: each layer has twice the capacity of the one before, up to the size limit", type_name(type));
}

/* The same with 32 layers of one value each: as many as there can be. */
static void
test_most_layers(FilterType type)
{
	uint64_t	failed = 0;

	for (size_t i = 0; i < RATES; i++)
	{
		FilterHeader filter;
		double		bytes,
					sum = 0.0;

		(void) filter_init(&filter, type, rates[i]);
		while (filter.layers < FILTER_MAX_LAYERS)
		{
			if (filter_append_layer(&filter, 1, &bytes) != FILTER_OK)
				bail_out("no layer for one value");
			sum += layer_rate(type, &filter.layer[filter.layers - 1], 1.0);
		}
		if (!(sum <= 1.5 * rates[i]) || filter_append_layer(&filter, 1, &bytes) != FILTER_TOO_MANY_LAYERS ||
			filter_append_layer(&filter, 0, &bytes) != FILTER_TOO_MANY_LAYERS || filter.layers != FILTER_MAX_LAYERS)
			wrong(&failed, "%s at %g: %g", type_name(type), rates[i], sum);
	}
	none_wrong(failed, "%s: 32 layers are within 1.5 times the rate, and a 33rd is rejected", type_name(type));
}

static void
test_extremes(FilterType type)
{
	static const uint64_t too_large[] = {
		UINT64_C(1) << 32, UINT64_C(1) << 33, UINT64_C(1) << 40, UINT64_C(1) << 48, UINT64_C(1) << 56, INT64_MAX - 1,
		INT64_MAX
	};
	static const double extreme_rates[] = {1e-7, 0.01, 0.5};
	uint64_t	failed = 0;
	FilterHeader filter;
	double		bytes;

	for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++)
		for (size_t j = 0; j < 3; j++)
		{
			FilterStatus status;
			double		least = (double) too_large[i] / 8.0 * -log(extreme_rates[j]) / log(2.0);

			(void) filter_init(&filter, type, extreme_rates[j]);
			status = filter_append_layer(&filter, too_large[i], &bytes);
			if (status != FILTER_TOO_LARGE || !(bytes >= least && bytes <= 20.0 * least))
				wrong(&failed, "%s for %" PRIu64 " values at %g: status %d, %g bytes", type_name(type), too_large[i],
					  extreme_rates[j], (int) status, bytes);
		}
	none_wrong(failed, "%s: capacities up to the largest integer are too large, with their size", type_name(type));

	(void) filter_init(&filter, type, 0.01);
	ok(filter_append_layer(&filter, (uint64_t) INT64_MAX + 1, &bytes) == FILTER_TOO_LARGE &&
	   filter_append_layer(&filter, UINT64_MAX, &bytes) == FILTER_TOO_LARGE && filter.layers == 0,
	   "%s: even larger capacities are, too", type_name(type));
	ok(filter_append_layer(&filter, 0, &bytes) == FILTER_OK && filter.layer[0].capacity == FILTER_DEFAULT_CAPACITY,
	   "%s: a first layer without a capacity has the default", type_name(type));

	filter.layer[0].capacity = INT64_MAX - 5;
	ok(filter_append_layer(&filter, 0, &bytes) == FILTER_TOO_LARGE || type == FILTER_CUCKOO,
	   "%s: the double of the largest capacity does not overflow", type_name(type));
}

static void
test_rates_are_checked(FilterType type)
{
	static const double bad[] = {0.0, -0.0, -0.01, 0.99e-7, 0.50001, 1.0, 100.0, INFINITY, -INFINITY, NAN};
	uint64_t	failed = 0;
	FilterHeader filter;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (filter_init(&filter, type, bad[i]) != FILTER_BAD_RATE)
			wrong(&failed, "%s at %g", type_name(type), bad[i]);
	for (size_t i = 0; i < RATES; i++)
		if (filter_init(&filter, type, rates[i]) != FILTER_OK || filter.rate != rates[i] || filter.layers != 0)
			wrong(&failed, "%s at %g", type_name(type), rates[i]);
	none_wrong(failed, "%s: rates from 1e-7 to 0.5 are valid, others are not", type_name(type));
}

/* Repeated enlarging: valid, larger by 1 to 8 percent each time (or a few slots), never above the rate. */
static void
test_enlarge(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 20000000; capacity = capacity * 3 + 1)
	{
		FilterView	filter;
		double		bytes;

		if (filter_init(&filter.header, FILTER_CUCKOO, 0.01) != FILTER_OK || filter_append_layer(&filter.header, capacity, &bytes) != FILTER_OK)
			bail_out("a filter of moderate size could not be planned");
		for (int i = 0; i < 40; i++)
		{
			FilterLayer before = filter.header.layer[0];
			double		had = (double) layer_bytes(FILTER_CUCKOO, &before);

			if (filter_enlarge_newest(&filter.header, &bytes) != FILTER_OK)
				break;
			if (!geometry_is_valid(FILTER_CUCKOO, &filter.header.layer[0]) || filter.header.layer[0].capacity != capacity ||
				bytes < had * 1.01 || (bytes > had * 1.08 && bytes > had + 8.0) ||
				layer_rate(FILTER_CUCKOO, &filter.header.layer[0], (double) capacity) > 0.01 * ROUNDING ||
				bytes != (double) layer_bytes(FILTER_CUCKOO, &filter.header.layer[0]))
				wrong(&failed, "%u * %u windows become %u * %u", before.count, before.size, filter.header.layer[0].count,
					  filter.header.layer[0].size);
		}
	}
	none_wrong(failed, "cuckoo: a layer can be enlarged slightly, any number of times");
}

/* The doubled geometry folds back into the one it came from, unless its slots are narrower. */
static void
test_double(void)
{
	uint64_t	failed = 0;

	for (size_t i = 0; i < RATES; i++)
		for (uint64_t capacity = 1; capacity <= 10000000; capacity = next_capacity(capacity) + capacity / 7)
		{
			CuckooLayer from,
						to;
			double		bytes;

			(void) cuckoo_choose_geometry(capacity, rates[i], &from, &bytes);
			if (cuckoo_double_geometry(&from, 2 * capacity, rates[i] * 0.01, &to, &bytes) != FILTER_OK)
				continue;
			if (!cuckoo_geometry_is_valid(to.pages, to.windows, to.slot_bits) ||
				(uint64_t) to.pages * to.windows != 2 * (uint64_t) from.pages * from.windows ||
				!cuckoo_can_fold(&from, &to) || bytes != (double) cuckoo_bytes(&to))
				wrong(&failed, "%u * %u windows become %u * %u", from.pages, from.windows, to.pages, to.windows);
			if (!(cuckoo_rate(&to, 2.0 * (double) capacity) <= rates[i] * 0.01 * ROUNDING) &&
				to.slot_bits < CUCKOO_MAX_SLOT_BITS)
				wrong(&failed, "%" PRIu64 " values at %g", 2 * capacity, rates[i] * 0.01);
		}
	none_wrong(failed, "cuckoo: a doubled geometry has twice the windows, folds back, and keeps the rate if it can");
}

/* Slots of 7 bits would do for the rate, but in so large a layer, values would find no slot: see cuckoo_sizing.c. */
static void
test_doubled_narrow(void)
{
	CuckooLayer from,
				to = {0};
	double		bytes;

	(void) cuckoo_choose_geometry(10000000, 0.005, &from, &bytes);
	(void) cuckoo_double_geometry(&from, 20000000, 0.05, &to, &bytes);
	is(to.slot_bits, 8, "cuckoo: a doubled geometry has wider slots if it is large");
}

/* What the formulas must do for any geometry. */
static void
test_formulas(void)
{
	BloomLayer	small = {1, 1024, 7, NULL};
	BloomLayer	large = {1000, 512, 7, NULL};
	CuckooLayer cuckoo = cuckoo_layer(3, 1000, 10, false, 0, NULL);
	uint64_t	failed = 0;

	ok(bloom_rate(&small, 0.0) == 0.0 && bloom_rate(&large, 0.0) == 0.0 && cuckoo_rate(&cuckoo, 0.0) == 0.0,
	   "formulas: an empty layer has a rate of 0");
	for (double values = 1.0; values < 1e7; values *= 1.1)
	{
		if (!(bloom_rate(&small, values) <= bloom_rate(&small, values * 1.1)) ||
			!(bloom_rate(&large, values) <= bloom_rate(&large, values * 1.1)) ||
			!(cuckoo_rate(&cuckoo, values) <= cuckoo_rate(&cuckoo, values * 1.1)))
			wrong(&failed, "%g values", values);
		if (!(bloom_rate(&small, values) <= 1.0 && bloom_rate(&large, values) <= 1.0 && cuckoo_rate(&cuckoo, values) <= 1.0))
			wrong(&failed, "%g values", values);
	}
	none_wrong(failed, "formulas: a rate rises with the values and stays within 1");
	ok(bloom_rate(&small, 1e9) > 0.999 && bloom_rate(&large, 1e9) > 0.999, "formulas: an overfull Bloom layer has a rate of 1");
	ok(cuckoo_rate(&cuckoo, 1e9) <= 4.1 / 512.0, "formulas: a cuckoo lookup compares four slots");
}

int
main(void)
{
	for (int i = FILTER_BLOOM; i <= FILTER_CUCKOO; i++)
	{
		FilterType	type = (FilterType) i;

		test_bits_per_value(type);
		test_small_filters(type);
		test_small_filters_at_low_rates(type);
		test_geometries(type);
		test_layer_shares(type);
		test_most_layers(type);
		test_extremes(type);
		test_rates_are_checked(type);
	}
	test_loads();
	test_enlarge();
	test_double();
	test_doubled_narrow();
	test_formulas();
	return done_testing();
}
