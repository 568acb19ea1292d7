/*
 * Whole filters: growth by layers, counting and removing in them, unions and merged layers, compared with an exact
 * multiset of values.
 *
 * The invariant: under legal operations (any add; a remove only of a value that is held; unique adds only if nothing
 * is ever removed) a value that is held is found, and its count is not below its copies while those are fewer than
 * four. If fingerprints are so long that no two values collide, counts and removes are exact as well.
 */
#include <math.h>
#include <string.h>

#include "core/bloom_kernels.h"
#include "core/cuckoo_fold.h"
#include "core/hash.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

/* A rate with slots of the minimum width, so that many values collide, and one at which none of a few thousand do. */
#define COLLIDING	0.5
#define EXACT		1e-7

/*
 * The multiset.
 */

typedef struct Value
{
	uint64_t	hash;
	unsigned	copies;			/* added and not removed, however many the filter counts */
} Value;

typedef struct Multiset
{
	size_t		count;
	Value	   *value;
} Multiset;

static Multiset
create_multiset(size_t count, uint64_t seed)
{
	Multiset	set = {count, zeroed_memory(count * sizeof(Value))};
	Random		random = {seed};

	for (size_t i = 0; i < count; i++)
		set.value[i].hash = random_next(&random);
	return set;
}

static unsigned
least_count(const Value *value)
{
	return value->copies < CUCKOO_STICKY_COUNT ? value->copies : CUCKOO_STICKY_COUNT;
}

static void
check_held(const Filter *filter, const Multiset *set, const char *when, uint64_t *failed)
{
	for (size_t i = 0; i < set->count; i++)
	{
		const Value *value = &set->value[i];

		if (value->copies > 0 && !filter_contains(filter, value->hash))
			wrong(failed, "%s: a value of %u copies is lost, with %u layers", when, value->copies, filter->layers);
		if (filter->type == FILTER_CUCKOO && filter_count(filter, value->hash) < least_count(value))
			wrong(failed, "%s: %u copies are counted as %u, with %u layers", when, value->copies,
				  filter_count(filter, value->hash), filter->layers);
	}
}

static void
check_valid(const OwnedFilter *owned, const char *when, uint64_t *failed)
{
	const char *reason = "";
	Filter		opened;

	if (filter_open(&opened, owned->image, owned->image_bytes, &reason) != FILTER_OK)
		wrong(failed, "%s: the image does not open: %s", when, reason);
}

/*
 * Random legal operations on a cuckoo filter.
 */

typedef struct Mix
{
	unsigned	adds;			/* in percent; the rest are removes */
	unsigned	favourites;		/* every n-th operation is on one of a few values; 0 for none */
	bool		compacts;
} Mix;

/* Whether every layer refines all older ones: then any value with fewer than four copies can be removed. */
static bool
is_nested(const Filter *filter)
{
	for (uint32_t layer = 1; layer < filter->layers; layer++)
	{
		CuckooLayer older = filter_cuckoo_layer(filter, layer - 1);
		CuckooLayer newer = filter_cuckoo_layer(filter, layer);

		if (!cuckoo_can_fold(&older, &newer))
			return false;
	}
	return true;
}

static void
operate(OwnedFilter *owned, Multiset *set, const Mix *mix, size_t operations, Random *random, const char *when,
		uint64_t *failed)
{
	for (size_t i = 0; i < operations; i++)
	{
		bool		favourite = mix->favourites > 0 && random_below(random, mix->favourites) == 0;
		Value	   *value = &set->value[random_below(random, favourite ? 3 : set->count)];

		if (random_below(random, 100) < mix->adds)
		{
			if (owned_filter_add(owned, value->hash, false) == FILTER_OK)
				value->copies++;
			else
				wrong(failed, "%s: an add fails", when);
		}
		else if (value->copies > 0)
		{
			unsigned	before = filter_count(&owned->filter, value->hash);

			value->copies--;
			if (filter_remove(&owned->filter, value->hash))
			{
				if (filter_count(&owned->filter, value->hash) + 1 != before)
					wrong(failed, "%s: after removing one of %u entries, %u remain", when, before,
						  filter_count(&owned->filter, value->hash));
			}
			else if (before < CUCKOO_STICKY_COUNT && is_nested(&owned->filter))
				wrong(failed, "%s: one of %u copies cannot be removed", when, before);
		}
		if (filter_count(&owned->filter, value->hash) < least_count(value))
			wrong(failed, "%s: %u copies are counted as %u", when, value->copies,
				  filter_count(&owned->filter, value->hash));
		if (mix->compacts && random_below(random, operations / 4 + 1) == 0)
			owned_filter_compact(owned);
		if (i % (operations / 10 + 1) == 0)
		{
			check_held(&owned->filter, set, when, failed);
			check_valid(owned, when, failed);
		}
	}
	check_held(&owned->filter, set, when, failed);
	check_valid(owned, when, failed);
}

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
	ok(owned.filter.layers > 1, "capacity %" PRIu64 ", no collisions: grows", capacity);
	for (size_t i = 0; i < set.count; i++)
		if (set.value[i].copies > 0)
			(void) filter_remove(&owned.filter, set.value[i].hash);
	for (uint32_t layer = 0; layer < owned.filter.layers; layer++)
		if (!filter_layer_is_empty(&owned.filter, layer) || filter_layer_fill(&owned.filter, layer) != 0.0)
			wrong(&failed, "layer %u is not empty", layer);
	none_wrong(failed, "capacity %" PRIu64 ", no collisions: all removed, all layers are empty", capacity);
	free(set.value);
	owned_filter_free(&owned);
}

