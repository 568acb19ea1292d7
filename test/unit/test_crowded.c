/*
 * Values chosen to share their windows, in filters of every size: nothing is lost, no add or merge fails, and size
 * and time stay within bounds. Values that were not chosen cause no wildcards.
 *
 * The attacker knows the newest layer at any time, as anyone does who has the filter or maintains a copy. For a
 * chosen lower window the attacker searches for fingerprints with the same upper window, and makes three different
 * hashes of each.
 */
#include <math.h>
#include <string.h>

#include "chosen_hashes.h"
#include "core/cuckoo.h"
#include "core/filter.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

static CuckooLayer
newest_layer(const Filter *filter)
{
	return filter_cuckoo_layer(filter, filter->layers - 1);
}

typedef struct Held
{
	uint64_t	entries;
	uint64_t	covered;
	uint64_t	windows;
	uint64_t	slots;
} Held;

static Held
look_into(const Filter *filter)
{
	Held		held = {0, 0, 0, 0};

	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		held.entries += cuckoo_entries(&cuckoo);
		held.covered += cuckoo_windows_covered(&cuckoo);
		held.windows += (uint64_t) cuckoo.pages * cuckoo.windows;
		held.slots += cuckoo_slots(&cuckoo);
	}
	return held;
}

static OwnedFilter
create(uint64_t capacity, double rate)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, rate);

	owned_filter_set_kind(&owned, VALUE_KIND_INTEGER, "");
	return owned;
}

/* Add chosen hashes in groups that share their windows: this number of groups per lower window, one after another. */
static void
attack(OwnedFilter *owned, uint64_t *hashes, size_t count, size_t groups, Random *random)
{
	size_t		added = 0;

	while (added < count)
	{
		uint64_t	high = random_next(random) >> 32;

		for (size_t group = 0; group < groups; group++)
		{
			CuckooLayer newest = newest_layer(&owned->filter);
			uint64_t	chosen[MAX_CHOSEN];
			size_t		of_group = choose_hashes(&newest, high, random, chosen);

			for (size_t i = 0; i < of_group && added < count; i++)
			{
				if (owned_filter_add(owned, chosen[i], false) != FILTER_OK)
					bail_out("a chosen value cannot be added");
				hashes[added++] = chosen[i];
			}
		}
	}
}

static void
check_content(const OwnedFilter *owned, const char *name)
{
	OwnedFilter copy = owned_filter_copy(owned);
	const char *reason = "";
	Filter		opened;

	ok(filter_open(&opened, copy.image, copy.image_bytes, &reason) == FILTER_OK &&
	   filter_check_content(&opened, &reason) == FILTER_OK && opened.crowded == owned->filter.crowded,
	   "%s: a valid image %s", name, reason);
	copy.image[17] = 0;
	ok(!owned->filter.crowded ||
	   (filter_open(&opened, copy.image, copy.image_bytes, &reason) == FILTER_OK &&
		(look_into(&owned->filter).covered == 0) == (filter_check_content(&opened, &reason) == FILTER_OK)),
	   "%s: an image with wildcards is not valid without its flag", name);
	owned_filter_free(&copy);
}

static unsigned
count_by_ranges(const Filter *filter, uint64_t hash)
{
	unsigned	count = 0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		FilterRange range[2];
		const uint8_t *bytes[2];

		(void) filter_lookup_ranges(filter, layer, hash, range);
		bytes[0] = filter->image + range[0].offset;
		bytes[1] = filter->image + range[1].offset;
		count += filter_ranges_count(filter, layer, hash, bytes);
	}
	return count;
}

/* All are found by each kind of lookup, and the measured rate is the expected one. */
static void
check_found(const Filter *filter, const uint64_t *hashes, size_t count, const char *name)
{
	size_t		lost = 0;

	for (size_t i = 0; i < count; i++)
		lost += !filter_contains(filter, hashes[i]) || filter_count(filter, hashes[i]) == 0 ||
			count_by_ranges(filter, hashes[i]) != filter_count(filter, hashes[i]);
	ok(lost == 0 && filter_contains_run(filter, hashes, count, true) == count, "%s: nothing is lost (%u)", name,
	   (unsigned) lost);
}

