/*
 * False positive rates, measured: filters of many sizes, filled to their capacity with keys of several kinds, and
 * probed with other keys of the same kind.
 *
 * The bound is the requested rate plus 5 standard deviations: of the binomial count of false positives, or of the
 * spread among the filters if that is larger (small filters differ much from each other). A filter whose true rate is
 * the requested one exceeds it once in 3 million times; the keys are the same in every run, so a test that passes
 * once always does.
 *
 * CUCKOO_FILTER_BIG=1 in the environment, or as an argument, adds filters of 10 and 100 million values (minutes, and
 * some GB of memory).
 */
#include <math.h>
#include <string.h>

#include "core/bloom.h"
#include "core/bytes.h"
#include "core/cuckoo_inline.h"
#include "core/hash.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#define SIGMAS 5.0

/*
 * Keys.
 */

typedef enum KeySet
{
	KEYS_SEQUENTIAL,			/* integers from 1 on */
	KEYS_RANDOM,				/* integers of 64 random bits */
	KEYS_TEXT,					/* like user-0000000042@example.com */
	KEYS_UUID,					/* 16 bytes, version 4 */
	KEY_SETS
} KeySet;

static const char *const key_set_names[KEY_SETS] = {"sequential integers", "random integers", "texts", "uuids"};

/* The hash of the key of an index; different indexes have different keys. */
static uint64_t
key_hash(KeySet set, uint64_t index)
{
	Random		random = {index};
	char		text[] = "user-0000000000@example.com";
	uint8_t		bytes[16];

	switch (set)
	{
		case KEYS_SEQUENTIAL:
			return filter_hash_integer((int64_t) index + 1);
		case KEYS_RANDOM:
			return filter_hash_integer((int64_t) (random_next(&random) >> 1) - INT64_MAX / 2);
		case KEYS_TEXT:
			for (char *digit = text + 14; index > 0; digit--, index /= 10)
				*digit = (char) ('0' + index % 10);
			return filter_hash_bytes(text, strlen(text));
		default:
			store_le64(bytes, random_next(&random));
			store_le64(bytes + 8, random_next(&random));
			bytes[6] = (uint8_t) ((bytes[6] & 0x0f) | 0x40);
			bytes[8] = (uint8_t) ((bytes[8] & 0x3f) | 0x80);
			return filter_hash_bytes(bytes, sizeof(bytes));
	}
}

/* The hashes of a set's keys: members of filters, and others that no filter holds. */
typedef struct Keys
{
	uint64_t   *member;
	size_t		members;
	uint64_t   *other;
	size_t		others;
} Keys;

static Keys
create_keys(KeySet set, size_t members, size_t others)
{
	Keys		keys = {zeroed_memory(members * sizeof(uint64_t)), members, zeroed_memory(others * sizeof(uint64_t)), others};

	for (size_t i = 0; i < members; i++)
		keys.member[i] = key_hash(set, i);
	for (size_t i = 0; i < others; i++)
		keys.other[i] = key_hash(set, members + i);
	return keys;
}

static void
free_keys(Keys *keys)
{
	free(keys->member);
	free(keys->other);
}

/*
 * Measuring.
 */

typedef struct Measured
{
	double		probes;
	double		found;			/* false positives */
	double		expected;		/* of them, by formula */
	double		variance;		/* of the number found, if the rate is the requested one */
	uint64_t	lost;			/* false negatives */
} Measured;

static void
sum_up(Measured *sum, const Measured *more)
{
	sum->probes += more->probes;
	sum->found += more->found;
	sum->expected += more->expected;
	sum->variance += more->variance;
	sum->lost += more->lost;
}

static bool
is_within(const Measured *measured, double rate)
{
	return measured->found <= rate * measured->probes + SIGMAS * sqrt(measured->variance);
}

/* The expected rate of the first layer if it holds this number of values. */
static double
expected_rate(const FilterView *filter, uint64_t values)
{
	const FilterLayer *layer = &filter->header.layer[0];
	BloomLayer	bloom = {layer->count, layer->size, layer->width, NULL};
	CuckooLayer cuckoo = cuckoo_layer(layer->count, layer->size, layer->width, false, 0, NULL);

	return filter->header.type == FILTER_BLOOM ? bloom_rate(&bloom, (double) values) : cuckoo_rate(&cuckoo, (double) values);
}

/* Fill an empty filter to its capacity, as the aggregates do. */
static void
fill(OwnedFilter *owned, const uint64_t *hashes, size_t count)
{
	size_t		done;
	bool		changed;
	double		bytes;

	if (owned->filter.header.type == FILTER_BLOOM)
	{
		owned->filter.remaining = count;
		if (filter_add_all(&owned->filter, hashes, count, false, &done, &changed) != FILTER_OK)
			bail_out("a Bloom filter with room is full");
		return;
	}
	while (filter_build(&owned->filter, hashes, count) != FILTER_OK)
	{
		if (filter_enlarge_newest(&owned->filter.header, &bytes) != FILTER_OK)
			bail_out("a cuckoo filter cannot be enlarged");
		free(owned->image);
		if (!owned_filter_allocate(owned))
			bail_out("a cuckoo filter cannot be enlarged");
	}
}