/* Up to three copies are added and removed exactly, in any layers: with spare room, and in full layers. */
static void
check_copies(bool room, const char *when)
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
	if (room)
		for (int i = 0; i < VALUES; i += 2)
			(void) filter_remove(&owned.filter, hashes[i]);
	for (unsigned copies = 2; copies <= 3; copies++)
		for (int i = 1; i < VALUES; i += 2)
			if (owned_filter_add(&owned, hashes[i], false) != FILTER_OK ||
				filter_count(&owned.filter, hashes[i]) != copies)
				wrong(&failed, "%u copies counted as %u", copies, filter_count(&owned.filter, hashes[i]));
	for (unsigned copies = 3; copies-- > 0;)
		for (int i = 1; i < VALUES; i += 2)
			if (!filter_remove(&owned.filter, hashes[i]) || filter_count(&owned.filter, hashes[i]) != copies)
				wrong(&failed, "%u copies counted as %u", copies, filter_count(&owned.filter, hashes[i]));
	if (filter_cardinality(&owned.filter) != (room ? 0.0 : VALUES / 2))
		wrong(&failed, "%.0f entries remain", filter_cardinality(&owned.filter));
	none_wrong(failed, "two and three copies of many values are exact, %s", when);
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
		if (owned.filter.layers != 1 || !filter_contains(&owned.filter, hash))
			wrong(&failed, "%u layers", owned.filter.layers);
		if (type == FILTER_CUCKOO)
		{
			if (filter_count(&owned.filter, hash) != 4 || filter_cardinality(&owned.filter) != 4.0)
				wrong(&failed, "counted as %u", filter_count(&owned.filter, hash));
			if (filter_remove(&owned.filter, hash))
				wrong(&failed, "a sticky value is removed");
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
				if (owned_filter_grow(&owned, 0) != FILTER_OK)
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
			filter_capacity(&owned.filter) != 0 || filter_contains_run(&owned.filter, &hash, 1, true) != 0)
			wrong(&failed, "type %d", type);
		if (type == FILTER_CUCKOO && (filter_count(&owned.filter, hash) != 0 || filter_remove(&owned.filter, hash)))
			wrong(&failed, "type %d", type);
		if (owned_filter_add(&owned, hash, false) != FILTER_OK || filter_capacity(&owned.filter) != 1000)
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
		if (owned.filter.layers != FILTER_MAX_LAYERS || owned_filter_grow(&owned, 1) != FILTER_TOO_MANY_LAYERS ||
			owned_filter_grow(&owned, 0) != FILTER_TOO_MANY_LAYERS || filter_capacity(&owned.filter) != FILTER_MAX_LAYERS)
			wrong(&failed, "%u layers", owned.filter.layers);
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

/* Adding many together is the same as one by one, as far as `done` reports. */
static void
test_add_all(void)
{
	static const size_t counts[] = {0, 1, 5, 31, 32, 33, 64, 100, 1000};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (int unique = 0; unique <= 1; unique++)
		{
			OwnedFilter together = owned_filter_create(FILTER_CUCKOO, 40, 0.1);
			OwnedFilter one_by_one = owned_filter_create(FILTER_CUCKOO, 40, 0.1);
			Multiset	set = create_multiset(counts[i], i);
			uint64_t   *hashes = zeroed_memory(counts[i] * sizeof(uint64_t));
			bool		changed = false;
			size_t		done = 99999;
			FilterStatus status;

			for (size_t j = 0; j < counts[i]; j++)
				hashes[j] = set.value[j].hash;
			status = filter_add_all(&together.filter, hashes, counts[i], unique, &done, &changed);
			if (status == FILTER_OK ? done != counts[i] : done >= counts[i])
				wrong(&failed, "%u hashes: %u done", (unsigned) counts[i], (unsigned) done);
			if (changed != (counts[i] > 0))
				wrong(&failed, "%u hashes: changed", (unsigned) counts[i]);
			for (size_t j = 0; j < done; j++)
				if (!filter_contains(&together.filter, hashes[j]))
					wrong(&failed, "%u hashes: %u is lost", (unsigned) counts[i], (unsigned) j);
			owned_filter_free(&together);

			together = owned_filter_create(FILTER_CUCKOO, 40, 0.1);
			if (owned_filter_add_all(&together, hashes, counts[i], unique) != FILTER_OK)
				wrong(&failed, "an add fails");
			for (size_t j = 0; j < counts[i]; j++)
				if (owned_filter_add(&one_by_one, hashes[j], unique) != FILTER_OK)
					wrong(&failed, "an add fails");
			if (together.image_bytes != one_by_one.image_bytes ||
				memcmp(together.image, one_by_one.image, (size_t) together.image_bytes) != 0)
				wrong(&failed, "%u hashes: the bytes differ from those of adding one by one", (unsigned) counts[i]);
			owned_filter_free(&together);
			owned_filter_free(&one_by_one);
			free(hashes);
			free(set.value);
		}
	none_wrong(failed, "adding many hashes together is the same as one by one");
}

