/*
 * A prepared filter gives the answers of core/filter.h: for filters of both types, with and without layers, small, growing
 * and not, and with a stash; with the instructions of this CPU and without.
 */
#include "core/cpu.h"
#include "core/cuckoo_stash.h"
#include "core/filter.h"
#include "chosen_hashes.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#include <string.h>

#define VALUES 3000

static void
use_instructions(bool avx2, bool bmi)
{
#if FILTER_DETECTS_CPU
	filter_cpu_has_avx2 = avx2;
	filter_cpu_has_bmi = bmi;
#else
	(void) avx2;
	(void) bmi;
#endif
}

/* Add a value; the filter is prepared again if it gets another image. */
static void
add(OwnedFilter *owned, PreparedFilter *prepared, uint64_t hash)
{
	bool		changed;

	while (filter_add(&owned->filter, hash, false, &changed) != FILTER_OK)
	{
		if (owned_filter_enlarge(owned, hash) != FILTER_OK)
			return;
		filter_prepare(prepared, &owned->filter);
	}
}

/* Every value is added in its turn, with a copy of an earlier one. */
static void
use_filter(OwnedFilter *owned, const uint64_t *values, size_t count, const char *name, uint64_t *failed)
{
	PreparedFilter prepared;
	size_t		different = 0;

	filter_prepare(&prepared, &owned->filter);
	for (size_t i = 0; i < count; i++)
	{
		uint64_t	again = values[i / 2];
		uint64_t	later = values[(i + count / 2) % count];

		add(owned, &prepared, values[i]);
		add(owned, &prepared, again);
		different += filter_contains(&owned->filter, later) != prepared_contains(&prepared, later);
		different += !owned->filter.header.fixed && !prepared_contains(&prepared, again);
	}
	if (owned->filter.header.layers > 0)
	{
		OwnedFilter copy = owned_filter_copy(owned);

		/* At another address, the answers are those of what is there: here, mostly nothing. */
		memset(copy.image + copy.filter.header.layer[0].offset, 0, (size_t) copy.filter.header.layer[0].bytes);
		prepared_move(&prepared, &owned->filter, copy.image);
		for (size_t i = 0; i < count; i++)
			different += prepared_contains(&prepared, values[i]) != filter_contains(&copy.filter, values[i]);
		prepared_move(&prepared, &owned->filter, owned->image);
		owned_filter_free(&copy);
	}
	if (different > 0)
		wrong(failed, "%s: %u differences", name, (unsigned) different);
}

static void
test_shape(FilterType type, uint64_t capacity, double rate, bool fixed, const uint64_t *values, size_t count,
		   const char *name, uint64_t *failed)
{
	OwnedFilter owned = owned_filter_create(type, capacity, rate);

	if (fixed)
		filter_set_fixed(&owned.filter);
	use_filter(&owned, values, count, name, failed);
	owned_filter_free(&owned);
}

static void
test_shapes(FilterType type, const char *variant)
{
	static const double rates[] = {0.3, 0.03, 0.01, 0.001, 1e-5, 1e-7};
	const char *type_name = type == FILTER_BLOOM ? "Bloom" : "cuckoo";
	uint64_t	values[VALUES];
	uint64_t	failed = 0;
	char		name[100];
	Random		random = {17};

	for (size_t i = 0; i < VALUES; i++)
		values[i] = random_next(&random);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (uint64_t capacity = 0; capacity <= 3 * VALUES; capacity = capacity == 0 ? 5 : 6 * capacity)
			for (int fixed = 0; fixed <= (capacity > 0); fixed++)
			{
				size_t		count = fixed && capacity < VALUES ? capacity * 9 / 10 : VALUES;

				snprintf(name, sizeof(name), "capacity %u, rate %g%s", (unsigned) capacity, rates[i], fixed ? ", fixed" : "");
				test_shape(type, capacity, rates[i], fixed == 1, values, count, name, &failed);
			}
	none_wrong(failed, "a prepared %s filter is equivalent, %s", type_name, variant);
}

/* Hashes that share their positions, so that some are in the stash. */
static void
test_stash(const char *variant)
{
	uint64_t	values[VALUES];
	uint64_t	failed = 0;
	Random		random = {18};
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, VALUES, 0.001);
	CuckooLayer stashed;

	for (size_t count = 0; count < VALUES;)
	{
		CuckooLayer layer = filter_cuckoo_layer(&owned.filter, 0);
		uint64_t	chosen[MAX_CHOSEN];
		size_t		found = choose_hashes(&layer, random_next(&random) >> 32, &random, chosen);

		for (size_t i = 0; i < found && count < VALUES; i++)
			values[count++] = chosen[i];
	}
	use_filter(&owned, values, VALUES, "hashes in one place", &failed);
	stashed = filter_cuckoo_layer(&owned.filter, 0);
	ok(owned.filter.header.has_stash && cuckoo_stash_used(&stashed) > 0, "some are in the stash");
	owned_filter_free(&owned);
	none_wrong(failed, "a prepared filter with a stash is equivalent, %s", variant);
}

static void
test_all(const char *variant)
{
	test_shapes(FILTER_BLOOM, variant);
	test_shapes(FILTER_CUCKOO, variant);
	test_stash(variant);
}

int
main(void)
{
#if FILTER_DETECTS_CPU
	bool		avx2 = filter_cpu_has_avx2,
				bmi = filter_cpu_has_bmi;

	test_all("as this CPU can");
	use_instructions(false, false);
	test_all("as any CPU can");
	use_instructions(avx2, bmi);
#else
	test_all("as any CPU can");
	(void) use_instructions;
#endif
	return done_testing();
}
