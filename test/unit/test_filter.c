/*
 * Whole filters, compared with an exact multiset of values: growth by layers, counting and removing in them, copies,
 * unique values, and filters that are full.
 */
#include <math.h>
#include <string.h>

#include "multiset.h"

/* Grow, shrink and grow a filter again. */
static void
check_operations(uint64_t capacity, double rate, size_t values, unsigned favourites, bool compacts, const char *when,
				 uint64_t *failed)
{
	const Mix	growing = {85, favourites, compacts};
	const Mix	shrinking = {25, favourites, compacts};
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, rate);
	Multiset	set = create_multiset(values, capacity + values);
	Random		random = {values};

	owned_filter_set_kind(&owned, VALUE_KIND_NAMED, "test");
	operate(&owned, &set, &growing, values * 2, &random, when, failed);
	operate(&owned, &set, &shrinking, values * 3, &random, when, failed);
	if (compacts)
		owned_filter_compact(&owned);
	operate(&owned, &set, &growing, values, &random, when, failed);
	free(set.value);
	owned_filter_free(&owned);
}

static void
test_operations(void)
{
	static const uint64_t capacities[] = {1, 2, 3, 10, 30, 100, 1000};
	static const double rates[] = {COLLIDING, 0.1, 0.01, EXACT};

	for (int compacts = 0; compacts <= 1; compacts++)
		for (int favourites = 0; favourites <= 1; favourites++)
		{
			uint64_t	failed = 0;

			for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
				for (size_t j = 0; j < sizeof(rates) / sizeof(rates[0]); j++)
				{
					check_operations(capacities[i], rates[j], 40, favourites ? 6 : 0, compacts, "few values", &failed);
					check_operations(capacities[i], rates[j], 1200, favourites ? 6 : 0, compacts, "many values", &failed);
				}
			none_wrong(failed, "random adds and removes%s%s: nothing is lost", favourites ? ", few values many times" : "",
					   compacts ? ", compaction" : "");
		}
}

/*
 * Distinct values without collisions: every figure is exact through any growth.
 */
static void
check_exactness(uint64_t capacity)
{
	enum
	{
		VALUES = 20000
	};
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, EXACT);
	Multiset	set = create_multiset(VALUES, capacity);
	Random		random = {capacity};
	uint64_t	held = 0;
	uint64_t	failed = 0;

	for (int i = 0; i < 4 * VALUES; i++)
	{
		Value	   *value = &set.value[random_below(&random, VALUES)];

		if (value->copies == 0)
		{
			if (owned_filter_add(&owned, value->hash, random_below(&random, 2) == 0) != FILTER_OK)
				wrong(&failed, "an add fails");
			value->copies = 1;
			held++;
		}
		else if (random_below(&random, 3) != 0)
		{
			if (!filter_remove(&owned.filter, value->hash))
				wrong(&failed, "a remove finds nothing");
			value->copies = 0;
			held--;
		}
		if (filter_count(&owned.filter, value->hash) != value->copies ||
			filter_contains(&owned.filter, value->hash) != (value->copies > 0))
			wrong(&failed, "%u copies counted as %u", value->copies, filter_count(&owned.filter, value->hash));
		if (value->copies == 0 && filter_remove(&owned.filter, value->hash))
			wrong(&failed, "a value that is not there is removed");
	}
	check_held(&owned.filter, &set, "exactness", &failed);
	none_wrong(failed, "capacity %" PRIu64 ", no collisions: contains, count and remove are exact", capacity);
	is((uint64_t) filter_cardinality(&owned.filter), held, "capacity %" PRIu64 ", no collisions: cardinality is exact",
	   capacity);
	ok(owned.filter.header.layers > 1, "capacity %" PRIu64 ", no collisions: grows", capacity);
	for (size_t i = 0; i < set.count; i++)
		if (set.value[i].copies > 0)
			(void) filter_remove(&owned.filter, set.value[i].hash);
	for (uint32_t layer = 0; layer < owned.filter.header.layers; layer++)
		if (!filter_layer_is_empty(&owned.filter, layer) || filter_layer_fill(&owned.filter, layer) != 0.0)
			wrong(&failed, "layer %u is not empty", layer);
	none_wrong(failed, "capacity %" PRIu64 ", no collisions: all removed, all layers are empty", capacity);
	free(set.value);
	owned_filter_free(&owned);
}

