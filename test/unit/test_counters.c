/*
 * The counters of cuckoo layers: they move with their entries, take over the entries of a class when a layer gets them,
 * and make a class permanent that was added more often than they count, in whatever layers.
 */
#include <string.h>

#include "core/cuckoo_stash.h"
#include "multiset.h"

/* The copies of the n-th value: 1 to CUCKOO_PERMANENT. */
static unsigned
copies_of(size_t n)
{
	return 1 + (unsigned) (n * 7 % CUCKOO_PERMANENT);
}

/*
 * Fill a layer with counters until a value finds no slot, so that most entries have moved. in_order: the second half is
 * added as an aggregate does.
 */
static void
check_moves(uint32_t pages, uint32_t windows, uint32_t slot_bits, bool in_order, uint64_t *failed)
{
	CuckooLayer layer = create_cuckoo_layer(pages, windows, slot_bits, true, 0);
	size_t		slots = (size_t) cuckoo_slots(&layer);
	uint64_t   *hashes = zeroed_memory(slots * sizeof(uint64_t));
	Random		random = {windows};
	size_t		half = slots / 2;
	size_t		count = 0;
	uint64_t	copies = 0;

	random_fill(&random, hashes, slots);
	for (; count < slots && !(in_order && count == half); count++)
	{
		CuckooPosition position = cuckoo_position(&layer, hashes[count]);

		if (cuckoo_count(&layer, &position) != 0)
			wrong(failed, "a value is there before it was added: %u", (unsigned) count);
		if (cuckoo_add(&layer, &position) != FILTER_OK)
			break;
		if (!cuckoo_count_up(&layer, &position, copies_of(count) - 1))
			wrong(failed, "a value cannot be counted");
		copies += copies_of(count);
	}
	if (in_order)
	{
		/* Ascending. */
		for (size_t i = half; i < slots; i++)
			hashes[i] = (i - half) * (UINT64_MAX / (slots - half)) + random_below(&random, UINT64_MAX / (slots - half));
		count = half + slots * 2 / 5;
		for (size_t i = half; i < count; i++)
			hashes[i] = hashes[half + (i - half) * (slots - half) / (count - half)];
		if (cuckoo_add_in_order(&layer, hashes + half, count - half) != FILTER_OK)
			wrong(failed, "values find no slot at a load of 0.9");
		copies += count - half;
	}
	if (count < slots * 85 / 100)
		wrong(failed, "only %u of %u slots are taken", (unsigned) count, (unsigned) slots);
	for (size_t i = 0; i < count; i++)
	{
		CuckooPosition position = cuckoo_position(&layer, hashes[i]);
		unsigned	expected = in_order && i >= half ? 1 : copies_of(i);

		if (cuckoo_count(&layer, &position) != expected)
			wrong(failed, "%u windows: %u copies are counted as %u", windows, expected, cuckoo_count(&layer, &position));
	}
	if (cuckoo_entries(&layer) != count || copies_in_layer(&layer) != copies || !cuckoo_content_is_valid(&layer, false))
		wrong(failed, "%u windows: the sum of all is wrong, or the content invalid", windows);
	free(hashes);
	free(layer.slots);
}

static void
test_moves(void)
{
	for (int in_order = 0; in_order <= 1; in_order++)
	{
		uint64_t	failed = 0;

		check_moves(1, 30, 32, in_order, &failed);
		check_moves(2, 1000, 28, in_order, &failed);
		check_moves(2, 3001, 27, in_order, &failed);
		check_moves(2, 32767, 32, in_order, &failed);
		none_wrong(failed, "counters move with their entries%s", in_order ? ", also when values are added in order" : "");
	}
}

/* The counter of an empty slot is 0; that of another can be anything. */
static void
test_validity(void)
{
	uint64_t	failed = 0;

	for (int i = 0; i < 2; i++)
	{
		CuckooLayer layer = create_cuckoo_layer(2, 4, 8, true, i == 0 ? 0 : 2);

		for (uint64_t slot = 0; slot < cuckoo_slots(&layer); slot++)
		{
			cuckoo_set_counter(&layer, slot, 1 + (unsigned) slot % 15);
			if (cuckoo_counter(&layer, slot) != 1 + (unsigned) slot % 15 || cuckoo_content_is_valid(&layer, false))
				wrong(&failed, "slot %u: empty, and has a counter", (unsigned) slot);
			/* An entry that is possible in every slot but the first of a half. */
			layer.slots[slot] = slot % 5 == 0 ? 2 : 3;
			if (!cuckoo_content_is_valid(&layer, false))
				wrong(&failed, "slot %u: an entry with a counter", (unsigned) slot);
			layer.slots[slot] = 0;
			cuckoo_set_counter(&layer, slot, 0);
		}
		for (uint64_t at = 0; at < cuckoo_bytes(&layer); at++)
			if (layer.slots[at] != 0)
				wrong(&failed, "byte %u is not 0 again", (unsigned) at);
		free(layer.slots);
	}
	none_wrong(failed, "only slots with an entry have a counter");
}