static void
check_rate(const Filter *filter, Random *random, const char *name)
{
	double		expected = filter_rate_now(filter);
	double		found = 0.0;
	int			probes = (int) repeats(200000);

	for (int i = 0; i < probes; i++)
		found += filter_contains(filter, random_next(random));
	found /= probes;
	/* The expected rate assumes that layers are independent, but the same windows are covered in several of them. */
	ok(found < expected * 1.25 + 0.002 && found > expected * 0.75 - 0.002,
	   "%s: false positive rate of other values: %.4f, expected: %.4f", name, found, expected);
}

/* The bounds that docs/security.md and cuckoo_filter.c state. */
static void
check_bounds(const Filter *filter, size_t chosen, uint64_t first_slots, const char *name)
{
	Held		held = look_into(filter);
	double		most = fmax((double) first_slots, fmax(4.0 * CUCKOO_PAGE_SLOTS, 85.0 * (double) chosen));
	bool		within = true;

	ok((double) held.slots <= most, "%s: %.0f slots for %.0f entries and %.0f windows covered", name,
	   (double) held.slots, (double) held.entries, (double) held.covered);
	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		within &= 16 * cuckoo_windows_covered(&cuckoo) <= (uint64_t) cuckoo.pages * cuckoo.windows;
	}
	ok(within, "%s: at most a sixteenth of the windows of each layer is covered", name);
}

static void
test_attack(uint64_t capacity, double rate, size_t count, size_t groups, double most_bytes)
{
	Random		random = {capacity + count};
	OwnedFilter owned = create(capacity, rate);
	uint64_t   *hashes = zeroed_memory(count * sizeof(uint64_t));
	uint64_t   *others = zeroed_memory(2000 * sizeof(uint64_t));
	uint64_t	first_slots = look_into(&owned.filter).slots;
	char		name[100];

	snprintf(name, sizeof(name), "capacity %.0f, rate %g, %u chosen, %u a window", (double) capacity, rate,
			 (unsigned) count, (unsigned) (groups * MAX_CHOSEN));
	attack(&owned, hashes, count, groups, &random);
	check_found(&owned.filter, hashes, count, name);
	check_bounds(&owned.filter, count, first_slots, name);
	ok((double) owned.image_bytes <= most_bytes, "%s: %.0f bytes", name, (double) owned.image_bytes);
	check_rate(&owned.filter, &random, name);
	check_content(&owned, name);

	/* Other users' additions are not affected. */
	random_fill(&random, others, 2000);
	ok(owned_filter_add_all(&owned, others, 2000, false) == FILTER_OK, "%s: other values can be added", name);
	check_found(&owned.filter, others, 2000, name);
	check_found(&owned.filter, hashes, count, name);
	for (size_t i = 0; i < 1000; i++)
		(void) filter_remove(&owned.filter, others[i]);
	check_found(&owned.filter, others + 1000, 1000, name);
	for (size_t i = 0; i < count / 2; i++)
		(void) filter_remove(&owned.filter, hashes[i]);
	check_found(&owned.filter, hashes + count / 2, count - count / 2, name);
	owned_filter_compact(&owned);
	check_found(&owned.filter, others + 1000, 1000, name);
	check_found(&owned.filter, hashes + count / 2, count - count / 2, name);
	check_content(&owned, name);
	free(hashes);
	free(others);
	owned_filter_free(&owned);
}

/*
 * The fewest values per covered window: all have the same upper window, which is full of copies of one value. Then
 * three of the same lower window cover it and its neighbour.
 */