/* Copies are added and removed exactly, as many as are counted, in any layers: with spare capacity, and in full layers. */
static void
check_copies(bool spare, const char *when)
{
	enum
	{
		VALUES = 500
	};
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, 10, EXACT);
	uint64_t	failed = 0;
	Random		random = {1};
	uint64_t	hashes[VALUES];

	random_fill(&random, hashes, VALUES);
	for (int i = 0; i < VALUES; i++)
		if (owned_filter_add(&owned, hashes[i], false) != FILTER_OK)
			bail_out("a small filter does not grow");
	if (spare)
		for (int i = 0; i < VALUES; i += 2)
			(void) filter_remove(&owned.filter, hashes[i]);
	for (unsigned copies = 2; copies <= CUCKOO_MAX_COUNT; copies++)
		for (int i = 1; i < VALUES; i += 2)
			if (owned_filter_add(&owned, hashes[i], false) != FILTER_OK ||
				filter_count(&owned.filter, hashes[i]) != copies)
				wrong(&failed, "%u copies counted as %u", copies, filter_count(&owned.filter, hashes[i]));
	for (unsigned copies = CUCKOO_MAX_COUNT; copies-- > 0;)
		for (int i = 1; i < VALUES; i += 2)
			if (!filter_remove(&owned.filter, hashes[i]) || filter_count(&owned.filter, hashes[i]) != copies)
				wrong(&failed, "%u copies counted as %u", copies, filter_count(&owned.filter, hashes[i]));
	if (filter_cardinality(&owned.filter) != (spare ? 0.0 : VALUES / 2))
		wrong(&failed, "%.0f entries remain", filter_cardinality(&owned.filter));
	none_wrong(failed, "two to fifteen copies of many values are exact, %s", when);
	owned_filter_free(&owned);
}

static void
test_copies(void)
{
	check_copies(true, "where values were removed before");
	check_copies(false, "where they outgrow their layers");
}

static void
test_many_copies(FilterType type)
{
	static const uint64_t capacities[] = {1, 2, 10, 1000, 100000};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
	{
		OwnedFilter owned = owned_filter_create(type, capacities[i], 0.01);
		uint64_t	hash = UINT64_C(0x0123456789abcdef) * capacities[i];

		for (int copy = 0; copy < 10000; copy++)
			if (owned_filter_add(&owned, hash, false) != FILTER_OK)
				wrong(&failed, "copy %d fails", copy);
		if (owned.filter.header.layers != 1 || !filter_contains(&owned.filter, hash))
			wrong(&failed, "%u layers", owned.filter.header.layers);
		if (type == FILTER_CUCKOO)
		{
			if (filter_count(&owned.filter, hash) != CUCKOO_PERMANENT || filter_cardinality(&owned.filter) != CUCKOO_PERMANENT)
				wrong(&failed, "counted as %u", filter_count(&owned.filter, hash));
			if (filter_remove(&owned.filter, hash))
				wrong(&failed, "a permanent value is removed");
		}
		owned_filter_free(&owned);
	}
	none_wrong(failed, "%s: ten thousand copies of one value neither fail nor grow",
			   type == FILTER_BLOOM ? "bloom" : "cuckoo");
}

/* Unique adds without removes: a set. Adding all of it again changes no byte. */
static void
test_unique(void)
{
	static const double rates[] = {COLLIDING, 0.01, EXACT};
	uint64_t	failed = 0;

	for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
		for (size_t i = 0; i < 3; i++)
			for (uint64_t capacity = 1; capacity <= 1000; capacity *= 10)
			{
				OwnedFilter owned = owned_filter_create((FilterType) type, capacity, rates[i]);
				OwnedFilter before;
				Multiset	set = create_multiset(2000, capacity);
				Random		random = {capacity};

				for (int j = 0; j < 4000; j++)
				{
					Value	   *value = &set.value[random_below(&random, set.count)];

					if (owned_filter_add(&owned, value->hash, true) != FILTER_OK)
						wrong(&failed, "an add fails");
					value->copies = 1;
					if (!filter_contains(&owned.filter, value->hash))
						wrong(&failed, "a value is lost at once");
				}
				check_held(&owned.filter, &set, "unique", &failed);
				if (rates[i] == EXACT && type == FILTER_CUCKOO)
				{
					double		held = 0.0;

					for (size_t j = 0; j < set.count; j++)
						held += set.value[j].copies;
					if (filter_cardinality(&owned.filter) != held)
						wrong(&failed, "%.0f values stored as %.0f", held, filter_cardinality(&owned.filter));
				}

				before = owned_filter_copy(&owned);
				for (size_t j = 0; j < set.count; j++)
				{
					bool		changed = true;

					if (set.value[j].copies > 0 &&
						(filter_add(&owned.filter, set.value[j].hash, true, &changed) != FILTER_OK || changed))
						wrong(&failed, "a present value is added");
				}
				if (memcmp(before.image, owned.image, (size_t) owned.image_bytes) != 0)
					wrong(&failed, "a present value changes the image");
				owned_filter_free(&before);
				owned_filter_free(&owned);
				free(set.value);
			}
	none_wrong(failed, "unique: every value is added once, and present values change nothing");
}