/*
 * A layer in which classes have one to four entries, and some more in the stash, gets counters, or becomes that of a set, or
 * loses its counters again.
 */
static void
check_conversion(uint32_t pages, uint32_t windows, uint32_t slot_bits, uint32_t stash_capacity, uint64_t *failed)
{
	enum
	{
		VALUES = 300
	};
	FilterView	filter,
				counting,
				set,
				without;
	FilterView *all[] = {&filter, &counting, &set, &without};
	OwnedFilter owned[4];
	CuckooLayer layer[4];
	Random		random = {pages + windows};
	uint64_t	hashes[VALUES];
	uint64_t	classes = 0,
				copies = 0,
				stashed = 0;

	(void) filter_init(&filter.header, FILTER_CUCKOO, 0.01);
	filter.header.layers = 1;
	filter.header.layer[0] = (FilterLayer) {.capacity = 1000, .count = pages, .size = windows, .width = slot_bits};
	counting = set = without = filter;
	counting.header.layer[0].counted = true;
	set.header.is_set = true;
	filter.header.layer[0].stash_capacity = stash_capacity;
	counting.header.layer[0].stash_capacity = stash_capacity + 1;
	set.header.layer[0].stash_capacity = without.header.layer[0].stash_capacity = stash_capacity;
	for (int i = 0; i < 4; i++)
	{
		owned[i] = (OwnedFilter) {.filter = *all[i]};
		if (!owned_filter_allocate(&owned[i]))
			bail_out("a small filter cannot be made");
		layer[i] = filter_cuckoo_layer(&owned[i].filter, 0);
	}

	random_fill(&random, hashes, VALUES);
	for (int i = 0; i < VALUES; i++)
	{
		CuckooPosition position = cuckoo_position(&layer[0], hashes[i]);

		for (int copy = 0; copy < 1 + i % 4; copy++)
			(void) cuckoo_add(&layer[0], &position);
		if (i % 16 == 0 && cuckoo_stash_used(&layer[0]) < stash_capacity)
		{
			(void) cuckoo_stash_add(&layer[0], &position);
			(void) cuckoo_count_up(&layer[0], &position, (unsigned) i % 20);
			stashed++;
		}
	}
	filter_copy_layers(&owned[1].filter, &owned[0].filter);
	filter_copy_layers(&owned[2].filter, &owned[1].filter);
	for (int i = 0; i < VALUES; i++)
	{
		CuckooPosition position = cuckoo_position(&layer[0], hashes[i]);
		unsigned	before = cuckoo_count(&layer[0], &position);
		unsigned	matches = cuckoo_matches(&layer[1], &position);

		if (cuckoo_count(&layer[1], &position) != before)
			wrong(failed, "%u copies are counted as %u", before, cuckoo_count(&layer[1], &position));
		if ((matches & (matches - 1)) != 0)
			wrong(failed, "a class has several entries");
		if ((cuckoo_count(&layer[2], &position) > 0) != (before > 0) ||
			(stash_capacity == 0 && cuckoo_count(&layer[2], &position) != (before > 0)))
			wrong(failed, "a set has %u of %u copies", cuckoo_count(&layer[2], &position), before);
		classes += matches != 0;
		copies += before == CUCKOO_PERMANENT ? cuckoo_count(&layer[0], &position) : before;
	}
	if ((slot_bits > 20 && cuckoo_entries(&layer[1]) != classes + cuckoo_stash_used(&layer[0])) ||
		copies_in_layer(&layer[1]) != copies_in_layer(&layer[0]) || (slot_bits > 20 && stash_capacity == 0 && copies != copies_in_layer(&layer[0])))
		wrong(failed, "the sums have changed");
	if (further_entries_in_layer(&layer[1]) != 0 || further_entries_in_layer(&layer[2]) != 0 ||
		cuckoo_entries(&layer[0]) - further_entries_in_layer(&layer[0]) != cuckoo_entries(&layer[1]))
		wrong(failed, "further entries are counted wrongly");
	for (int i = 0; i < 3; i++)
		if (!cuckoo_content_is_valid(&layer[i], i == 2))
			wrong(failed, "layer %d is invalid", i);

	/* Of values with one copy each: with counters and without them again, nothing changes. */
	memset(layer[0].slots, 0, (size_t) cuckoo_bytes(&layer[0]));
	memset(layer[1].slots, 0, (size_t) cuckoo_bytes(&layer[1]));
	for (int i = 0; i < VALUES; i++)
	{
		CuckooPosition position = cuckoo_position(&layer[0], hashes[i]);

		if (cuckoo_count(&layer[0], &position) == 0)
			(void) cuckoo_add(&layer[0], &position);
	}
	filter_copy_layers(&owned[1].filter, &owned[0].filter);
	filter_copy_layers(&owned[3].filter, &owned[1].filter);
	if (memcmp(layer[0].slots, layer[3].slots, (size_t) cuckoo_slot_bytes(&layer[0])) != 0)
		wrong(failed, "entries are lost with the counters");
	if (stash_capacity > 0 && stashed == 0)
		wrong(failed, "nothing is in the stash");
	for (int i = 0; i < 4; i++)
		owned_filter_free(&owned[i]);
}

