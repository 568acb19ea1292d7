/*
 * The stash of a cuckoo layer, and what it is for: values chosen to share their windows, in filters of every size. Nothing is
 * lost, counts and removals are right, no add or merge fails, the size stays within bounds, and the rate for other values
 * is not raised. Values that were not chosen cause no stash.
 *
 * The attacker knows the newest layer at any time, as anyone does who has the filter or maintains a copy.
 */
#include <math.h>
#include <string.h>

#include "chosen_hashes.h"
#include "core/bytes.h"
#include "core/cuckoo_stash.h"
#include "multiset.h"

/*
 * The list.
 */

static bool
same_class(const CuckooPosition *a, const CuckooPosition *b)
{
	return a->first_bit == b->first_bit && a->window[0] == b->window[0] && a->fingerprint == b->fingerprint;
}

/* Random classes come and go in a stash of this capacity; some have copies. Emulated CPUs scan large layers only now and then. */
static void
check_list(uint32_t pages, uint32_t windows, uint32_t slot_bits, bool counted, uint32_t capacity, uint64_t *failed)
{
	CuckooLayer layer = create_cuckoo_layer(pages, windows, slot_bits, counted, capacity);
	CuckooLayer larger = create_cuckoo_layer(pages, windows, slot_bits, !counted, capacity + 3);
	Random		random = {capacity + slot_bits};
	uint64_t	bytes = cuckoo_bytes(&layer);
	uint8_t    *before = zeroed_memory(bytes);
	CuckooPosition position[24];
	unsigned	copies[24] = {0};
	uint32_t	used = 0;

	for (int i = 0; i < 24;)
	{
		bool		repeated = false;

		position[i] = cuckoo_position(&layer, i == 0 ? 0 : i == 1 ? UINT64_MAX : random_next(&random));
		for (int j = 0; j < i; j++)
			repeated |= same_class(&position[j], &position[i]);
		i += !repeated;
	}
	for (int pass = 0; pass < 400; pass++)
	{
		int			i = (int) random_below(&random, 24);
		unsigned	most = CUCKOO_MAX_COUNT;
		bool		scans = bytes < 5000 || pass % (repeats(16) == 16 ? 1 : 100) == 0;
		uint32_t	index;

		if (scans)
			memcpy(before, layer.slots, (size_t) bytes);
		if (random_below(&random, 5) < 3)
		{
			bool		has_space = copies[i] > 0 || used < capacity;

			if (cuckoo_stash_add(&layer, &position[i]) != has_space ||
				(!has_space && scans && memcmp(before, layer.slots, (size_t) bytes) != 0))
				wrong(failed, "capacity %u, %u used: an insertion has another result", capacity, used);
			used += has_space && copies[i] == 0;
			copies[i] += has_space && copies[i] < CUCKOO_PERMANENT;
		}
		else if (random_below(&random, 3) > 0)
		{
			bool		expected = copies[i] > 0 && copies[i] <= most;

			if (cuckoo_remove(&layer, &position[i]) != expected)
				wrong(failed, "capacity %u: one of %u copies is removed: %d", capacity, copies[i], !expected);
			copies[i] -= expected;
			used -= expected && copies[i] == 0;
		}
		else if (cuckoo_stash_find(&layer, &position[i], &index))
		{
			cuckoo_stash_remove(&layer, index);
			copies[i] = 0;
			used--;
		}
		if (cuckoo_stash_used(&layer) != used ||
			(scans && (cuckoo_entries(&layer) != used || !cuckoo_content_is_valid(&layer, false))))
			wrong(failed, "capacity %u: %u classes of %u, or invalid", capacity, cuckoo_stash_used(&layer), used);
		for (int j = 0; j < 24; j++)
			if (cuckoo_count(&layer, &position[j]) != copies[j] || cuckoo_has_class(&layer, &position[j]) != (copies[j] > 0))
				wrong(failed, "capacity %u: %u copies are counted as %u", capacity, copies[j], cuckoo_count(&layer, &position[j]));
	}
	/* As when a filter moves to an image with more capacity. */
	memcpy(larger.slots, layer.slots, (size_t) cuckoo_slot_bytes(&layer));
	for (uint32_t i = 0; i < used; i++)
		cuckoo_stash_set(&larger, i, cuckoo_stash_get(&layer, i));
	if (used > 0)
		store_le64(larger.slots + cuckoo_counted_bytes(&larger), used);
	for (int j = 0; j < 24; j++)
		if (cuckoo_count(&larger, &position[j]) != copies[j])
			wrong(failed, "capacity %u: a copy counts %u for %u", capacity, cuckoo_count(&larger, &position[j]), copies[j]);
	for (uint32_t i = 0; i < used; i++)
	{
		uint64_t	word = cuckoo_stash_get(&layer, i);
		bool		found = false;

		for (int j = 0; j < 24; j++)
		{
			uint64_t	lower = position[j].first_bit / layer.page_bits * windows + position[j].window[0];

			found |= copies[j] > 0 &&
				word == (lower << (slot_bits + 3) | (uint64_t) position[j].fingerprint << 4 | (copies[j] - 1));
		}
		if (!found)
			wrong(failed, "capacity %u: class %u is another one", capacity, i);
	}
	free(before);
	free(layer.slots);
	free(larger.slots);
}