/* The first hash that is missing, or present, at any position in a list. */
static void
test_contains_run(void)
{
	uint64_t	failed = 0;
	uint64_t	present[100];
	uint64_t	absent[100];
	Random		random = {3};

	random_fill(&random, present, 100);
	random_fill(&random, absent, 100);
	for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
	{
		OwnedFilter owned = owned_filter_create((FilterType) type, 10, EXACT);

		if (owned_filter_add_all(&owned, present, 100, false) != FILTER_OK)
			wrong(&failed, "an add fails");
		for (size_t count = 0; count <= 100; count++)
			for (size_t at = 0; at <= count; at++)
			{
				uint64_t	some[100];
				uint64_t	others[100];

				memcpy(some, present, sizeof(some));
				memcpy(others, absent, sizeof(others));
				if (at < count)
				{
					some[at] = absent[at];
					others[at] = present[at];
				}
				if (filter_contains_run(&owned.filter, some, count, true) != at ||
					filter_contains_run(&owned.filter, others, count, false) != at)
					wrong(&failed, "%u of %u", (unsigned) at, (unsigned) count);
			}
		owned_filter_free(&owned);
	}
	none_wrong(failed, "a run of hashes ends at the first one with a different answer");
}

/* Which of a list of hashes a filter contains: the same as one by one. */
static void
check_contained(FilterType type, uint64_t capacity, double rate, Random *random, uint64_t *failed)
{
	OwnedFilter owned = owned_filter_create(type, capacity, rate);
	uint64_t	hashes[300];
	uint32_t	index[300];

	random_fill(random, hashes, 300);
	if (owned_filter_add_all(&owned, hashes, 150, false) != FILTER_OK)
		wrong(failed, "an add fails");
	for (size_t i = 0; i < 150; i++)
	{
		size_t		other = i + random_next(random) % (300 - i);
		uint64_t	hash = hashes[i];

		hashes[i] = hashes[other];
		hashes[other] = hash;
	}
	for (size_t count = 0; count <= 300; count++)
	{
		size_t		contained = filter_contained(&owned.filter, hashes, count, index);
		size_t		expected = 0;

		for (size_t i = 0; i < count; i++)
			if (filter_contains(&owned.filter, hashes[i]) && (expected >= contained || index[expected++] != i))
				wrong(failed, "type %d, capacity %u, rate %g: %u of %u", (int) type, (unsigned) capacity, rate,
					  (unsigned) i, (unsigned) count);
		if (contained != expected)
			wrong(failed, "type %d, capacity %u, rate %g: %u in place of %u", (int) type, (unsigned) capacity, rate,
				  (unsigned) contained, (unsigned) expected);
	}
	owned_filter_free(&owned);
}

/* For filters of one layer and of several, and for a layer of FILTER_FAR_BYTES. */
static void
test_contained(void)
{
	uint64_t	failed = 0;
	Random		random = {4};

	for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
	{
		for (size_t capacity = 10; capacity <= 10000; capacity *= 10)
			for (double rate = 1e-6; rate < 0.1; rate *= 100.0)
				check_contained((FilterType) type, capacity, rate, &random, &failed);
		check_contained((FilterType) type, FILTER_FAR_BYTES, 0.01, &random, &failed);
	}
	none_wrong(failed, "those that a filter contains are found together as one by one");
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
				double		spread = 4.0 * sqrt((double) capacity) + 2.0;

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
				if (!(fabs((double) taken - (double) capacity) <= spread + 0.01 * (double) capacity))
					wrong(&failed, "capacity %" PRIu64 " takes %" PRIu64 " values", capacity, taken);
				if (filter_contains_run(&owned.filter, hashes, (size_t) taken, true) != taken)
					wrong(&failed, "capacity %" PRIu64 ": a value is lost", capacity);
				free(hashes);
				owned_filter_free(&owned);
			}
	none_wrong(failed, "bloom: full at its capacity, give or take 1%% plus 4 * sqrt(capacity)");
}

