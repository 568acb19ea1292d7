/*
 * Many values together have the result that they have one by one: added, looked up, and built into a filter.
 */
#include <math.h>
#include <string.h>

#include "multiset.h"

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
	/* Of both types, in several layers and in one, for which there is other code. */
	for (int kind = 0; kind < 4; kind++)
	{
		OwnedFilter owned = owned_filter_create(kind < 2 ? FILTER_BLOOM : FILTER_CUCKOO, kind % 2 == 0 ? 10 : 1000, EXACT);

		if (owned_filter_add_all(&owned, present, 100, false) != FILTER_OK)
			wrong(&failed, "an add fails");
		if (filter_is_plain(&owned.filter.header) != (kind % 2 == 1))
			wrong(&failed, "the number of layers");
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
		if (filter_build(&owned.filter, hashes + at, 1000) != FILTER_OK)
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
			if (filter_build(&owned.filter, &set.value[built].hash, 1) != FILTER_OK)
				break;
		if (built < set.count)
			wrong(&failed, "%" PRIu64 " values: number %u finds no slot", capacities[i], (unsigned) built);
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

int
main(void)
{
	test_add_all();
	test_contains_run();
	test_contained();
	test_build_bloom();
	test_build_cuckoo();
	return done_testing();
}