static void
test_conversion(void)
{
	uint64_t	failed = 0;

	for (uint32_t stash_capacity = 0; stash_capacity <= 9; stash_capacity += 9)
	{
		check_conversion(1, 500, 28, stash_capacity, &failed);
		check_conversion(3, 150, 32, stash_capacity, &failed);
		check_conversion(2, 300, 8, stash_capacity, &failed);
		check_conversion(1, 400, 6, stash_capacity, &failed);
	}
	none_wrong(failed, "a layer that gets counters, or becomes a set's, keeps all classes, and their copies");
}

/* Entries of a class that have counters already are merged with all copies. */
static void
test_merge(void)
{
	uint64_t	failed = 0;

	for (unsigned first = 0; first <= CUCKOO_MAX_COUNT; first++)
		for (unsigned second = 0; second <= CUCKOO_MAX_COUNT; second++)
		{
			CuckooLayer layer = create_cuckoo_layer(1, 20, 12, true, 0);
			CuckooPosition position = cuckoo_position(&layer, UINT64_C(0x123456789abcdef0));
			unsigned	sum = first + second + 2;
			unsigned	counter[2] = {first, second};
			unsigned	found = 0;

			(void) cuckoo_add(&layer, &position);
			(void) cuckoo_add(&layer, &position);
			for (uint64_t slot = 0; slot < cuckoo_slots(&layer); slot++)
				if (cuckoo_load_entry(&layer, slot) != 0)
					cuckoo_set_counter(&layer, slot, counter[found++ % 2]);
			cuckoo_merge_copies(&layer);
			if (found != 2 || cuckoo_entries(&layer) != 1 ||
				cuckoo_count(&layer, &position) != (sum < CUCKOO_PERMANENT ? sum : CUCKOO_PERMANENT) ||
				!cuckoo_content_is_valid(&layer, false))
				wrong(&failed, "%u and %u copies become %u", first + 1, second + 1, cuckoo_count(&layer, &position));
			free(layer.slots);
		}
	none_wrong(failed, "entries of a class are merged with all their copies");
}

/* The same values again and again: after one more layer at most, older layers count them, and the filter grows no more. */
static void
test_rounds(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 1000; capacity *= 10)
	{
		OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, EXACT);
		Multiset	set = create_multiset((size_t) capacity * 20, capacity);
		uint32_t	layers = 0;

		for (int round = 1; round <= 20; round++)
		{
			for (size_t i = 0; i < set.count; i++)
			{
				if (owned_filter_add(&owned, set.value[i].hash, false) != FILTER_OK)
					wrong(&failed, "an add fails");
				set.value[i].copies++;
			}
			for (size_t i = 0; i < set.count; i++)
				if (filter_count(&owned.filter, set.value[i].hash) != least_count(&owned.filter, &set.value[i]))
					wrong(&failed, "capacity %u: %d copies are counted as %u", (unsigned) capacity, round,
						  filter_count(&owned.filter, set.value[i].hash));
			if (round == 1)
				layers = owned.filter.header.layers;
			if (owned.filter.header.layers > layers + 1)
				wrong(&failed, "capacity %u, round %d: %u layers instead of %u", (unsigned) capacity, round, owned.filter.header.layers, layers);
			if (round > 4 && !owned.filter.header.layer[owned.filter.header.layers - 1].counted)
				wrong(&failed, "capacity %u, round %d: the newest layer has no counters", (unsigned) capacity, round);
		}
		for (size_t i = 0; i < set.count; i++)
			if (filter_remove(&owned.filter, set.value[i].hash))
				wrong(&failed, "a permanent value is removed");
		check_held(&owned.filter, &set, "in rounds", &failed);
		check_valid(&owned, "in rounds", &failed);
		free(set.value);
		owned_filter_free(&owned);
	}
	none_wrong(failed, "values that come again and again are counted where they are, and make the filter grow once at most");
}