/* A Bloom filter built from sorted hashes, as by an aggregate, is filled from one end. */
static void
test_build_bloom(void)
{
	enum
	{
		VALUES = 70000
	};
	OwnedFilter owned = owned_filter_create(FILTER_BLOOM, VALUES, 0.01);
	uint64_t   *hashes = zeroed_memory(VALUES * sizeof(uint64_t));
	uint64_t	failed = 0;

	for (uint64_t i = 0; i < VALUES; i++)
		hashes[i] = i * (UINT64_MAX / VALUES);
	for (size_t at = 0; at < VALUES; at += 1000)
		if (filter_build(&owned.filter, hashes + at, 1000, false) != FILTER_OK)
			wrong(&failed, "a Bloom filter cannot be full");
	if (filter_contains_run(&owned.filter, hashes, VALUES, true) != VALUES)
		wrong(&failed, "a value is lost");
	/* Values so evenly spaced leave no block with few, which makes the estimate too high. */
	if (fabs(filter_cardinality(&owned.filter) - VALUES) > 0.05 * VALUES)
		wrong(&failed, "it holds %.0f of %d values", filter_cardinality(&owned.filter), VALUES);
	none_wrong(failed, "bloom: a filter built from sorted hashes, as many as its capacity, holds each");
	free(hashes);
	owned_filter_free(&owned);
}

/* A cuckoo filter built at once holds the same as one filled by adding. */
static void
test_build_cuckoo(void)
{
	static const uint64_t capacities[] = {1, 5, 50, 500, 5000, 200000};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
	{
		Multiset	set = create_multiset((size_t) capacities[i], i);
		OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacities[i], EXACT);
		size_t		built = 0;

		for (; built < set.count; built++)
			if (filter_build(&owned.filter, &set.value[built].hash, 1, false) != FILTER_OK)
				break;
		if (built < set.count)
			wrong(&failed, "%" PRIu64 " values: number %u finds no place", capacities[i], (unsigned) built);
		for (size_t j = 0; j < built; j++)
			if (filter_count(&owned.filter, set.value[j].hash) != 1)
				wrong(&failed, "%" PRIu64 " values: one is counted as %u", capacities[i],
					  filter_count(&owned.filter, set.value[j].hash));
		if (filter_cardinality(&owned.filter) != (double) built)
			wrong(&failed, "%" PRIu64 " values: cardinality", capacities[i]);
		free(set.value);
		owned_filter_free(&owned);
	}
	none_wrong(failed, "cuckoo: a filter built from as many values as its capacity holds each once");
}

/* Two filters of one geometry that together do not exceed its capacity merge into one layer. */
static void
check_merge(FilterType type, uint64_t capacity, double rate, uint64_t *failed)
{
	Multiset	set = create_multiset((size_t) capacity, capacity);
	OwnedFilter left = owned_filter_create(type, capacity, rate);
	OwnedFilter right = owned_filter_create(type, capacity, rate);
	OwnedFilter other = owned_filter_create(type, 10 * capacity + 100, rate);
	double		entries;

	/* A tenth of the values are in both. */
	for (size_t i = 0; i < set.count; i++)
	{
		if (i * 10 / set.count < 5)
		{
			(void) owned_filter_add(&left, set.value[i].hash, false);
			set.value[i].copies++;
		}
		if (i * 10 / set.count >= 4 && i * 10 / set.count < 8)
		{
			(void) owned_filter_add(&right, set.value[i].hash, false);
			set.value[i].copies++;
		}
	}
	entries = filter_cardinality(&left.filter) + filter_cardinality(&right.filter);
	if (filter_can_merge_layer(&left.filter, 0, &other.filter, 0) && type == FILTER_BLOOM)
		wrong(failed, "capacity %" PRIu64 ": layers of two sizes can be merged", capacity);
	if (!owned_filter_merge_layer(&left.filter, 0, &right.filter, 0))
		wrong(failed, "capacity %" PRIu64 ": two halves do not merge", capacity);
	check_held(&left.filter, &set, "merged", failed);
	if (type == FILTER_CUCKOO && rate == EXACT)
	{
		for (size_t i = 0; i < set.count; i++)
			if (filter_count(&left.filter, set.value[i].hash) != set.value[i].copies)
				wrong(failed, "capacity %" PRIu64 ": %u copies counted as %u", capacity, set.value[i].copies,
					  filter_count(&left.filter, set.value[i].hash));
		if (filter_cardinality(&left.filter) != entries)
			wrong(failed, "capacity %" PRIu64 ": %.0f entries became %.0f", capacity, entries,
				  filter_cardinality(&left.filter));
	}

	/* It is full now: nothing more may be merged into it. */
	for (size_t i = 0; i < set.count; i++)
		(void) owned_filter_add(&right, set.value[i].hash, false);
	for (size_t i = 0; i < set.count && type == FILTER_CUCKOO; i++)
		(void) owned_filter_add(&right, ~set.value[i].hash, false);
	for (size_t i = 0; i < set.count && type == FILTER_BLOOM; i++)
	{
		BloomLayer	bloom = filter_bloom_layer(&right.filter, 0);

		(void) bloom_add(&bloom, ~set.value[i].hash);
	}
	if (filter_can_merge_layer(&left.filter, 0, &right.filter, 0))
		wrong(failed, "capacity %" PRIu64 ": more than the capacity can be merged", capacity);
	owned_filter_free(&left);
	owned_filter_free(&right);
	owned_filter_free(&other);
	free(set.value);
}

