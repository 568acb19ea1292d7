/*
 * Merged layers, compacted filters, unions and intersections have the values that they should, then and after more
 * operations.
 */
#include <string.h>

#include "core/bloom.h"
#include "multiset.h"

/* The entries in slots and stashes of all layers. */
static uint64_t
entries_of(const FilterView *filter)
{
	uint64_t	entries = 0;

	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		entries += cuckoo_entries(&cuckoo);
	}
	return entries;
}

/* Two filters of one geometry that together do not exceed its capacity merge into one layer. */
static void
check_merge(FilterType type, uint64_t capacity, double rate, uint64_t *failed)
{
	Multiset	set = create_multiset((size_t) capacity, capacity);
	OwnedFilter left = owned_filter_create(type, capacity, rate);
	OwnedFilter right = owned_filter_create(type, capacity, rate);
	OwnedFilter other = owned_filter_create(type, 10 * capacity + 100, rate);
	uint64_t	held = 0;

	/* A tenth of the values are in both, and some of them with copies. */
	for (size_t i = 0; i < set.count; i++)
	{
		unsigned	copies = i % 7 == 0 ? 1 + (unsigned) (i % 20) : 1;

		for (unsigned copy = 0; copy < copies && i * 10 / set.count < 5; copy++)
			(void) owned_filter_add(&left, set.value[i].hash, false);
		for (unsigned copy = 0; copy < copies && i * 10 / set.count >= 4 && i * 10 / set.count < 8; copy++)
			(void) owned_filter_add(&right, set.value[i].hash, false);
		set.value[i].copies = i * 10 / set.count < 8;
		held += set.value[i].copies;
	}
	(void) owned_filter_add(&other, set.value[0].hash, false);
	if (left.filter.header.layers != 1 || right.filter.header.layers != 1)
		wrong(failed, "capacity %" PRIu64 ": copies have made a filter grow", capacity);
	if (owned_filter_unite(&left, &right.filter) != FILTER_OK || left.filter.header.layers != 1)
		wrong(failed, "capacity %" PRIu64 ": two halves do not merge", capacity);
	check_held(&left.filter, &set, "merged", failed);
	check_valid(&left, "merged", failed);
	if (left.filter.header.is_set != (type == FILTER_CUCKOO))
		wrong(failed, "capacity %" PRIu64 ": a union is not a set", capacity);
	if (type == FILTER_CUCKOO && rate == EXACT)
	{
		for (size_t i = 0; i < set.count; i++)
			if (filter_count(&left.filter, set.value[i].hash) != set.value[i].copies)
				wrong(failed, "capacity %" PRIu64 ": a value is counted as %u", capacity,
					  filter_count(&left.filter, set.value[i].hash));
		if (filter_cardinality(&left.filter) != (double) held)
			wrong(failed, "capacity %" PRIu64 ": %.0f values became %.0f", capacity, (double) held,
				  filter_cardinality(&left.filter));
	}

	/* The same values again, from the union itself and from a part of it: nothing changes. */
	for (int pass = 0; pass < 2; pass++)
	{
		OwnedFilter before = owned_filter_copy(&left);

		if (owned_filter_unite(&left, pass == 0 ? &right.filter : &before.filter) != FILTER_OK ||
			left.image_bytes != before.image_bytes || memcmp(left.image, before.image, (size_t) left.image_bytes) != 0)
			wrong(failed, "capacity %" PRIu64 ": the same values again change a union", capacity);
		owned_filter_free(&before);
	}

	/* A layer of another geometry stays one of its own. */
	(void) owned_filter_add(&other, ~set.value[0].hash, false);
	if (owned_filter_unite(&left, &other.filter) != FILTER_OK || left.filter.header.layers != 2 ||
		!filter_same_geometry(&left.filter.header.layer[1], &other.filter.header.layer[0]) ||
		!filter_contains(&left.filter, ~set.value[0].hash))
		wrong(failed, "capacity %" PRIu64 ": layers of two sizes are merged", capacity);
	check_held(&left.filter, &set, "of two geometries", failed);
	check_valid(&left, "of two geometries", failed);
	owned_filter_free(&left);
	owned_filter_free(&right);
	owned_filter_free(&other);
	free(set.value);
}

/* What does not fit in a full layer becomes another one. */
static void
check_overflow(FilterType type, uint64_t capacity, double rate, uint64_t *failed)
{
	OwnedFilter left = owned_filter_create(type, capacity, rate);
	OwnedFilter right = owned_filter_create(type, capacity, rate);
	Multiset	set = create_multiset(2 * (size_t) capacity, capacity + 1);
	uint64_t	united;

	/* A third of the right one's values are in both. */
	for (size_t i = 0; i < capacity; i++)
	{
		set.value[i].copies = 1;
		left.filter.remaining = right.filter.remaining = 1;
		(void) owned_filter_add(&left, set.value[i].hash, false);
		set.value[i + 2 * capacity / 3].copies = 1;
		(void) owned_filter_add(&right, set.value[i + 2 * capacity / 3].hash, false);
	}
	if (owned_filter_unite(&left, &right.filter) != FILTER_OK || left.filter.header.layers != 2 ||
		!filter_same_geometry(&left.filter.header.layer[0], &left.filter.header.layer[1]))
		wrong(failed, "capacity %" PRIu64 ": a union of two full filters has %u layers", capacity, left.filter.header.layers);
	check_held(&left.filter, &set, "overflowing", failed);
	check_valid(&left, "overflowing", failed);
	if (type == FILTER_CUCKOO)
	{
		united = entries_of(&left.filter);
		if (united > capacity + 2 * capacity / 3 + 1 || (rate == EXACT && united != capacity + 2 * capacity / 3))
			wrong(failed, "capacity %" PRIu64 ": %u entries in a union of two full filters", capacity, (unsigned) united);
	}
	owned_filter_free(&left);
	owned_filter_free(&right);
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
			check_overflow((FilterType) type, capacities[i], 0.01, &failed);
			check_overflow((FilterType) type, capacities[i], EXACT, &failed);
		}
		none_wrong(failed, "%s: layers merge up to their capacity, as sets", type == FILTER_BLOOM ? "bloom" : "cuckoo");
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
		layers = owned.filter.header.layers;
		owned_filter_compact(&owned);
		check_held(&owned.filter, &set, "compacted", &failed);
		if (owned.filter.header.layers >= layers)
			wrong(&not_fewer, "%u layers became %u", layers, owned.filter.header.layers);
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