/* Copies in several layers, a few in each: the sixteenth makes the value permanent, whichever layer it is in. */
static void
test_permanent(void)
{
	enum
	{
		OTHERS = 60
	};
	uint64_t	failed = 0;

	for (unsigned in_each = 1; in_each <= CUCKOO_PERMANENT; in_each++)
		for (unsigned copies = 1; copies <= CUCKOO_PERMANENT + 3; copies++)
			for (int compacts = 0; compacts <= 1; compacts++)
			{
				OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, 20, EXACT);
				Multiset	set = create_multiset(OTHERS, 3);
				uint64_t	hash = UINT64_C(0xfedcba9876543210);
				unsigned	removed = 0;

				for (unsigned i = 0; i < OTHERS; i++)
				{
					if (i < copies && owned_filter_add(&owned, hash, false) != FILTER_OK)
						wrong(&failed, "a copy cannot be added");
					if (i < copies && i % in_each == in_each - 1 && owned_filter_grow(&owned, 20) != FILTER_OK)
						wrong(&failed, "no further layer");
					set.value[i].copies += owned_filter_add(&owned, set.value[i].hash, false) == FILTER_OK;
				}
				if (compacts)
					owned_filter_compact(&owned);
				if (filter_count(&owned.filter, hash) != (copies < CUCKOO_PERMANENT ? copies : CUCKOO_PERMANENT))
					wrong(&failed, "%u copies, %u in each layer: counted as %u", copies, in_each, filter_count(&owned.filter, hash));
				while (removed < 100 && filter_remove(&owned.filter, hash))
					removed++;
				if (removed != (copies < CUCKOO_PERMANENT ? copies : 0))
					wrong(&failed, "%u copies, %u in each layer: %u are removed", copies, in_each, removed);
				if (copies >= CUCKOO_PERMANENT)
				{
					bool		changed = true;

					if (filter_add(&owned.filter, hash, false, &changed) != FILTER_OK || changed)
						wrong(&failed, "a permanent value is added");
				}
				check_held(&owned.filter, &set, "beside it", &failed);
				check_valid(&owned, "permanent", &failed);
				free(set.value);
				owned_filter_free(&owned);
			}
	none_wrong(failed, "fifteen copies can be removed, and the sixteenth makes a value permanent, in any layers");
}

/* A filter with a counted layer for CAPACITY values, and another layer: twice as large, or of another capacity. */
#define CAPACITY 600

static OwnedFilter
create_two_layers(uint64_t second_capacity)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, CAPACITY, EXACT);
	FilterHeader next = owned.filter.header;

	next.layer[0].counted = true;
	if (owned_filter_move(&owned, &next) != FILTER_OK || owned_filter_grow(&owned, second_capacity) != FILTER_OK)
		bail_out("a small filter cannot be changed");
	return owned;
}

/* Put copies of a value into a layer, whatever other layers have. */
static void
put_copies(const OwnedFilter *owned, uint32_t layer, uint64_t hash, unsigned copies)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(&owned->filter, layer);
	CuckooPosition position = cuckoo_position(&cuckoo, hash);

	for (; copies > 0; copies--)
		if (!cuckoo_count_up(&cuckoo, &position, 1) && cuckoo_add(&cuckoo, &position) != FILTER_OK)
			bail_out("a copy finds no slot");
}