/*
 * Fill `filters` filters of a capacity with `size` values each, from distinct keys, and probe them all, `probes` times
 * in total. If the size is not the capacity, they grow, as when values are added one by one.
 */
static Measured
measure(FilterType type, double rate, const Keys *keys, size_t capacity, size_t size, size_t filters, size_t probes)
{
	Measured	measured = {0.0, 0.0, 0.0, 0.0, 0};
	size_t		probes_each = probes / filters;
	size_t		at = 0;
	double		squares = 0.0;
	OwnedFilter empty = owned_filter_create(type, capacity, rate);

	for (size_t i = 0; i < filters; i++)
	{
		const uint64_t *members = keys->member + i * size;
		OwnedFilter owned = owned_filter_copy(&empty);
		uint64_t	found = 0;

		if (size == capacity)
			fill(&owned, members, size);
		else if (owned_filter_add_all(&owned, members, size, false) != FILTER_OK)
			bail_out("a filter does not grow");
		measured.lost += filter_contains_run(&owned.filter, members, size, true) != size;
		for (size_t j = 0; j < probes_each; j++)
		{
			found += filter_contains(&owned.filter, keys->other[at]);
			at = at + 1 == keys->others ? 0 : at + 1;
		}
		measured.found += (double) found;
		squares += (double) found * (double) found;
		measured.expected += (double) probes_each * expected_rate(&owned.filter, size);
		owned_filter_free(&owned);
	}
	owned_filter_free(&empty);

	measured.probes = (double) (filters * probes_each);
	measured.variance = measured.probes * rate * (1.0 - rate);
	if (filters > 1)
	{
		double		count = (double) filters;
		double		among = (squares - measured.found * measured.found / count) / (count - 1.0) * count;

		measured.variance = fmax(measured.variance, among);
	}
	return measured;
}

/*
 * The tests.
 */

#define MEMBERS 1000000
#define OTHERS 2000000

static const char *
type_name(FilterType type)
{
	return type == FILTER_BLOOM ? "bloom" : "cuckoo";
}

/* Enough probes for at least some false positives. */
static size_t
probes_for(double rate)
{
	return rate >= 0.01 ? 300000 : rate >= 0.001 ? 1000000 : 2000000;
}

/* As many filters as there are keys for, but no more than a good mean requires. */
static size_t
filters_for(size_t size)
{
	size_t		filters = 150000 / size;

	return filters > 1000 ? 1000 : filters < 1 ? 1 : filters;
}

/*
 * Filters at their capacity. All sizes and keys together are compared with the formulas as well: from above and below,
 * within 3 percent and random variation.
 */
static void
test_at_capacity(FilterType type, const Keys keys[KEY_SETS])
{
	static const double rates[] = {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5};
	static const size_t sizes[] = {1, 2, 5, 10, 30, 100, 300, 1000, 3000, 10000, 100000, MEMBERS};
	uint64_t	lost = 0;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
	{
		double		rate = rates[i];
		Measured	all = {0.0, 0.0, 0.0, 0.0, 0};

		for (int set = 0; set < KEY_SETS; set++)
		{
			uint64_t	above = 0;

			for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
			{
				Measured	measured = measure(type, rate, &keys[set], sizes[j], sizes[j], filters_for(sizes[j]),
											   probes_for(rate));

				if (!is_within(&measured, rate))
					wrong(&above, "%s, %u values: %.3g, not %g; by formula %.3g", type_name(type), (unsigned) sizes[j],
						  measured.found / measured.probes, rate, measured.expected / measured.probes);
				sum_up(&all, &measured);
			}
			none_wrong(above, "%s: rate %g, %s, 1 to 1,000,000 of them", type_name(type), rate, key_set_names[set]);
		}
		if (!ok(fabs(all.found - all.expected) <= 0.03 * all.expected + SIGMAS * sqrt(all.variance),
				"%s: rate %g, the formula is right", type_name(type), rate))
			diag("measured %g, by formula %g", all.found / all.probes, all.expected / all.probes);
		lost += all.lost;
	}
	is(lost, 0, "%s: every key that was added is found", type_name(type));
}

/* Filters that far outgrew their capacity have at most 1.5 times the rate, however many layers they have. */
static void
test_grown(FilterType type, const Keys *keys)
{
	static const struct
	{
		double		rate;
		size_t		capacity;
	}			cases[] = {
		{0.3, 1000}, {0.1, 1000}, {0.03, 1000}, {0.01, 1000}, {1e-3, 1000}, {1e-4, 1000}, {1e-5, 1000},
		{0.1, 100}, {0.03, 100}, {0.01, 100}, {0.1, 10}, {0.03, 10}, {0.01, 10}
	};
	static const size_t factors[] = {2, 7, 60};
	uint64_t	above = 0;
	uint64_t	lost = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t j = 0; j < sizeof(factors) / sizeof(factors[0]); j++)
		{
			size_t		size = cases[i].capacity * factors[j];
			size_t		filters = size < 600 ? 100 : size < 30000 ? 30000 / size : 1;
			double		rate = cases[i].rate;
			Measured	measured = measure(type, rate, keys, cases[i].capacity, size, filters, probes_for(rate));

			if (!is_within(&measured, 1.5 * rate))
				wrong(&above, "%s: capacity %u, %u values: %.3g, not %g", type_name(type), (unsigned) cases[i].capacity,
					  (unsigned) size, measured.found / measured.probes, 1.5 * rate);
			lost += measured.lost;
		}
	none_wrong(above, "%s: grown to 60 times the capacity, at most 1.5 times the rate", type_name(type));
	is(lost, 0, "%s: grown filters lose nothing", type_name(type));
}