/* Values of a finer layer that a coarser one has already are dropped, and the layer with them. */
static void
test_finer_union(void)
{
	OwnedFilter left = owned_filter_create(FILTER_CUCKOO, 100, EXACT);
	OwnedFilter right = owned_filter_create(FILTER_CUCKOO, 100, EXACT);
	Multiset	set = create_multiset(100, 11);
	uint64_t	failed = 0;

	if (owned_filter_grow(&right, 0) != FILTER_OK)
		bail_out("a small filter does not grow");
	for (size_t i = 0; i < 80; i++)
	{
		set.value[i].copies = 1;
		if (owned_filter_add(&left, set.value[i].hash, false) != FILTER_OK ||
			(i % 2 == 0 && owned_filter_add(&right, set.value[i].hash, false) != FILTER_OK))
			bail_out("a value cannot be added");
	}
	if (owned_filter_unite(&left, &right.filter) != FILTER_OK || left.filter.header.layers != 1 || filter_cardinality(&left.filter) != 80)
		wrong(&failed, "a union with values that are there has %u layers", left.filter.header.layers);
	/* Of others, only these are left. */
	set.value[99].copies = 1;
	if (owned_filter_add(&right, set.value[99].hash, false) != FILTER_OK ||
		owned_filter_unite(&left, &right.filter) != FILTER_OK || filter_cardinality(&left.filter) != 81)
		wrong(&failed, "a union with one more value has %u entries", (unsigned) filter_cardinality(&left.filter));
	check_held(&left.filter, &set, "of a finer layer", &failed);
	check_valid(&left, "of a finer layer", &failed);
	none_wrong(failed, "a union drops the values of a finer layer that a coarser one has");
	free(set.value);
	owned_filter_free(&left);
	owned_filter_free(&right);
}

/* A union with an empty filter is the other one, with its counts; only if both have values, it is a set. */
static void
test_empty_union(void)
{
	uint64_t	failed = 0;

	for (int grown = 0; grown <= 1; grown++)
		for (uint64_t capacity = 0; capacity <= 100; capacity += 50)
			for (int set = 0; set <= 1; set++)
			{
				OwnedFilter full = owned_filter_create(FILTER_CUCKOO, 50, EXACT);
				OwnedFilter empty = owned_filter_create(FILTER_CUCKOO, capacity, EXACT);
				OwnedFilter with_empty;
				Multiset	values = create_multiset(grown ? 300 : 20, 9);

				for (size_t i = 0; i < values.count; i++)
					for (unsigned copies = 1 + i % 17; values.value[i].copies < copies; values.value[i].copies++)
						(void) owned_filter_add(&full, values.value[i].hash, false);
				/* It was in use, so that it has counters. */
				for (int i = 0; i < 10 && capacity > 0; i++)
					(void) owned_filter_add(&empty, 1, false);
				for (int i = 0; i < 10 && capacity > 0; i++)
					(void) filter_remove(&empty.filter, 1);
				if (capacity > 0 && (!empty.filter.header.layer[0].counted || !filter_is_empty(&empty.filter)))
					wrong(&failed, "capacity %u: it has no counters, or is not empty", (unsigned) capacity);
				if (set && owned_filter_become_set(&full) != FILTER_OK)
					wrong(&failed, "a filter does not become a set");
				with_empty = owned_filter_copy(&full);
				if (owned_filter_unite(&with_empty, &empty.filter) != FILTER_OK ||
					owned_filter_unite(&empty, &full.filter) != FILTER_OK)
					bail_out("a small union is too large");
				if (with_empty.filter.header.is_set != (set == 1) || empty.filter.header.is_set != (set == 1))
					wrong(&failed, "capacity %u: a union is a set, or no longer one", (unsigned) capacity);
				for (size_t i = 0; i < values.count; i++)
					if (filter_count(&with_empty.filter, values.value[i].hash) != filter_count(&full.filter, values.value[i].hash) ||
						filter_count(&empty.filter, values.value[i].hash) != filter_count(&full.filter, values.value[i].hash))
						wrong(&failed, "capacity %u: a count changes", (unsigned) capacity);
				check_valid(&with_empty, "a union with an empty filter", &failed);
				check_valid(&empty, "a union of an empty filter", &failed);
				free(values.value);
				owned_filter_free(&full);
				owned_filter_free(&empty);
				owned_filter_free(&with_empty);
			}
	none_wrong(failed, "a union with an empty filter is the other one");
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
						set.value[k].permanent |= set.value[values + k].permanent;
						set.value[values + k] = (Value) {~other.value[k].hash ^ 1, 0, false};
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
	test_empty_union();
	test_finer_union();
	test_unions();
	test_bloom_union();
	test_intersection();
	return done_testing();
}