static void
test_most_covered(void)
{
	Random		random = {11};
	OwnedFilter owned = create(100000, 1e-6);
	CuckooLayer layer = newest_layer(&owned.filter);
	uint32_t	shift = 33 - layer.slot_bits;
	CuckooPlace crowd = cuckoo_place(&layer, 0);
	double		windows = (double) layer.pages * layer.windows;
	uint64_t	hashes[7504] = {0};
	size_t		count = 4;
	uint64_t	covered;

	for (uint32_t fingerprint = 2; count < 7504; fingerprint++)
	{
		uint32_t	window = cuckoo_other_window(&layer, crowd.window[1], fingerprint);
		uint64_t	high = (uint64_t) ldexp((window + 0.5) / windows, 32);

		for (int i = 0; i < 3; i++)
			hashes[count++] = high << 32 | (uint64_t) fingerprint << shift | random_below(&random, UINT64_C(1) << shift);
	}
	for (size_t i = 0; i < count; i++)
		if (owned_filter_add(&owned, hashes[i], false) != FILTER_OK)
			bail_out("a chosen value cannot be added");
	layer = filter_cuckoo_layer(&owned.filter, 0);
	covered = cuckoo_windows_covered(&layer);
	ok(owned.filter.layers == 2 && (double) covered <= windows / 16.0 && (double) covered > windows / 16.0 - 3.0,
	   "3 values for 2 windows: %u layers, %.0f of %.0f windows covered", owned.filter.layers, (double) covered, windows);
	check_found(&owned.filter, hashes, count, "3 values for 2 windows");
	owned_filter_free(&owned);
}

/* An aggregate of chosen values: a few attempts bound its size, and covered windows bound the rate for other values. */
static void
test_build(size_t count, size_t chosen)
{
	Random		random = {count * 31 + chosen};
	Filter		planned;
	OwnedFilter built;
	CuckooLayer layer;
	uint64_t   *hashes = zeroed_memory((count + MAX_CHOSEN) * sizeof(uint64_t));
	uint64_t	planned_slots;
	double		bytes;
	char		name[100];

	snprintf(name, sizeof(name), "building from %u values, %u of them chosen", (unsigned) count, (unsigned) chosen);
	(void) filter_init(&planned, FILTER_CUCKOO, 0.01);
	if (filter_append_layer(&planned, count, &bytes) != FILTER_OK)
		bail_out("a layer of moderate size cannot be created");
	planned.kind.code = VALUE_KIND_INTEGER;
	layer = filter_cuckoo_layer(&planned, 0);
	planned_slots = cuckoo_slots(&layer);
	random_fill(&random, hashes, count);
	for (size_t i = 0; i < chosen;)
		i += choose_hashes(&layer, random_next(&random) >> 32, &random, hashes + i);
	for (int attempt = 0;; attempt++)
	{
		built.filter = planned;
		if (attempt > FILTER_BUILD_ATTEMPTS || !owned_filter_allocate(&built))
			bail_out("a layer cannot be built from chosen values");
		if (filter_build(&built.filter, hashes, count, attempt == FILTER_BUILD_ATTEMPTS) == FILTER_OK)
			break;
		owned_filter_free(&built);
		(void) filter_enlarge_newest(&planned, &bytes);
	}
	check_found(&built.filter, hashes, count, name);
	ok((double) look_into(&built.filter).slots < 1.25 * (double) planned_slots + 40.0, "%s: %.0f slots instead of %.0f",
	   name, (double) look_into(&built.filter).slots, (double) planned_slots);
	ok((double) look_into(&built.filter).covered <= (double) chosen, "%s: %.0f windows of %.0f covered", name,
	   (double) look_into(&built.filter).covered, (double) look_into(&built.filter).windows);
	check_rate(&built.filter, &random, name);
	check_content(&built, name);
	free(hashes);
	owned_filter_free(&built);
}