static void
test_list(void)
{
	uint64_t	failed = 0;

	for (uint32_t capacity = 0; capacity <= 25; capacity++)
		for (int counted = 0; counted <= 1; counted++)
		{
			check_list(1, 5, 9, counted, capacity, &failed);
			check_list(3, 7, 6, counted, capacity, &failed);
			check_list(2, 32767, 32, counted, capacity, &failed);
			/* Whose slots do not end with a byte. */
			check_list(1, 2, 7, counted, capacity, &failed);
		}
	none_wrong(failed, "a stash has the classes that were put into it");
}

/* What additions cannot have made. */
static void
test_validity(void)
{
	CuckooLayer layer = create_cuckoo_layer(2, 5, 8, false, 4);
	uint8_t    *used = layer.slots + cuckoo_counted_bytes(&layer);
	uint8_t    *word = used + 8;
	const struct
	{
		uint64_t	words[5];
		bool		valid,
					valid_in_set;
	}			cases[] = {
		{{0, 0, 0, 0, 0}, true, true},
		{{1, 1 << 4, 0, 0, 0}, true, true},
		{{2, 1 << 4, 2 << 4, 0, 0}, true, true},
		{{4, 1 << 4, 2 << 4, 129 << 4, 1279 << 4}, true, true},
		{{1, 1 << 4 | 1, 0, 0, 0}, true, false},
		{{1, 1 << 4 | 15, 0, 0, 0}, true, false},
		/* Too many, or more than are used, or fewer. */
		{{5, 1 << 4, 2 << 4, 3 << 4, 4 << 4}, false, false},
		{{UINT64_C(1) << 32 | 1, 1 << 4, 0, 0, 0}, false, false},
		{{UINT64_MAX, 1 << 4, 2 << 4, 3 << 4, 4 << 4}, false, false},
		{{1, 1 << 4, 2 << 4, 0, 0}, false, false},
		{{0, 0, 0, 0, 1}, false, false},
		{{2, 1 << 4, 0, 0, 0}, false, false},
		/* Not ascending, or twice the same class. */
		{{2, 2 << 4, 1 << 4, 0, 0}, false, false},
		{{2, 2 << 4, 2 << 4, 0, 0}, false, false},
		{{2, 2 << 4, 2 << 4 | 1, 0, 0}, false, false},
		/* No fingerprint, and no such window. */
		{{1, 0, 0, 0, 0}, false, false},
		{{1, 128 << 4, 0, 0, 0}, false, false},
		{{1, 1281 << 4, 0, 0, 0}, false, false},
		{{1, UINT64_MAX - 15, 0, 0, 0}, false, false},
	};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		for (int j = 0; j < 5; j++)
			store_le64(used + 8 * j, cases[i].words[j]);
		if (cuckoo_content_is_valid(&layer, false) != cases[i].valid ||
			cuckoo_content_is_valid(&layer, true) != cases[i].valid_in_set)
			wrong(&failed, "case %u", (unsigned) i);
	}
	memset(used, 0, 40);
	store_le64(word, 1);
	if (cuckoo_stash_used(&layer) != 0)
		wrong(&failed, "an empty stash");
	none_wrong(failed, "only a stash that additions can make is valid");
	free(layer.slots);
}