/* FILTER_FULL leaves every byte of a filter unchanged. */
static void
test_full_changes_nothing(FilterType type)
{
	uint64_t	failed = 0;
	int			times_full = 0;

	for (uint64_t capacity = 1; capacity <= 300; capacity = capacity * 2 + 1)
	{
		OwnedFilter owned = owned_filter_create(type, capacity, 0.03);
		Multiset	set = create_multiset((size_t) capacity * 20, capacity);
		Random		random = {capacity};

		for (size_t i = 0; i < set.count * 2; i++)
		{
			OwnedFilter before = owned_filter_copy(&owned);
			bool		changed = true;
			uint64_t	hash = set.value[random_below(&random, set.count)].hash;
			FilterStatus status = filter_add(&owned.filter, hash, false, &changed);
			bool		same = memcmp(before.image, owned.image, (size_t) owned.image_bytes) == 0;

			if (status == FILTER_FULL)
			{
				times_full++;
				if (!same || changed)
					wrong(&failed, "capacity %" PRIu64 ": FULL, and something changed", capacity);
				if (owned_filter_enlarge(&owned, hash) != FILTER_OK)
					wrong(&failed, "capacity %" PRIu64 ": does not grow", capacity);
			}
			else if (changed == same)
				wrong(&failed, "capacity %" PRIu64 ": an add reports a change of %s", capacity, changed ? "something" : "nothing");
			owned_filter_free(&before);
		}
		free(set.value);
		owned_filter_free(&owned);
	}
	none_wrong(failed, "%s: adds report whether they changed something, and a full filter is left unchanged",
			   type == FILTER_BLOOM ? "bloom" : "cuckoo");
	ok(times_full > 10, "%s: some filters were full", type == FILTER_BLOOM ? "bloom" : "cuckoo");
}

static void
test_no_layers(void)
{
	uint64_t	failed = 0;

	for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
	{
		OwnedFilter owned = owned_filter_create((FilterType) type, 0, 0.01);
		bool		changed = true,
					all_changed = true;
		size_t		done = 7;
		uint64_t	hash = 42;

		if (filter_contains(&owned.filter, hash) || filter_add(&owned.filter, hash, false, &changed) != FILTER_FULL ||
			changed || filter_add_all(&owned.filter, &hash, 1, false, &done, &all_changed) != FILTER_FULL || done != 0 ||
			all_changed ||
			filter_cardinality(&owned.filter) != 0.0 || filter_rate_now(&owned.filter) != 0.0 ||
			filter_capacity(&owned.filter.header) != 0 || filter_contains_run(&owned.filter, &hash, 1, true) != 0)
			wrong(&failed, "type %d", type);
		if (type == FILTER_CUCKOO && (filter_count(&owned.filter, hash) != 0 || filter_remove(&owned.filter, hash)))
			wrong(&failed, "type %d", type);
		if (owned_filter_add(&owned, hash, false) != FILTER_OK || filter_capacity(&owned.filter.header) != 1000)
			wrong(&failed, "type %d: the first layer", type);
		owned_filter_free(&owned);
	}
	none_wrong(failed, "a filter without layers holds nothing, and grows if requested");
}

/* The maximum number of layers, each of one value or slightly more: every operation still works. */
static void
test_most_layers(void)
{
	uint64_t	failed = 0;

	for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
	{
		OwnedFilter owned = owned_filter_create((FilterType) type, 1, 0.1);
		Random		random = {2};
		uint64_t	hashes[FILTER_MAX_LAYERS];
		bool		changed;

		for (int i = 0; i < FILTER_MAX_LAYERS; i++)
		{
			hashes[i] = random_next(&random);
			if (i > 0 && owned_filter_grow(&owned, 1) != FILTER_OK)
				wrong(&failed, "no layer %d", i);
			if (filter_add(&owned.filter, hashes[i], false, &changed) != FILTER_OK)
				wrong(&failed, "no room in layer %d", i);
		}
		if (owned.filter.header.layers != FILTER_MAX_LAYERS || owned_filter_grow(&owned, 1) != FILTER_TOO_MANY_LAYERS ||
			owned_filter_grow(&owned, 0) != FILTER_TOO_MANY_LAYERS || filter_capacity(&owned.filter.header) != FILTER_MAX_LAYERS)
			wrong(&failed, "%u layers", owned.filter.header.layers);
		for (int i = 0; i < FILTER_MAX_LAYERS; i++)
			if (!filter_contains(&owned.filter, hashes[i]))
				wrong(&failed, "value %d is lost", i);
		check_valid(&owned, "32 layers", &failed);

		/* Fill the last one: the filter then reports that it cannot grow, and has lost nothing. */
		for (int i = 0; i < 1000; i++)
		{
			FilterStatus status = owned_filter_add(&owned, random_next(&random), false);

			if (status != FILTER_OK && status != FILTER_TOO_MANY_LAYERS)
				wrong(&failed, "status %d", (int) status);
		}
		if (owned_filter_add(&owned, random_next(&random), false) != FILTER_TOO_MANY_LAYERS && type == FILTER_CUCKOO)
			wrong(&failed, "a filter of 32 layers accepts any number of values");
		for (int i = 0; i < FILTER_MAX_LAYERS; i++)
			if (!filter_contains(&owned.filter, hashes[i]))
				wrong(&failed, "value %d is lost", i);
		owned_filter_free(&owned);
	}
	none_wrong(failed, "32 layers work, and are the maximum");
}