/* Unions of filters with values of the same windows, far more filters than a filter can have layers. */
static void
test_union(uint64_t capacity)
{
	Random		random = {capacity};
	OwnedFilter sum = create(capacity, 0.01);
	CuckooLayer layer = newest_layer(&sum.filter);
	uint64_t	chosen[100][MAX_CHOSEN];
	size_t		counts[100];
	size_t		lost = 0;
	bool		united = true;

	for (int i = 0; i < 100; i++)
	{
		OwnedFilter one = create(capacity, 0.01);

		counts[i] = choose_hashes(&layer, UINT64_C(0x12345678), &random, chosen[i]);
		counts[i] = counts[i] > 4 ? 4 : counts[i];
		united &= owned_filter_add_all(&one, chosen[i], counts[i], false) == FILTER_OK &&
			owned_filter_unite(&sum, &one.filter) == FILTER_OK;
		owned_filter_free(&one);
	}
	for (int i = 0; i < 100; i++)
		for (size_t j = 0; j < counts[i]; j++)
			lost += !filter_contains(&sum.filter, chosen[i][j]);
	ok(united && lost == 0 && sum.filter.layers <= 17, "a union of 100 filters of capacity %.0f has %u layers, and lost %u",
	   (double) capacity, sum.filter.layers, (unsigned) lost);
	check_content(&sum, "a union");
	owned_filter_compact(&sum);
	lost = 0;
	for (int i = 0; i < 100; i++)
		for (size_t j = 0; j < counts[i]; j++)
			lost += !filter_contains(&sum.filter, chosen[i][j]);
	ok(lost == 0, "the union of capacity %.0f, compacted, lost %u", (double) capacity, (unsigned) lost);
	owned_filter_free(&sum);
}

/* A filter that can have no more layers accepts chosen values while it has room. */
static void
test_last_layer(void)
{
	Random		random = {5};
	OwnedFilter owned = create(1000, 0.01);
	uint64_t	hashes[600];

	while (owned.filter.layers < FILTER_MAX_LAYERS)
		if (owned_filter_grow(&owned, 1000) != FILTER_OK)
			bail_out("a layer cannot be appended");
	random_fill(&random, hashes, 600);
	if (owned_filter_add_all(&owned, hashes, 300, false) != FILTER_OK)
		bail_out("the last layer is full from the beginning");
	attack(&owned, hashes + 300, 300, 3, &random);
	check_found(&owned.filter, hashes, 600, "the last layer");
	check_content(&owned, "the last layer");
	owned_filter_free(&owned);
}

/* Folding a layer with wildcards covers every value that was covered, in any coarser geometry. */
static void
test_fold(void)
{
	static const uint32_t divisors[] = {1, 2, 3, 4, 6, 12};
	Random		random = {77};
	uint64_t	lost = 0,
				covered_less = 0;

	for (int run = 0; run < 200; run++)
		for (size_t i = 0; i < sizeof(divisors) / sizeof(divisors[0]); i++)
		{
			uint32_t	divisor = divisors[i];
			uint32_t	pages = 1 + (uint32_t) random_below(&random, 3);
			CuckooLayer source = cuckoo_layer(pages, 12 * (1 + (uint32_t) random_below(&random, 5)), 10, true, NULL);
			CuckooLayer target = cuckoo_layer(1, source.pages * source.windows / divisor, 9, true, NULL);
			uint64_t	hashes[40];

			source.slots = zeroed_memory(cuckoo_bytes(&source));
			target.slots = zeroed_memory(cuckoo_bytes(&target));
			random_fill(&random, hashes, 40);
			for (int j = 0; j < 40; j++)
			{
				CuckooPlace place = cuckoo_place(&source, hashes[j]);

				/* Few entries, so that they fit; and some windows at the ends of pages and halves. */
				if (j % 4 == 3)
					place.window[0] = j % 8 == 3 ? 0 : source.windows - 1;
				if (j % 4 >= 2)
					cuckoo_cover(&source, &place);
				else if (j < 12 && cuckoo_add(&source, &place, CUCKOO_MAX_STEPS) != FILTER_OK)
					bail_out("a value finds no place in a sparse layer");
			}
			if (!cuckoo_entries_are_valid(&source))
				bail_out("a layer with wildcards is not valid");
			if (cuckoo_fold(&target, &source, true) != FILTER_OK || !cuckoo_entries_are_valid(&target))
				lost++;
			for (int j = 0; j < 2000; j++)
			{
				uint64_t	hash = j < 40 ? hashes[j] : random_next(&random);
				CuckooPlace before = cuckoo_place(&source, hash);
				CuckooPlace after = cuckoo_place(&target, hash);

				lost += cuckoo_count(&target, &after) < cuckoo_count(&source, &before);
			}
			covered_less += divisor == 1 && cuckoo_windows_covered(&target) < cuckoo_windows_covered(&source);
			free(source.slots);
			free(target.slots);
		}
	ok(lost == 0, "folding of wildcards loses nothing (%u)", (unsigned) lost);
	ok(covered_less == 0, "folding into the same geometry covers as much");
}