/* Classes of a stash move to slots or to a stash, with their copies. */
static void
check_move(bool counted, uint32_t target_capacity, uint64_t limit, uint64_t *failed)
{
	CuckooLayer target = create_cuckoo_layer(1, 1, 9, counted, target_capacity);
	CuckooLayer source = create_cuckoo_layer(1, 8, 12, true, 20);
	Random		random = {target_capacity};
	CuckooPosition at_target[20];
	CuckooPosition at_source[20];
	unsigned	copies[20];
	unsigned	moved_sum = 0;
	uint64_t	stayed = 0;
	uint64_t	moved;

	for (int i = 0; i < 20;)
	{
		uint64_t	hash = random_next(&random);
		bool		repeated = false;

		at_target[i] = cuckoo_position(&target, hash);
		at_source[i] = cuckoo_position(&source, hash);
		for (int j = 0; j < i; j++)
			repeated |= same_class(&at_target[j], &at_target[i]);
		i += !repeated;
	}
	for (int i = 0; i < 20; i++)
	{
		copies[i] = 1 + (unsigned) i % CUCKOO_PERMANENT;
		(void) cuckoo_stash_add(&source, &at_source[i]);
		(void) cuckoo_count_up(&source, &at_source[i], copies[i] - 1);
	}
	cuckoo_move(&target, &source, !counted, limit);
	moved = cuckoo_entries(&target);
	for (int i = 0; i < 20; i++)
	{
		unsigned	left = cuckoo_count(&source, &at_source[i]);
		unsigned	there = cuckoo_count(&target, &at_target[i]);
		/* A class that is in the stash of a set has no copies, either. */
		unsigned	expected = counted ? copies[i] : 1;

		stayed += left > 0;
		if (left > 0 ? left != copies[i] || there != 0 : there != expected)
			wrong(failed, "%u copies became %u and %u", copies[i], left, there);
		moved_sum += there;
	}
	if (moved + stayed != 20 || moved > limit || moved != (4 + target_capacity < limit ? 4 + target_capacity : limit) ||
		cuckoo_entries(&target) != moved || copies_in_layer(&target) != moved_sum ||
		!cuckoo_content_is_valid(&target, !counted) || !cuckoo_content_is_valid(&source, false))
		wrong(failed, "limit %u, %u: %u were moved", target_capacity, (unsigned) limit, (unsigned) moved);

	/* Once more, to where they are: nothing becomes an entry, and the copies are counted. */
	for (int i = 0; i < 20; i++)
		if (cuckoo_count(&source, &at_source[i]) == 0)
			(void) cuckoo_stash_add(&source, &at_source[i]);
	cuckoo_move(&target, &source, !counted, 0);
	if (cuckoo_entries(&target) != moved || cuckoo_stash_used(&source) != stayed)
		wrong(failed, "classes of both are moved");
	for (int i = 0; i < 20; i++)
		if (cuckoo_count(&source, &at_source[i]) == 0 &&
			cuckoo_count(&target, &at_target[i]) != (!counted ? 1 : copies[i] < CUCKOO_PERMANENT ? copies[i] + 1 : copies[i]))
			wrong(failed, "%u copies and one are %u", copies[i], cuckoo_count(&target, &at_target[i]));
	free(target.slots);
	free(source.slots);
}