static void
test_merge(void)
{
	static const uint64_t capacities[] = {20, 100, 1000, 5000};

	for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
	{
		uint64_t	failed = 0;

		for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
		{
			check_merge((FilterType) type, capacities[i], 0.01, &failed);
			check_merge((FilterType) type, capacities[i], EXACT, &failed);
		}
		none_wrong(failed, "%s: layers merge up to their capacity", type == FILTER_BLOOM ? "bloom" : "cuckoo");
	}
}

/* After most of its values were removed, a grown filter can be compacted to fewer layers. */
static void
test_compact(void)
{
	static const double rates[] = {COLLIDING, 0.01, EXACT};
	uint64_t	failed = 0;
	uint64_t	not_fewer = 0;

	for (size_t i = 0; i < 3; i++)
	{
		OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, 100, rates[i]);
		Multiset	set = create_multiset(3000, i);
		uint32_t	layers;
		Random		random = {i};
		const Mix	afterwards = {50, 0, false};

		for (size_t j = 0; j < set.count; j++)
		{
			(void) owned_filter_add(&owned, set.value[j].hash, false);
			set.value[j].copies = 1;
		}
		for (size_t j = 0; j < set.count; j++)
			if (j % 40 != 0)
			{
				(void) filter_remove(&owned.filter, set.value[j].hash);
				set.value[j].copies = 0;
			}
		layers = owned.filter.layers;
		owned_filter_compact(&owned);
		check_held(&owned.filter, &set, "compacted", &failed);
		if (owned.filter.layers >= layers)
			wrong(&not_fewer, "%u layers became %u", layers, owned.filter.layers);
		if (rates[i] == EXACT)
			for (size_t j = 0; j < set.count; j++)
				if (filter_count(&owned.filter, set.value[j].hash) != set.value[j].copies)
					wrong(&failed, "%u copies counted as %u", set.value[j].copies,
						  filter_count(&owned.filter, set.value[j].hash));
		operate(&owned, &set, &afterwards, 6000, &random, "after compaction", &failed);
		free(set.value);
		owned_filter_free(&owned);
	}
	none_wrong(failed, "compaction loses nothing, then or later");
	none_wrong(not_fewer, "compaction leaves fewer layers");
}

/* Unions of grown filters of all kinds, and legal operations on them. */
static void
test_unions(void)
{
	static const uint64_t capacities[][2] = {{1, 1}, {1, 50}, {10, 10}, {20, 200}, {100, 100}, {500, 3}, {1000, 1000}};
	static const double rates[] = {COLLIDING, 0.1, 0.01, EXACT};

	for (int compacts = 0; compacts <= 1; compacts++)
	{
		uint64_t	failed = 0;

		for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
			for (size_t j = 0; j < sizeof(rates) / sizeof(rates[0]); j++)
				for (size_t values = 30; values <= 700; values *= 20)
				{
					const Mix	growing = {80, 9, false};
					const Mix	shrinking = {30, 9, compacts};
					OwnedFilter left = owned_filter_create(FILTER_CUCKOO, capacities[i][0], rates[j]);
					OwnedFilter right = owned_filter_create(FILTER_CUCKOO, capacities[i][1], rates[j]);
					Multiset	set = create_multiset(values, i);
					Multiset	other = create_multiset(values, i);
					Random		random = {values + j};

					/* Half of the other filter's values are different. */
					for (size_t k = 0; k < values; k += 2)
						other.value[k].hash = ~other.value[k].hash;
					operate(&left, &set, &growing, values, &random, "before union", &failed);
					operate(&right, &other, &growing, values, &random, "before union", &failed);
					if (owned_filter_unite(&left, &right.filter) != FILTER_OK)
						bail_out("a small union is too large");

					set.value = realloc(set.value, 2 * values * sizeof(Value));
					if (set.value == NULL)
						bail_out("out of memory");
					memcpy(set.value + values, other.value, values * sizeof(Value));
					set.count = 2 * values;
					for (size_t k = 1; k < values; k += 2)
					{
						set.value[k].copies += set.value[values + k].copies;
						set.value[values + k] = (Value) {~other.value[k].hash ^ 1, 0};
					}
					check_held(&left.filter, &set, "union", &failed);
					operate(&left, &set, &shrinking, 4 * values, &random, "after union", &failed);
					operate(&left, &set, &growing, values, &random, "after union", &failed);
					operate(&left, &set, &shrinking, 4 * values, &random, "after union", &failed);
					free(set.value);
					free(other.value);
					owned_filter_free(&left);
					owned_filter_free(&right);
				}
		none_wrong(failed, "unions%s: nothing is lost, then or later", compacts ? " and compaction" : "");
	}
}