/* A run ends where filter_contains first has another answer: next to each other, and after several batches of lookups. */
static void
test_runs(FilterType type)
{
	static uint64_t hashes[3000];
	const size_t count = sizeof(hashes) / sizeof(hashes[0]);
	Random		random = {5};
	uint64_t	failed = 0;

	random_fill(&random, hashes, count);
	for (size_t length = 1; length <= 900; length = length * 3 + 1)
	{
		OwnedFilter owned = owned_filter_create(type, 2000, 0.01);

		/* `length` values that were added, as many that were not, and so on. */
		for (size_t i = 0; i < count; i++)
			if (i / length % 2 == 0 && owned_filter_add(&owned, hashes[i], false) != FILTER_OK)
				bail_out("a value cannot be added");
		for (size_t start = 0; start <= count; start += 37)
			for (int wanted = 0; wanted <= 1; wanted++)
			{
				size_t		end = start;

				while (end < count && filter_contains(&owned.filter, hashes[end]) == (wanted == 1))
					end++;
				if (filter_contains_run(&owned.filter, hashes + start, count - start, wanted == 1) != end - start)
					wrong(&failed, "the run from %zu on does not end at %zu", start, end);
			}
		owned_filter_free(&owned);
	}
	none_wrong(failed, "%s: runs of hashes with one answer end where it changes", type == FILTER_BLOOM ? "bloom" : "cuckoo");
}

/*
 * A Bloom filter gets its second layer near its capacity: the estimate that it uses has a standard deviation below
 * sqrt(capacity), and is made only when an addition meets a crowded block.
 */
static void
test_bloom_growth(void)
{
	static const uint64_t capacities[] = {100, 500, 1000, 5000, 50000, 500000};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
		for (int together = 0; together <= 1; together++)
			for (uint64_t seed = 0; seed < (capacities[i] < 10000 ? 20 : 2); seed++)
			{
				uint64_t	capacity = capacities[i];
				OwnedFilter owned = owned_filter_create(FILTER_BLOOM, capacity, 0.01);
				Random		random = {seed};
				uint64_t   *hashes = zeroed_memory(2 * capacity * sizeof(uint64_t));
				uint64_t	taken = 0;
				size_t		done;
				bool		changed;
				double		margin = 4.0 * sqrt((double) capacity) + 2.0;

				random_fill(&random, hashes, (size_t) (2 * capacity));
				while (taken < 2 * capacity)
				{
					size_t		many = together ? (size_t) (2 * capacity - taken) : 1;
					FilterStatus status = filter_add_all(&owned.filter, hashes + taken, many, false, &done, &changed);

					taken += done;
					if (status == FILTER_FULL)
						break;
				}
				/* About one new value in a hundred is not counted, since it seems to be present already. */
				if (!(fabs((double) taken - (double) capacity) <= margin + 0.01 * (double) capacity))
					wrong(&failed, "capacity %" PRIu64 " takes %" PRIu64 " values", capacity, taken);
				if (filter_contains_run(&owned.filter, hashes, (size_t) taken, true) != taken)
					wrong(&failed, "capacity %" PRIu64 ": a value is lost", capacity);
				free(hashes);
				owned_filter_free(&owned);
			}
	none_wrong(failed, "bloom: full at its capacity, give or take 1%% plus 4 * sqrt(capacity)");
}

int
main(void)
{
	test_operations();
	check_exactness(1);
	check_exactness(10);
	check_exactness(1000);
	test_copies();
	test_many_copies(FILTER_BLOOM);
	test_many_copies(FILTER_CUCKOO);
	test_unique();
	test_full_changes_nothing(FILTER_BLOOM);
	test_full_changes_nothing(FILTER_CUCKOO);
	test_no_layers();
	test_most_layers();
	test_runs(FILTER_BLOOM);
	test_runs(FILTER_CUCKOO);
	test_bloom_growth();
	return done_testing();
}