static void
test_move(void)
{
	uint64_t	failed = 0;

	for (int counted = 0; counted <= 1; counted++)
		for (uint32_t target_capacity = 0; target_capacity <= 16; target_capacity += 8)
			for (uint64_t limit = 0; limit <= 21; limit += 7)
				check_move(counted, target_capacity, limit, &failed);
	none_wrong(failed, "the classes of a stash move with their copies");
}

/*
 * Chosen values.
 */

static CuckooLayer
newest_layer(const FilterView *filter)
{
	return filter_cuckoo_layer(filter, filter->header.layers - 1);
}

typedef struct Held
{
	uint64_t	entries;
	uint64_t	stashed;
	uint64_t	stash_bytes;
	uint64_t	slots;
} Held;

static Held
look_into(const FilterView *filter)
{
	Held		held = {0, 0, 0, 0};

	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		held.entries += cuckoo_entries(&cuckoo);
		held.stashed += cuckoo_stash_used(&cuckoo);
		held.stash_bytes += cuckoo_bytes(&cuckoo) - cuckoo_counted_bytes(&cuckoo);
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

/* Add chosen hashes: those for the newest layer until another one follows. */
static void
attack(OwnedFilter *owned, uint64_t *hashes, size_t count, Random *random)
{
	size_t		added = 0;

	while (added < count)
	{
		uint32_t	layers = owned->filter.header.layers;
		CuckooLayer newest = newest_layer(&owned->filter);
		size_t		of_group = choose_neighbours(&newest, random, hashes + added, count - added);

		for (size_t i = 0; i < of_group && owned->filter.header.layers == layers; i++)
			if (owned_filter_add(owned, hashes[added++], false) != FILTER_OK)
				bail_out("a chosen value cannot be added");
	}
}

static void
check_content(const OwnedFilter *owned, const char *name)
{
	uint64_t	failed = 0;

	check_valid(owned, name, &failed);
	none_wrong(failed, "%s: a valid image", name);
}

/* All are found by each kind of lookup. */
static void
check_found(const FilterView *filter, const uint64_t *hashes, size_t count, const char *name)
{
	uint32_t   *index = zeroed_memory(count * sizeof(uint32_t));
	size_t		lost = 0;

	for (size_t i = 0; i < count; i++)
		lost += !filter_contains(filter, hashes[i]) || filter_count(filter, hashes[i]) == 0;
	ok(lost == 0 && filter_contains_run(filter, hashes, count, true) == count &&
	   filter_contained(filter, hashes, count, index) == count, "%s: nothing is lost (%u)", name, (unsigned) lost);
	free(index);
}

/* Classes in the stash are found at their own hashes only: they add less to the rate than entries in slots. */
static void
check_rate(const FilterView *filter, Random *random, const char *name)
{
	double		expected = filter_rate_now(filter);
	double		found = 0.0;
	int			probes = (int) repeats(200000);
	double		margin = 4.0 * sqrt(filter->header.rate / probes);

	for (int i = 0; i < probes; i++)
		found += filter_contains(filter, random_next(random));
	found /= probes;
	ok(found < 1.5 * filter->header.rate + margin && found < expected * 1.25 + margin,
	   "%s: false positive rate of other values: %.5f, expected: %.5f", name, found, expected);
}

/* The bounds that cuckoo_filter.c states: 24 slots for each chosen value, and a stash at least half full after the first words. */
static void
check_bounds(const FilterView *filter, size_t chosen, uint64_t first_slots, const char *name)
{
	Held		held = look_into(filter);
	bool		within = true;
	double		most = fmax((double) first_slots, 24.0 * (double) chosen);

	ok((double) held.slots <= most, "%s: %.0f slots for %.0f entries", name, (double) held.slots, (double) held.entries);
	ok((double) held.stash_bytes <= 16.0 * (double) chosen + filter->header.layers * 72.0, "%s: %.0f bytes for %.0f values in a stash",
	   name, (double) held.stash_bytes, (double) held.stashed);
	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		within &= cuckoo.stash_capacity <= cuckoo_slots(&cuckoo) / 8;
	}
	ok(within, "%s: no stash has room for more than an eighth of the slots", name);
}