static void
test_bloom_union(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 1000; capacity *= 10)
	{
		OwnedFilter left = owned_filter_create(FILTER_BLOOM, capacity, 0.01);
		OwnedFilter right = owned_filter_create(FILTER_BLOOM, capacity, 0.01);
		Multiset	set = create_multiset((size_t) capacity * 7, capacity);

		for (size_t i = 0; i < set.count; i++)
		{
			(void) owned_filter_add(i % 3 == 0 ? &left : &right, set.value[i].hash, false);
			set.value[i].copies = 1;
		}
		if (owned_filter_unite(&left, &right.filter) != FILTER_OK)
			bail_out("a small union is too large");
		check_held(&left.filter, &set, "bloom union", &failed);
		check_valid(&left, "bloom union", &failed);
		free(set.value);
		owned_filter_free(&left);
		owned_filter_free(&right);
	}
	none_wrong(failed, "bloom: a union of grown filters contains all values");
}

static bool
same_images(const OwnedFilter *a, const OwnedFilter *b)
{
	return a->image_bytes == b->image_bytes && memcmp(a->image, b->image, (size_t) a->image_bytes) == 0;
}

static OwnedFilter
create_fixed(FilterType type, uint64_t capacity, double rate)
{
	OwnedFilter owned = owned_filter_create(type, capacity, rate);

	filter_set_fixed(&owned.filter);
	return owned;
}

/* Ten times the capacity, added one at a time, all at once, or by unions, results in the same layer. */
static void
test_fixed_bloom(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 10000; capacity *= 10)
	{
		OwnedFilter one_by_one = create_fixed(FILTER_BLOOM, capacity, 0.01);
		OwnedFilter at_once = create_fixed(FILTER_BLOOM, capacity, 0.01);
		OwnedFilter united = create_fixed(FILTER_BLOOM, capacity, 0.01);
		OwnedFilter part = owned_filter_create(FILTER_BLOOM, capacity, 0.01);
		Multiset	set = create_multiset((size_t) capacity * 10, capacity);
		uint64_t   *hashes = zeroed_memory(set.count * sizeof(uint64_t));
		size_t		done;
		bool		changed = false;

		for (size_t i = 0; i < set.count; i++)
		{
			hashes[i] = set.value[i].hash;
			set.value[i].copies = 1;
			if (filter_add(&one_by_one.filter, hashes[i], false, &changed) != FILTER_OK)
				wrong(&failed, "capacity %" PRIu64 ": value %u is rejected", capacity, (unsigned) i);
			(void) filter_add(&part.filter, hashes[i], false, &changed);
			/* Parts that may grow, but did not need to, as either operand. */
			if (i % (capacity / 2 + 1) == 0 || i == set.count - 1)
			{
				if (i % 2 == 0 ? owned_filter_unite(&united, &part.filter) != FILTER_OK :
					owned_filter_unite(&part, &united.filter) != FILTER_OK)
					wrong(&failed, "capacity %" PRIu64 ": part of the values does not fit", capacity);
				if (i % 2 != 0)
				{
					owned_filter_free(&united);
					united = part;
				}
				else
					owned_filter_free(&part);
				part = owned_filter_create(FILTER_BLOOM, capacity, 0.01);
			}
		}
		if (filter_add_all(&at_once.filter, hashes, set.count, false, &done, &changed) != FILTER_OK || done != set.count || !changed)
			wrong(&failed, "capacity %" PRIu64 ": %u values are accepted", capacity, (unsigned) done);
		if (!same_images(&one_by_one, &at_once) || !same_images(&one_by_one, &united))
			wrong(&failed, "capacity %" PRIu64 ": the image differs", capacity);
		check_held(&at_once.filter, &set, "fixed bloom", &failed);
		check_valid(&at_once, "fixed bloom", &failed);
		if (at_once.filter.layers != 1 || !(filter_rate_now(&at_once.filter) > 0.1))
			wrong(&failed, "capacity %" PRIu64 ": the rate is %g", capacity, filter_rate_now(&at_once.filter));
		(void) filter_add_all(&at_once.filter, hashes, set.count, false, &done, &changed);
		if (!same_images(&one_by_one, &at_once))
			wrong(&failed, "capacity %" PRIu64 ": the same values change the image", capacity);
		free(hashes);
		free(set.value);
		owned_filter_free(&one_by_one);
		owned_filter_free(&at_once);
		owned_filter_free(&united);
		owned_filter_free(&part);
	}
	none_wrong(failed, "bloom: a filter that does not grow takes any number of values into its layer");
}