/*
 * Filters of small capacities have at most 1.5 times the rate whenever they are full: before each of the first layers that they
 * get, in the mean of some filters, by the bits that are set.
 */
static void
test_small(FilterType type)
{
	enum {LAYERS = 3, FILTERS = 30};
	static const double rates[] = {0.5, 0.3, 0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
	Random		random = {1};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
	{
		uint64_t	above = 0;

		for (uint64_t capacity = 1; capacity <= 200; capacity++)
		{
			double		rate[LAYERS] = {0.0};

			for (int n = 0; n < FILTERS; n++)
			{
				OwnedFilter owned = owned_filter_create(type, capacity, rates[i]);
				int			full = 0;
				bool		changed;

				while (full < LAYERS)
				{
					if (filter_add(&owned.filter, random_next(&random), false, &changed) == FILTER_OK)
						continue;
					rate[full++] += filter_rate_now(&owned.filter) / FILTERS;
					if (owned_filter_grow(&owned, 0) != FILTER_OK)
						bail_out("a small filter does not grow");
				}
				owned_filter_free(&owned);
			}
			for (int full = 0; full < LAYERS; full++)
				if (rate[full] > 1.5 * rates[i])
					wrong(&above, "%s: capacity %u, %d layers: %.3g, not %g", type_name(type), (unsigned) capacity, full + 1,
						  rate[full], 1.5 * rates[i]);
		}
		none_wrong(above, "%s: rate %g, capacities from 1 to 200, at most 1.5 times the rate", type_name(type), rates[i]);
	}
}

/* Sizes at which the number of bits no longer fits in 32 bits. */
static void
test_big(void)
{
	static const double rates[] = {0.03, 0.01, 1e-3};
	static const size_t sizes[] = {10000000, 100000000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int set = 0; set < KEY_SETS; set++)
		{
			Keys		keys = create_keys((KeySet) set, sizes[i], 20000000);

			for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
				for (size_t j = 0; j < sizeof(rates) / sizeof(rates[0]); j++)
				{
					Measured	measured = measure((FilterType) type, rates[j], &keys, sizes[i], sizes[i], 1, 20000000);

					if (!ok(is_within(&measured, rates[j]) && measured.lost == 0, "%s: rate %g, %u %s",
							type_name((FilterType) type), rates[j], (unsigned) sizes[i], key_set_names[set]))
						diag("%g, %" PRIu64 " lost", measured.found / measured.probes, measured.lost);
				}
			free_keys(&keys);
		}
}

/*
 * A large layer for a high rate finds a slot for every value. In slots of 6 bits, a full class of one fingerprint and part
 * of another in the same window left one in 20 million values without: see highest_load.
 */
static void
test_insertion(void)
{
	Random		random = {2};
	uint64_t	values = 5000000;
	CuckooLayer geometry;
	double		bytes;
	int			without = 0;

	if (cuckoo_choose_geometry(values, 0.1, &geometry, &bytes) != FILTER_OK)
		bail_out("no geometry for a layer of moderate size");
	for (int build = 0; build < 6; build++)
	{
		CuckooLayer layer = geometry;

		layer.slots = zeroed_memory((size_t) bytes);
		for (uint64_t i = 0; i < values; i++)
		{
			CuckooPosition position = cuckoo_position(&layer, random_next(&random));

			without += cuckoo_add(&layer, &position) != FILTER_OK;
		}
		free(layer.slots);
	}
	is((uint64_t) without, 0, "all of 30 million values have a slot in cuckoo filters of 5 million at a rate of 10%%");
}

int
main(int argc, char **argv)
{
	static const char big[] = "CUCKOO_FILTER_BIG";
	const char *wanted = getenv(big);
	Keys		keys[KEY_SETS];

	for (int set = 0; set < KEY_SETS; set++)
		keys[set] = create_keys((KeySet) set, MEMBERS, OTHERS);
	test_at_capacity(FILTER_BLOOM, keys);
	test_at_capacity(FILTER_CUCKOO, keys);
	test_grown(FILTER_BLOOM, &keys[KEYS_TEXT]);
	test_grown(FILTER_CUCKOO, &keys[KEYS_TEXT]);
	test_small(FILTER_BLOOM);
	test_small(FILTER_CUCKOO);
	test_insertion();
	for (int set = 0; set < KEY_SETS; set++)
		free_keys(&keys[set]);
	if ((wanted != NULL && strcmp(wanted, "1") == 0) || (argc > 1 && strcmp(argv[1], "CUCKOO_FILTER_BIG=1") == 0))
		test_big();
	return done_testing();
}