/* The windows that one wildcard covers, slot by slot, and what happens to the entries there. */
static void
test_cover(void)
{
	CuckooLayer layer = cuckoo_layer(2, 5, 9, true, NULL);
	uint64_t	wrong_ones = 0;

	layer.slots = zeroed_memory(cuckoo_bytes(&layer));
	for (uint32_t page = 0; page < 2; page++)
		for (uint32_t window = 0; window < 5; window++)
			for (uint32_t fingerprint = 1; fingerprint < 8; fingerprint++)
			{
				CuckooPlace place = {page * layer.page_bits, {window, cuckoo_other_window(&layer, window, fingerprint)}, fingerprint};
				CuckooPlace neighbour = place;
				uint64_t	entries;

				memset(layer.slots, 0, (size_t) cuckoo_bytes(&layer));
				(void) cuckoo_add(&layer, &place, CUCKOO_MAX_STEPS);
				(void) cuckoo_add(&layer, &place, CUCKOO_MAX_STEPS);
				wrong_ones += cuckoo_count(&layer, &place) != 2 || cuckoo_windows_covered(&layer) != 0;
				cuckoo_cover(&layer, &place);
				wrong_ones += cuckoo_windows_covered(&layer) != (window % 4 == 0 ? 1 : 2);
				wrong_ones += cuckoo_count(&layer, &place) != CUCKOO_STICKY_COUNT || cuckoo_remove(&layer, &place);
				entries = cuckoo_entries(&layer);
				wrong_ones += cuckoo_add(&layer, &place, CUCKOO_MAX_STEPS) != FILTER_OK || cuckoo_entries(&layer) != entries;
				cuckoo_cover(&layer, &place);
				wrong_ones += cuckoo_entries(&layer) != entries || !cuckoo_entries_are_valid(&layer);
				/* A neighbour is covered too only if the chosen slot is shared with it. */
				neighbour.window[0] = (window + 2) % 5;
				neighbour.window[1] = cuckoo_other_window(&layer, neighbour.window[0], fingerprint);
				wrong_ones += (window + 2) % 5 > window && cuckoo_count(&layer, &neighbour) != 0;
				layer.crowded = false;
				wrong_ones += cuckoo_windows_covered(&layer) != 0 || cuckoo_entries_are_valid(&layer);
				layer.crowded = true;
			}
	ok(wrong_ones == 0, "a wildcard covers its windows and no others");
	free(layer.slots);
}

/* Values that were not chosen, with a number of copies each, never cause a wildcard. */
static void
test_honest(uint64_t capacity, double rate, unsigned copies, bool in_rounds, size_t adds, int seeds)
{
	int			crowded = 0;

	seeds = (int) repeats((uint64_t) seeds);
	for (int seed = 0; seed < seeds; seed++)
	{
		Random		random = {(uint64_t) seed * 7919 + capacity};
		OwnedFilter owned = create(capacity, rate);
		size_t		count = adds / copies;
		uint64_t   *hashes = zeroed_memory(count * sizeof(uint64_t));

		random_fill(&random, hashes, count);
		for (size_t i = 0; i < count * copies; i++)
			if (owned_filter_add(&owned, hashes[in_rounds ? i % count : i / copies], false) != FILTER_OK)
				bail_out("a value cannot be added");
		crowded += owned.filter.crowded;
		free(hashes);
		owned_filter_free(&owned);
	}
	ok(crowded == 0, "capacity %.0f, rate %g, %u copies %s, %u adds: %d of %d filters have wildcards", (double) capacity,
	   rate, copies, in_rounds ? "in rounds" : "at once", (unsigned) adds, crowded, seeds);
}