/* One value in two layers. */
static void
test_layers(void)
{
	const uint64_t hash = UINT64_C(0x123456789abcdef1);
	OwnedFilter owned = create_two_layers(0);

	put_copies(&owned, 0, hash, CUCKOO_PERMANENT);
	put_copies(&owned, 1, hash, 1);
	ok(!filter_remove(&owned.filter, hash) && filter_count(&owned.filter, hash) == CUCKOO_PERMANENT,
	   "a value that is permanent in one layer is removed from none");
	owned_filter_free(&owned);

	owned = create_two_layers(0);
	put_copies(&owned, 0, hash, 14);
	put_copies(&owned, 1, hash, 3);
	ok(filter_count(&owned.filter, hash) == CUCKOO_MAX_COUNT && filter_remove(&owned.filter, hash),
	   "counts of several layers that add up to more than are counted can be removed");
	ok(owned_filter_add(&owned, hash, false) == FILTER_OK &&
	   filter_count(&owned.filter, hash) == CUCKOO_PERMANENT && !filter_remove(&owned.filter, hash), "until another is added");
	owned_filter_free(&owned);

	owned = create_two_layers(CAPACITY * 7 / 10);
	put_copies(&owned, 0, hash, 1);
	put_copies(&owned, 1, hash, 1);
	ok(!filter_remove(&owned.filter, hash) && filter_count(&owned.filter, hash) == 2,
	   "nothing is removed if no layer refines the other");
	owned_filter_free(&owned);
}

/* Many values at once, in a layer with counters: the same as one after the other. */
static void
test_batches(void)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, CAPACITY, EXACT);
	Multiset	set = create_multiset(CAPACITY, 3);
	FilterHeader next = owned.filter.header;
	uint64_t	hashes[CAPACITY];
	uint64_t	failed = 0;
	CuckooLayer layer;

	next.layer[0].counted = true;
	if (owned_filter_move(&owned, &next) != FILTER_OK)
		bail_out("a small filter cannot be changed");
	for (size_t i = 0; i < CAPACITY; i++)
		hashes[i] = set.value[i].hash;
	for (unsigned copies = 1; copies <= 9; copies++)
		if (owned_filter_add_all(&owned, hashes, CAPACITY, false) != FILTER_OK)
			wrong(&failed, "copies cannot be added");
	layer = filter_cuckoo_layer(&owned.filter, 0);
	if (owned.filter.header.layers != 1 || cuckoo_entries(&layer) != CAPACITY)
		wrong(&failed, "%u entries in %u layers", (unsigned) cuckoo_entries(&layer), owned.filter.header.layers);
	for (unsigned copies = 9; copies > 0; copies--)
	{
		for (size_t i = 0; i < CAPACITY; i++)
			if (filter_count(&owned.filter, hashes[i]) != copies)
				wrong(&failed, "%u copies are counted as %u", copies, filter_count(&owned.filter, hashes[i]));
		if (filter_remove_all(&owned.filter, hashes, CAPACITY) != CAPACITY)
			wrong(&failed, "a copy cannot be removed");
	}
	ok(filter_is_empty(&owned.filter), "nothing is left");
	none_wrong(failed, "copies are added and removed together");
	free(set.value);
	owned_filter_free(&owned);
}

/* What a set contains is not added again: one by one, all at once, or when a filter with copies becomes a set. */
#define FEW 5			/* their copies are entries, without counters */

static void
test_set(void)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, CAPACITY, EXACT);
	Multiset	set = create_multiset(FEW, 4);
	uint64_t	hashes[FEW];
	uint64_t	again = 0;
	size_t		done;
	bool		changed;
	CuckooLayer layer;

	for (size_t i = 0; i < FEW; i++)
		hashes[i] = set.value[i].hash;
	for (int copies = 0; copies < 2; copies++)
		if (owned_filter_add_all(&owned, hashes, FEW, false) != FILTER_OK)
			bail_out("values cannot be added");
	if (owned_filter_become_set(&owned) != FILTER_OK)
		bail_out("a small filter cannot become a set");
	layer = filter_cuckoo_layer(&owned.filter, 0);
	is(cuckoo_entries(&layer), FEW, "a set has one entry of each class");
	for (size_t i = 0; i < FEW; i++)
		again += filter_add(&owned.filter, hashes[i], false, &changed) != FILTER_OK || changed;
	is(again, 0, "none is added again");
	ok(filter_add_all(&owned.filter, hashes, FEW, false, &done, &changed) == FILTER_OK && !changed && cuckoo_entries(&layer) == FEW,
	   "none of them together, either");
	free(set.value);
	owned_filter_free(&owned);
}

int
main(void)
{
	test_moves();
	test_validity();
	test_conversion();
	test_merge();
	test_rounds();
	test_permanent();
	test_layers();
	test_batches();
	test_set();
	return done_testing();
}