/* Add copies of all, remove half of the values, add and remove at random, and compact. */
static void
check_operations(OwnedFilter *owned, const uint64_t *hashes, size_t count, Random *random, const char *name)
{
	const Mix	mix = {50, 9, true};
	Multiset	set = {count, zeroed_memory(count * sizeof(Value))};
	uint64_t	failed = 0;

	for (size_t i = 0; i < count; i++)
		set.value[i] = (Value) {hashes[i], 1, false};
	for (size_t i = 0; i < count; i++)
		for (size_t copies = i % 97 % 18; copies > 0; copies--, set.value[i].copies++)
			if (owned_filter_add(owned, hashes[i], false) != FILTER_OK)
				wrong(&failed, "a copy of a chosen value cannot be added");
	for (size_t i = 0; i < count; i++)
		set.value[i].permanent = set.value[i].copies > CUCKOO_MAX_COUNT;
	check_held(&owned->filter, &set, name, &failed);
	for (size_t i = 0; i < count; i += 2)
		for (; set.value[i].copies > 0; set.value[i].copies--)
			if (!filter_remove(&owned->filter, hashes[i]) && is_nested(&owned->filter) &&
				filter_count(&owned->filter, hashes[i]) != CUCKOO_PERMANENT)
				wrong(&failed, "a chosen value cannot be removed");
	check_held(&owned->filter, &set, name, &failed);
	operate(owned, &set, &mix, count, random, name, &failed);
	none_wrong(failed, "%s: copies and removals are right", name);
	free(set.value);
}

static void
test_attack(uint64_t capacity, double rate, size_t count, bool fixed)
{
	Random		random = {capacity + count};
	OwnedFilter owned = create(capacity, rate);
	uint64_t   *hashes = zeroed_memory(count * sizeof(uint64_t));
	uint64_t   *others = zeroed_memory(2000 * sizeof(uint64_t));
	uint64_t	first_slots = look_into(&owned.filter).slots;
	size_t		more = fixed ? 0 : 2000;
	char		name[100];

	snprintf(name, sizeof(name), "capacity %.0f, rate %g, %u chosen%s", (double) capacity, rate, (unsigned) count,
			 fixed ? ", fixed" : "");
	if (fixed)
		filter_set_fixed(&owned.filter);
	attack(&owned, hashes, count, &random);
	ok(look_into(&owned.filter).stashed > 0, "%s: some are in a stash", name);
	check_found(&owned.filter, hashes, count, name);
	check_bounds(&owned.filter, count, first_slots, name);
	check_rate(&owned.filter, &random, name);
	check_content(&owned, name);

	/* Other users' additions are not affected. */
	random_fill(&random, others, more);
	ok(owned_filter_add_all(&owned, others, more, false) == FILTER_OK, "%s: other values can be added", name);
	check_found(&owned.filter, others, more, name);
	check_found(&owned.filter, hashes, count, name);
	for (size_t i = 0; i < more / 2; i++)
		(void) filter_remove(&owned.filter, others[i]);
	check_found(&owned.filter, others + more / 2, more - more / 2, name);
	check_operations(&owned, hashes, count, &random, name);
	owned_filter_compact(&owned);
	check_found(&owned.filter, others + more / 2, more - more / 2, name);
	check_content(&owned, name);
	free(hashes);
	free(others);
	owned_filter_free(&owned);
}

/* A copy of a value in a stash is counted there, even if there is a slot for it now. */
static void
test_copies_in_stash(void)
{
	OwnedFilter owned = create(1000, 0.01);
	FilterHeader next = owned.filter.header;
	uint64_t	hash = UINT64_C(0x123456789abcdef0);
	uint64_t	failed = 0;
	CuckooLayer layer;
	CuckooPosition position;
	bool		changed;

	next.layer[0].stash_capacity = 8;
	if (owned_filter_move(&owned, &next) != FILTER_OK)
		bail_out("a small filter cannot be changed");
	layer = newest_layer(&owned.filter);
	position = cuckoo_position(&layer, hash);
	(void) cuckoo_stash_add(&layer, &position);
	for (unsigned copies = 2; copies <= 20; copies++)
		if (filter_add(&owned.filter, hash, false, &changed) != FILTER_OK || changed != (copies <= CUCKOO_PERMANENT) ||
			filter_count(&owned.filter, hash) != (copies < CUCKOO_PERMANENT ? copies : CUCKOO_PERMANENT) ||
			cuckoo_matches(&layer, &position) != 0 || cuckoo_entries(&layer) != 1)
			wrong(&failed, "copy %u", copies);
	none_wrong(failed, "copies of a value in a stash are counted there");
	owned_filter_free(&owned);
}