/* A few values with four copies do not make a large filter grow, and hardly raise its rate. */
static void
test_few_copies(void)
{
	Random		random = {2};
	OwnedFilter owned = create(200000, 0.01);
	uint64_t	hashes[2000];

	random_fill(&random, hashes, 2000);
	for (int i = 0; i < 8000; i++)
		if (owned_filter_add(&owned, hashes[i / 4], false) != FILTER_OK)
			bail_out("a copy cannot be added");
	ok(owned.filter.layers == 1 && look_into(&owned.filter).covered < 300,
	   "four copies of 2,000 values each: %u layers, %u windows of %u covered", owned.filter.layers,
	   (unsigned) look_into(&owned.filter).covered, (unsigned) look_into(&owned.filter).windows);
	check_found(&owned.filter, hashes, 2000, "four copies of 2,000 values");
	owned_filter_free(&owned);
}

/* Copies of very many values: some are covered, and the growth of the filter is bounded. */
static void
test_many_copies(int copies, double most_rate)
{
	Random		random = {1};
	OwnedFilter owned = create(100000, 0.01);
	uint64_t	hash;

	for (int i = 0; i < 100000 / copies; i++)
	{
		hash = random_next(&random);
		for (int copy = 0; copy < copies; copy++)
			if (owned_filter_add(&owned, hash, false) != FILTER_OK)
				bail_out("a copy cannot be added");
	}
	ok(owned.filter.layers <= 4 && filter_rate_now(&owned.filter) < most_rate,
	   "%d copies of %d values each: %u layers, rate %.4f", copies, 100000 / copies, owned.filter.layers,
	   filter_rate_now(&owned.filter));
	owned_filter_free(&owned);
}

/* Bloom filters: values of one block fill only that block. */
static void
test_bloom(void)
{
	Random		random = {3};
	OwnedFilter owned = owned_filter_create(FILTER_BLOOM, 10000, 0.01);
	uint64_t	hashes[5000];
	size_t		found = 0;

	owned_filter_set_kind(&owned, VALUE_KIND_INTEGER, "");
	for (int i = 0; i < 5000; i++)
		hashes[i] = UINT64_C(0x12345678) << 32 | (random_next(&random) & UINT32_MAX);
	ok(owned_filter_add_all(&owned, hashes, 5000, false) == FILTER_OK && owned.filter.layers == 1,
	   "Bloom: values of one block make the filter no larger");
	ok(filter_contains_run(&owned.filter, hashes, 5000, true) == 5000, "Bloom: and are found");
	for (int i = 0; i < 100000; i++)
		found += filter_contains(&owned.filter, random_next(&random));
	ok(found < 1000, "Bloom: %u of 100,000 others are false positives", (unsigned) found);
	owned_filter_free(&owned);
}

int
main(void)
{
	test_cover();
	test_fold();
	test_attack(1, 0.01, 1000, 1, 500e3);
	test_attack(1000, 0.01, 60, 1, 300e3);
	test_attack(1000, 0.01, 1000, 1, 500e3);
	test_attack(1000, 1e-7, 3000, 1, 1e6);
	test_attack(100000, 0.3, 3000, 1, 2e6);
	if (repeats(16) == 16)
	{
		test_attack(1000, 0.01, 20000, 1, 2e6);
		test_attack(1000, 0.01, 20000, 30, 500e3);
		test_attack(100000, 0.01, 20000, 1, 1.5e6);
	}
	test_most_covered();
	test_build(1000, 20);
	test_build(1000, 500);
	test_build(20000, 300);
	test_build(20000, 20000);
	test_union(30);
	test_union(1000);
	test_last_layer();
	test_bloom();
	test_honest(1000, 0.01, 1, false, 5000, 1000);
	test_honest(1000, 0.01, 2, false, 5000, 500);
	test_honest(1000, 0.01, 3, true, 5000, 500);
	test_honest(1000, 0.01, 3, false, 2000, 1000);
	test_honest(100, 0.3, 3, false, 1000, 1000);
	test_honest(10, 1e-5, 3, false, 500, 1000);
	test_honest(1, 0.01, 1, false, 3000, 1000);
	test_honest(20000, 0.01, 1, false, 100000, 20);
	test_honest(300000, 0.01, 2, false, 600000, 1);
	test_honest(1000, 1e-6, 4, false, 80, 1000);
	test_few_copies();
	test_many_copies(3, 0.005);
	test_many_copies(4, 0.025);
	return done_testing();
}
