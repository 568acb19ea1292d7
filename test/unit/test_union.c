/*
 * Merged layers, compacted filters, unions and intersections have the values that they should, then and after more
 * operations.
 */
#include <string.h>

#include "core/bloom.h"
#include "multiset.h"

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

int
main(void)
{
	test_merge();
	test_compact();
	test_unions();
	test_bloom_union();
	test_intersection();
	return done_testing();
}