/* A small filter that does not grow takes chosen values up to its capacity or the limit of its stash. */
static void
test_small_fixed(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 300; capacity = 2 * capacity + 1)
	{
		Random		random = {capacity};
		OwnedFilter owned = create(capacity, 0.01);
		uint64_t	slots = look_into(&owned.filter).slots;
		Multiset	set = create_multiset((size_t) slots * 2, capacity);
		FilterStatus status = FILTER_OK;

		filter_set_fixed(&owned.filter);
		for (size_t i = 0; i < set.count && status == FILTER_OK; i++)
		{
			CuckooLayer layer = newest_layer(&owned.filter);
			uint64_t	chosen[MAX_CHOSEN];
			size_t		of_group = choose_hashes(&layer, UINT64_C(0x12345678), &random, chosen);

			set.value[i].hash = chosen[i % of_group];
			status = owned_filter_add(&owned, set.value[i].hash, false);
			set.value[i].copies = status == FILTER_OK;
		}
		if (status != FILTER_OK && status != FILTER_FULL)
			wrong(&failed, "capacity %u: status %d", (unsigned) capacity, (int) status);
		if (owned.filter.header.layer[0].stash_capacity > (slots < 64 ? 8 : slots / 8))
			wrong(&failed, "capacity %u: a stash of %u", (unsigned) capacity, owned.filter.header.layer[0].stash_capacity);
		check_held(&owned.filter, &set, "small and fixed", &failed);
		check_valid(&owned, "small and fixed", &failed);
		free(set.value);
		owned_filter_free(&owned);
	}
	none_wrong(failed, "small filters that do not grow hold the chosen values that they took");
}

/* An aggregate of chosen values: a few attempts bound its size, and distinct values of one class are counted. */
static void
test_build(size_t count, size_t chosen)
{
	Random		random = {count * 31 + chosen};
	FilterView	planned;
	OwnedFilter built;
	CuckooLayer layer;
	uint64_t   *hashes = zeroed_memory((count + MAX_CHOSEN) * sizeof(uint64_t));
	uint64_t	planned_slots;
	double		bytes;
	char		name[100];

	snprintf(name, sizeof(name), "building from %u values, %u of them chosen", (unsigned) count, (unsigned) chosen);
	(void) filter_init(&planned.header, FILTER_CUCKOO, 0.01);
	if (filter_append_layer(&planned.header, count, &bytes) != FILTER_OK)
		bail_out("a layer of moderate size cannot be created");
	planned.header.kind.code = VALUE_KIND_INTEGER;
	layer = filter_cuckoo_layer(&planned, 0);
	planned_slots = cuckoo_slots(&layer);
	random_fill(&random, hashes, count);
	/* For the layer of the last attempt without a stash, too. */
	for (int attempt = 0; planned.header.layer[0].stash_capacity == 0; attempt++)
		(void) filter_plan_again(&planned.header, attempt, &bytes);
	planned.header.layer[0].stash_capacity = 0;
	layer = filter_cuckoo_layer(&planned, 0);
	for (size_t i = 0; i < chosen;)
		i += choose_hashes(&layer, random_next(&random) >> 32, &random, hashes + i);
	built = owned_filter_build(&planned.header, hashes, count);
	layer = newest_layer(&built.filter);
	check_found(&built.filter, hashes, count, name);
	ok((double) cuckoo_slots(&layer) < 1.5 * (double) planned_slots + 80.0, "%s: %.0f slots instead of %.0f",
	   name, (double) cuckoo_slots(&layer), (double) planned_slots);
	ok(layer.stash_capacity <= 64 + 4 * chosen, "%s: a stash of %u, of which %u are used", name, layer.stash_capacity,
	   cuckoo_stash_used(&layer));
	is(copies_in_layer(&layer), count, "%s: each is counted", name);
	check_rate(&built.filter, &random, name);
	check_content(&built, name);
	check_operations(&built, hashes, count, &random, name);
	free(hashes);
	owned_filter_free(&built);
}