/* A filter is full only beyond its capacity or with all the wildcards it may have, and then stays unchanged. */
static void
test_fixed_cuckoo(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 20000; capacity = capacity * 3 + 1)
		for (unsigned copies = 1; copies <= CUCKOO_STICKY_COUNT; copies++)
		{
			OwnedFilter owned = create_fixed(FILTER_CUCKOO, capacity, 0.01);
			Multiset	set = create_multiset((size_t) capacity * 2 + 2, capacity);
			FilterStatus status = FILTER_OK;
			size_t		count = 0;
			Filter		next;
			double		bytes;

			while (status == FILTER_OK && count < set.count)
			{
				for (unsigned i = 0; i < copies && status == FILTER_OK; i++)
				{
					OwnedFilter before = owned_filter_copy(&owned);
					bool		changed;

					status = filter_add(&owned.filter, set.value[count].hash, false, &changed);
					set.value[count].copies += status == FILTER_OK;
					if (status == FILTER_FULL && (changed || !same_images(&before, &owned)))
						wrong(&failed, "capacity %" PRIu64 ": FULL, and something changed", capacity);
					owned_filter_free(&before);
				}
				count++;
			}
			next = owned.filter;
			if (status != FILTER_FULL || filter_append_layer(&next, 0, &bytes) != FILTER_FULL || next.layers != 1)
				wrong(&failed, "capacity %" PRIu64 ": it grows", capacity);
			if (copies == 1 && capacity >= 100 && filter_cardinality(&owned.filter) < (double) capacity)
				wrong(&failed, "capacity %" PRIu64 ": full at %g", capacity, filter_cardinality(&owned.filter));
			/* A small layer has room for more copies than its capacity. */
			if (filter_cardinality(&owned.filter) <= 1.1 * (double) capacity && filter_rate_now(&owned.filter) > 1.5 * 0.01)
				wrong(&failed, "capacity %" PRIu64 ", %u copies: the rate is %g", capacity, copies, filter_rate_now(&owned.filter));
			check_held(&owned.filter, &set, "fixed cuckoo", &failed);
			check_valid(&owned, "fixed cuckoo", &failed);
			free(set.value);
			owned_filter_free(&owned);
		}
	none_wrong(failed, "cuckoo: a filter that does not grow becomes full, and keeps the values that it holds");
}

/* Copies of a sticky value take no room, however full the filter is. */
static void
test_fixed_sticky(void)
{
	OwnedFilter owned = create_fixed(FILTER_CUCKOO, 1000, 0.01);
	Random		random = {7};
	uint64_t	sticky = random_next(&random);
	uint64_t	failed = 0;
	bool		changed;

	for (int i = 0; i < CUCKOO_STICKY_COUNT; i++)
		if (filter_add(&owned.filter, sticky, false, &changed) != FILTER_OK || !changed)
			wrong(&failed, "copy %d is rejected", i);
	while (filter_add(&owned.filter, random_next(&random), false, &changed) == FILTER_OK)
		;
	for (int i = 0; i < 1000; i++)
		if (filter_add(&owned.filter, sticky, false, &changed) != FILTER_OK || changed)
			wrong(&failed, "another copy is rejected, or changes the filter");
	none_wrong(failed, "cuckoo: a full filter accepts more copies of a sticky value");
	owned_filter_free(&owned);
}