/* More distinct values of one class than slots have room for: none is lost by removing others. */
static void
test_build_of_one_class(size_t count)
{
	FilterHeader planned;
	OwnedFilter built;
	uint64_t	hashes[40];
	double		bytes;
	uint64_t	failed = 0;

	(void) filter_init(&planned, FILTER_CUCKOO, 0.01);
	if (filter_append_layer(&planned, 40, &bytes) != FILTER_OK)
		bail_out("a layer of moderate size cannot be created");
	for (size_t i = 0; i < count; i++)
		hashes[i] = UINT64_C(0x123456789abcd000) + i;
	built = owned_filter_build(&planned, hashes, count);
	for (size_t removed = 0; removed < count; removed++)
	{
		unsigned	left = (unsigned) (count - removed);

		if (filter_count(&built.filter, hashes[removed]) != (count > CUCKOO_MAX_COUNT ? CUCKOO_PERMANENT : left) ||
			filter_remove(&built.filter, hashes[removed]) != (count <= CUCKOO_MAX_COUNT))
			wrong(&failed, "%u of %u values of one class are counted as %u", left, (unsigned) count,
				  filter_count(&built.filter, hashes[removed]));
	}
	none_wrong(failed, "building from %u values of one class: none is lost by removing others", (unsigned) count);
	owned_filter_free(&built);
}

/* Unions of filters with values of the same windows, far more filters than a filter can have layers. */
static void
test_union(uint64_t capacity)
{
	Random		random = {capacity};
	OwnedFilter sum = create(capacity, 0.01);
	CuckooLayer layer = newest_layer(&sum.filter);
	uint64_t	chosen[400];
	size_t		count = choose_neighbours(&layer, &random, chosen, 400);
	size_t		lost = 0;
	bool		united = true;

	/* Four each, so that only the union needs a stash. Most come again and again. */
	for (size_t i = 0; i < 100; i++)
	{
		OwnedFilter one = create(capacity, 0.01);

		for (size_t j = 0; j < 4; j++)
			united &= owned_filter_add(&one, chosen[(4 * i + j) % count], false) == FILTER_OK;
		united &= owned_filter_unite(&sum, &one.filter) == FILTER_OK;
		owned_filter_free(&one);
	}
	for (size_t i = 0; i < count; i++)
		lost += !filter_contains(&sum.filter, chosen[i]);
	ok(united && lost == 0 && sum.filter.header.layers <= (capacity < 100 ? 2 : 1) && look_into(&sum.filter).entries == count,
	   "a union of 100 filters of capacity %.0f, of %u values, has %u layers, and lost %u", (double) capacity, (unsigned) count,
	   sum.filter.header.layers, (unsigned) lost);
	ok(look_into(&sum.filter).stashed > 0, "a union of capacity %.0f has a stash", (double) capacity);
	check_content(&sum, "a union");
	owned_filter_compact(&sum);
	lost = 0;
	for (size_t i = 0; i < count; i++)
		lost += !filter_contains(&sum.filter, chosen[i]);
	ok(lost == 0 && sum.filter.header.is_set, "the union of capacity %.0f, compacted, lost %u", (double) capacity, (unsigned) lost);
	check_content(&sum, "a union, compacted");
	owned_filter_free(&sum);
}