/* Unions in which one or both filters do not grow: either all values of both, or an error. */
static void
test_fixed_union(FilterType type)
{
	uint64_t	failed = 0;
	int			fit = 0;
	int			full = 0;

	for (uint64_t capacity = 10; capacity <= 3000; capacity = capacity * 2 + 1)
		for (unsigned percent = 0; percent <= 100; percent += 20)
		{
			OwnedFilter left = create_fixed(type, capacity, 0.01);
			OwnedFilter right = owned_filter_create(type, capacity, 0.01);
			OwnedFilter other = owned_filter_create(type, capacity * 2, 0.01);
			OwnedFilter from_left,
						from_right;
			Multiset	set = create_multiset((size_t) (capacity * (40 + percent) / 100), capacity + percent);
			FilterStatus status;
			bool		changed;

			for (size_t i = 0; i < set.count; i++)
			{
				(void) filter_add(i % 2 == 0 ? &left.filter : &right.filter, set.value[i].hash, false, &changed);
				set.value[i].copies = 1;
			}
			if (percent % 40 == 0)
				filter_set_fixed(&right.filter);
			from_left = owned_filter_copy(&left);
			from_right = owned_filter_copy(&right);
			status = owned_filter_unite(&from_left, &right.filter);
			if (owned_filter_unite(&from_right, &left.filter) != status)
				wrong(&failed, "capacity %" PRIu64 ", %u %%: the order matters", capacity, percent);
			if (type == FILTER_BLOOM ? status != FILTER_OK : (status == FILTER_OK) != (set.count <= capacity))
				wrong(&failed, "capacity %" PRIu64 ", %u values: %d", capacity, (unsigned) set.count, (int) status);
			fit += status == FILTER_OK;
			full += status == FILTER_FULL;
			if (status == FILTER_OK)
			{
				check_held(&from_left.filter, &set, "fixed union", &failed);
				check_held(&from_right.filter, &set, "fixed union", &failed);
				if (!from_left.filter.fixed || !from_right.filter.fixed || from_left.image_bytes != left.image_bytes ||
					from_right.image_bytes != left.image_bytes)
					wrong(&failed, "capacity %" PRIu64 ": the size differs", capacity);
			}
			else if (!same_images(&from_left, &left) || !same_images(&from_right, &right))
				wrong(&failed, "capacity %" PRIu64 ": an error, and something changed", capacity);

			/* Another geometry is accepted if the filter is empty, unless it does not grow either. */
			if (owned_filter_unite(&from_left, &other.filter) != FILTER_OK)
				wrong(&failed, "capacity %" PRIu64 ": an empty filter is rejected", capacity);
			(void) filter_add(&other.filter, set.value[0].hash, false, &changed);
			if (owned_filter_unite(&from_left, &other.filter) != FILTER_OTHER_GEOMETRY ||
				owned_filter_unite(&other, &from_left.filter) != FILTER_OTHER_GEOMETRY)
				wrong(&failed, "capacity %" PRIu64 ": a filter of another geometry is united", capacity);
			owned_filter_free(&other);
			other = create_fixed(type, capacity * 2, 0.01);
			if (owned_filter_unite(&from_left, &other.filter) != FILTER_OTHER_GEOMETRY)
				wrong(&failed, "capacity %" PRIu64 ": a fixed filter of another geometry is united", capacity);
			free(set.value);
			owned_filter_free(&left);
			owned_filter_free(&right);
			owned_filter_free(&other);
			owned_filter_free(&from_left);
			owned_filter_free(&from_right);
		}
	none_wrong(failed, "%s: unions with a filter that does not grow", type == FILTER_BLOOM ? "bloom" : "cuckoo");
	ok(fit > 10 && (full > 10) == (type == FILTER_CUCKOO), "%s: some unions fit and some do not (%d, %d)",
	   type == FILTER_BLOOM ? "bloom" : "cuckoo", fit, full);
}

static void
test_intersection(void)
{
	OwnedFilter left = owned_filter_create(FILTER_BLOOM, 1000, 0.01);
	OwnedFilter right = owned_filter_create(FILTER_BLOOM, 1000, 0.01);
	OwnedFilter larger = owned_filter_create(FILTER_BLOOM, 2000, 0.01);
	OwnedFilter grown = owned_filter_create(FILTER_BLOOM, 1000, 0.01);
	Multiset	set = create_multiset(900, 1);
	uint64_t	lost = 0;
	uint64_t	left_over = 0;

	if (owned_filter_grow(&grown, 0) != FILTER_OK)
		bail_out("no second layer");
	for (size_t i = 0; i < set.count; i++)
	{
		if (i < 600)
			(void) owned_filter_add(&left, set.value[i].hash, false);
		if (i >= 300)
			(void) owned_filter_add(&right, set.value[i].hash, false);
	}
	ok(filter_intersect(&left.filter, &larger.filter) == FILTER_OTHER_GEOMETRY &&
	   filter_intersect(&left.filter, &grown.filter) == FILTER_OTHER_GEOMETRY &&
	   filter_intersect(&grown.filter, &left.filter) == FILTER_OTHER_GEOMETRY,
	   "intersection: only of filters of one layer and of the same geometry");
	ok(filter_intersect(&left.filter, &right.filter) == FILTER_OK, "intersection: of two such filters");
	for (size_t i = 300; i < 600; i++)
		lost += !filter_contains(&left.filter, set.value[i].hash);
	for (size_t i = 0; i < 300; i++)
		left_over += filter_contains(&left.filter, set.value[i].hash);
	is(lost, 0, "intersection: contains every common value");
	if (!ok(left_over < 30, "intersection: contains few other values"))
		diag("%" PRIu64 " of 300", left_over);
	owned_filter_free(&left);
	owned_filter_free(&right);
	owned_filter_free(&larger);
	owned_filter_free(&grown);
	free(set.value);
}

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
	test_add_all();
	test_contains_run();
	test_contained();
	test_bloom_growth();
	test_build_bloom();
	test_build_cuckoo();
	test_merge();
	test_compact();
	test_unions();
	test_bloom_union();
	test_fixed_bloom();
	test_fixed_cuckoo();
	test_fixed_sticky();
	test_fixed_union(FILTER_BLOOM);
	test_fixed_union(FILTER_CUCKOO);
	test_intersection();
	test_figures();
	test_cardinality_estimate(FILTER_BLOOM);
	test_cardinality_estimate(FILTER_CUCKOO);
	return done_testing();
}