/* A filter that can have no more layers accepts chosen values while it has room. */
static void
test_last_layer(void)
{
	Random		random = {5};
	OwnedFilter owned = create(1000, 0.01);
	uint64_t	hashes[400];

	while (owned.filter.header.layers < FILTER_MAX_LAYERS)
		if (owned_filter_grow(&owned, 1000) != FILTER_OK)
			bail_out("a layer cannot be appended");
	random_fill(&random, hashes, 400);
	if (owned_filter_add_all(&owned, hashes, 300, false) != FILTER_OK)
		bail_out("the last layer is full from the beginning");
	attack(&owned, hashes + 300, 100, &random);
	check_found(&owned.filter, hashes, 400, "the last layer");
	check_content(&owned, "the last layer");
	owned_filter_free(&owned);
}

/* Values that were not chosen, with a number of copies each, never cause a stash, and copies no layers. */
static void
test_honest(uint64_t capacity, double rate, unsigned copies, bool in_rounds, size_t adds, int seeds)
{
	int			stashes = 0;
	uint64_t	extra = 0;

	seeds = (int) repeats((uint64_t) seeds);
	for (int seed = 0; seed < seeds; seed++)
	{
		Random		random = {(uint64_t) seed * 7919 + capacity};
		OwnedFilter owned = create(capacity, rate);
		OwnedFilter single = create(capacity, rate);
		size_t		count = adds / copies;
		uint64_t   *hashes = zeroed_memory(count * sizeof(uint64_t));

		random_fill(&random, hashes, count);
		for (size_t i = 0; i < count * copies; i++)
			if (owned_filter_add(&owned, hashes[in_rounds ? i % count : i / copies], false) != FILTER_OK)
				bail_out("a value cannot be added");
		if (owned_filter_add_all(&single, hashes, count, false) != FILTER_OK)
			bail_out("a value cannot be added");
		stashes += owned.filter.header.has_stash;
		/* In rounds, one more layer can begin before older layers count. */
		if (owned.filter.header.layers > single.filter.header.layers + (in_rounds && copies > 1))
			wrong(&extra, "%u layers instead of %u", owned.filter.header.layers, single.filter.header.layers);
		free(hashes);
		owned_filter_free(&owned);
		owned_filter_free(&single);
	}
	/* One in a hundred small layers has no slot for a value of its capacity, whoever chose it. */
	ok(capacity > 100 ? stashes == 0 : 100 * stashes <= seeds, "capacity %.0f, rate %g, %u copies %s, %u adds: %d of %d filters have a stash", (double) capacity,
	   rate, copies, in_rounds ? "in rounds" : "at once", (unsigned) adds, stashes, seeds);
	none_wrong(extra, "capacity %.0f, rate %g, %u copies %s, %u adds: as few layers as without copies", (double) capacity,
			   rate, copies, in_rounds ? "in rounds" : "at once", (unsigned) adds);
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
	ok(owned_filter_add_all(&owned, hashes, 5000, false) == FILTER_OK && owned.filter.header.layers == 1,
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
	test_list();
	test_validity();
	test_move();
	test_attack(1, 0.01, 1000, false);
	test_attack(1000, 0.01, 60, false);
	test_attack(1000, 0.01, 100, true);
	test_attack(1000, 0.01, 1000, false);
	test_attack(1000, 1e-7, 3000, false);
	test_attack(100000, 0.01, 9000, true);
	if (repeats(16) == 16)
	{
		test_attack(1000, 0.01, 20000, false);
		test_attack(100000, 0.3, 20000, false);
		test_attack(100000, 0.01, 20000, false);
		test_attack(100000, 0.01, 100000, false);
	}
	test_copies_in_stash();
	test_small_fixed();
	test_build(1000, 20);
	test_build(1000, 500);
	test_build(20000, 300);
	test_build((size_t) repeats(20000), (size_t) repeats(20000));
	for (size_t count = 5; count <= 40; count += 5)
		test_build_of_one_class(count);
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
	test_honest(1000, 0.01, 20, false, 20000, 100);
	test_honest(100000, 0.01, 3, false, 100000, 1);
	return done_testing();
}
