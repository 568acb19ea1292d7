/*
 * A cuckoo filter has one or several layers. Deleting is the difficult operation: entries of different values can be equal, so
 * each function keeps the invariant below, by which a delete never removes the entry of another value.
 */
#include "core/cuckoo_filter.h"

#include "core/cuckoo_stash.h"
#include "core/lookup.h"
#include "core/pause.h"

#include <assert.h>
#include <math.h>

/*
 * Which entry of a cuckoo filter a removal takes.
 *
 * A layer cannot distinguish the values of a class, so it does not record which copy belongs to which value. The invariant is
 * that some assignment exists: each copy held can be matched with a copy of its class in some layer (or with a permanent
 * class, which can be matched with any number of copies). Then every value that is held is found, and its count is not too
 * low. Adding a copy anywhere preserves the matching.
 *
 * A layer refines another if values of one class in it are always of one class in the other: see cuckoo_can_fold. Growth makes
 * each layer refine all older ones. To remove a copy of v, remove one of v's class in the layer that refines all others with
 * v's classes. Suppose the matching assigned that copy to a value w, and to v one in another layer. Then w is of v's class
 * there too, and takes over v's copy or its place in a permanent class. A matching therefore still exists. If v's class is
 * permanent in any layer, nothing is removed: a stale positive is allowed, a missing value is not. A union is a set, with one
 * copy of each class for values of several filters: there is no matching, so nothing may be removed.
 */

/*
 * What a filter does if a value finds no slot in the newest layer. See cuckoo_filter_plan_growth.
 *
 * Copies: at first, each is an entry. Where they take the room of values, the layer gets counters, once, and then holds as
 * many distinct values as its capacity. A few entries of one class come from different values, which is no reason for
 * counters: see has_copies. A copy is counted or added in the newest layer, which may thus have to hold all values once more.
 * In a layer that is much smaller, an entry's class has many other values, and counting them there would make it permanent.
 * With layers twice as large as the one before, the filter is at most 3.8 times as large as with each value once
 * (test/unit/test_repeats.c).
 *
 * Chosen hashes share their windows in every layer, and a few of them would make a filter of any size grow. If a layer has
 * fewer entries than its capacity, and yet no free slot, its stash takes the value. The stash of a layer of s slots is full with
 * s/8 values; then a layer of 2 s slots follows. A filter that grows because of chosen values therefore has at most 24 slots
 * for each.
 *
 * Otherwise the filter grows. If it cannot, it is full.
 */
#define STASH_SLOTS		8		/* the slots of a layer for each class of its stash */
#define STASH_MIN_CAPACITY 8

FilterStatus
cuckoo_filter_choose_geometry(const FilterLayer *newest, uint64_t capacity, double rate, FilterLayer *layer, double *bytes)
{
	CuckooLayer cuckoo = {0};
	FilterStatus status;

	if (newest != NULL)
	{
		CuckooLayer from = cuckoo_layer(newest->count, newest->size, newest->width, false, 0, NULL);

		status = cuckoo_double_geometry(&from, capacity, rate, &cuckoo, bytes);
	}
	else
		status = cuckoo_choose_geometry(capacity, rate, &cuckoo, bytes);
	layer->count = cuckoo.pages;
	layer->size = cuckoo.windows;
	layer->width = cuckoo.slot_bits;
	return status;
}

/*
 * The layer that a copy of a value can be removed from; -1 if no layer has its class, if one has it permanently, or if no such
 * layer refines the others.
 */
static int
layer_to_remove_from(const FilterView *filter, uint64_t hash)
{
	int			finest = -1;

	for (uint32_t layer = filter->header.layers; layer-- > 0;)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPosition position = cuckoo_position(&cuckoo, hash);
		CuckooLayer newer = filter_cuckoo_layer(filter, finest < 0 ? layer : (uint32_t) finest);

		if (!cuckoo_has_class(&cuckoo, &position))
			continue;
		if (cuckoo_count(&cuckoo, &position) == CUCKOO_PERMANENT || !cuckoo_can_fold(&cuckoo, &newer))
			return -1;
		if (finest < 0)
			finest = (int) layer;
	}
	return finest;
}

/*
 * A small layer has spare slots and could hold more values than its rate allows, so it is full at its capacity. A larger one
 * is full when a value finds no slot, which saves counting its entries. Its load is then at most 0.965, and it was planned
 * for 0.91 or more (see highest_load), so it holds at most 6% more than its capacity. The layers' rates sum to 1.4 times the
 * requested one (see filter_layer_rate_fraction), so they stay within 1.5 times. If narrower slots at a lower load were
 * chosen, a layer can hold 20% more; then the rates of up to 14 layers are within 1.5 times.
 */
#define SMALL_SLOTS 512

static bool
is_small_and_full(const FilterView *filter, const CuckooLayer *newest)
{
	return cuckoo_slots(newest) <= SMALL_SLOTS &&
		cuckoo_entries(newest) >= filter->header.layer[filter->header.layers - 1].capacity;
}

FilterStatus
cuckoo_filter_add(FilterView *filter, uint64_t hash, bool unique, bool *changed)
{
	CuckooPosition position;
	CuckooLayer cuckoo;
	unsigned	held;

	*changed = false;
	if (filter->header.layers == 0)
		return FILTER_FULL;
	unique |= filter->header.is_set;
	if (unique && filter_contains(filter, hash))
		return FILTER_OK;

	cuckoo = filter_cuckoo_layer(filter, filter->header.layers - 1);
	position = cuckoo_position(&cuckoo, hash);
	if (filter_is_plain(&filter->header) && !cuckoo.counted && cuckoo_slots(&cuckoo) > SMALL_SLOTS &&
		cuckoo_put(&cuckoo, &position))
	{
		*changed = true;
		return FILTER_OK;
	}
	held = unique || !filter_contains(filter, hash) ? 0 : filter_count(filter, hash);
	if (held == CUCKOO_PERMANENT)
		return FILTER_OK;
	if (held > 0 && cuckoo_count_up(&cuckoo, &position, held == CUCKOO_MAX_COUNT ? CUCKOO_PERMANENT : 1))
	{
		*changed = true;
		return FILTER_OK;
	}
	/* Without a counter, a copy is an entry of its own. Only a counter can make it permanent. */
	if ((held == CUCKOO_MAX_COUNT && !cuckoo.counted) ||
		(!cuckoo_has_class(&cuckoo, &position) && is_small_and_full(filter, &cuckoo)) ||
		cuckoo_add(&cuckoo, &position) != FILTER_OK)
		return FILTER_FULL;
	if (held == CUCKOO_MAX_COUNT)
		(void) cuckoo_count_up(&cuckoo, &position, CUCKOO_PERMANENT);
	*changed = true;
	return FILTER_OK;
}

/*
 * Whether the newest layer has copies, which counters would merge. By chance, entries of different values are of one class in
 * c^2 / 2 of the possible classes if there are c of them; the limit is two standard deviations above that. In a sample of
 * 1,024 slots, it is exceeded where one in fifty entries is a copy.
 */
static bool
has_copies(const CuckooLayer *newest, uint64_t entries)
{
	uint32_t	step = (uint32_t) (cuckoo_slots(newest) / 1024 + 1);
	double		copies = cuckoo_sample_copies(newest, step);
	double		classes = (double) entries - copies * step;
	double		possible = (double) newest->pages * newest->windows * (ldexp(1.0, (int) newest->slot_bits - 1) - 1.0);
	double		by_chance = classes * classes / (2.0 * possible) / step;

	return copies > by_chance + 2.0 * sqrt(by_chance);
}

/* Plan a larger stash for a layer; false if it is at its limit. */
static bool
plan_stash(FilterLayer *layer, const CuckooLayer *cuckoo)
{
	uint64_t	limit = cuckoo_slots(cuckoo) / STASH_SLOTS;
	uint64_t	capacity = 2 * (uint64_t) layer->stash_capacity;

	if (layer->stash_capacity >= limit)
		return false;
	if (capacity < STASH_MIN_CAPACITY)
		capacity = STASH_MIN_CAPACITY;
	layer->stash_capacity = (uint32_t) (capacity < limit ? capacity : limit);
	return true;
}

bool
cuckoo_filter_plan_growth(const FilterView *filter, uint64_t hash, FilterHeader *next)
{
	FilterLayer *layer = &next->layer[next->layers - 1];
	CuckooLayer newest = filter_cuckoo_layer(filter, next->layers - 1);
	CuckooPosition position = cuckoo_position(&newest, hash);
	uint64_t	entries = cuckoo_entries(&newest);
	bool		can_count = !next->is_set && !newest.counted;
	unsigned	held = cuckoo_count(&newest, &position);
	bool		must_count = can_count && (held >= CUCKOO_MAX_ENTRIES || filter_count(filter, hash) == CUCKOO_MAX_COUNT ||
										   has_copies(&newest, entries));

	if (!must_count && entries < layer->capacity && plan_stash(layer, &newest))
		return true;
	if (!must_count && !(can_count && held > 0))
		return false;
	layer->counted = true;
	return true;
}

/* A run is added only where each value just needs a slot of a single layer whose entries need not be counted. */
size_t
cuckoo_filter_add_run(FilterView *filter, const uint64_t *hashes, size_t count, bool *changed)
{
	const FilterLayer *only = &filter->header.layer[0];
	CuckooLayer cuckoo;
	size_t		run;

	if (!filter_is_plain(&filter->header) || filter->header.is_set || only->counted || only->size < SMALL_SLOTS / 2)
		return 0;
	cuckoo = filter_cuckoo_layer(filter, 0);
	run = cuckoo_add_run(&cuckoo, hashes, count);
	*changed |= run > 0;
	return run;
}

bool
filter_remove(const FilterView *filter, uint64_t hash)
{
	CuckooPosition position;
	CuckooLayer cuckoo;
	int			layer = filter->header.layers == 1 ? 0 : layer_to_remove_from(filter, hash);

	assert(filter->header.type == FILTER_CUCKOO && !filter->header.is_set);
	if (layer < 0)
		return false;
	cuckoo = filter_cuckoo_layer(filter, (uint32_t) layer);
	position = cuckoo_position(&cuckoo, hash);
	return cuckoo_remove(&cuckoo, &position);
}

size_t
filter_remove_all(const FilterView *filter, const uint64_t *hashes, size_t count)
{
	bool		is_plain = filter_is_plain(&filter->header) && !filter->header.layer[0].counted;
	CuckooLayer cuckoo = is_plain ? filter_cuckoo_layer(filter, 0) : (CuckooLayer) {0};
	size_t		removed = 0;

	assert(filter->header.type == FILTER_CUCKOO && !filter->header.is_set);
	for (size_t i = 0, end; i < count; i = end)
	{
		end = filter_stride(i, count, FILTER_STRIDE_HASHES);
		if (is_plain)
			removed += cuckoo_remove_run(&cuckoo, hashes + i, end - i);
		else
			for (size_t j = i; j < end; j++)
				removed += filter_remove(filter, hashes[j]);
	}
	return removed;
}

unsigned
filter_count(const FilterView *filter, uint64_t hash)
{
	unsigned	sum = 0;

	assert(filter->header.type == FILTER_CUCKOO);
	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPosition position = cuckoo_position(&cuckoo, hash);
		unsigned	count = cuckoo_count(&cuckoo, &position);

		if (count == CUCKOO_PERMANENT)
			return count;
		sum += count;
	}
	/* The sum can be larger if copies are counted together whose values are of one class in one layer only. */
	return sum < CUCKOO_MAX_COUNT ? sum : CUCKOO_MAX_COUNT;
}

double
cuckoo_filter_cardinality(const FilterView *filter)
{
	uint64_t	copies = 0;

	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		copies += cuckoo_entries(&cuckoo) + cuckoo_further_copies(&cuckoo);
	}
	return (double) copies;
}

/* The number of entries that a layer can still get within its capacity. */
static uint64_t
remaining_capacity(const FilterView *filter, uint32_t layer)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
	uint64_t	entries = cuckoo_entries(&cuckoo);
	uint64_t	capacity = filter->header.layer[layer].capacity;

	return entries < capacity ? capacity - entries : 0;
}

/* Drop what any layer of target has, then move the rest where there is room. */
bool
cuckoo_filter_unite_layer(FilterView *target, const FilterView *source, uint32_t source_layer)
{
	CuckooLayer from = filter_cuckoo_layer(source, source_layer);

	assert(target->header.is_set);
	for (uint32_t layer = 0; layer < target->header.layers; layer++)
	{
		CuckooLayer to = filter_cuckoo_layer(target, layer);

		if (cuckoo_can_fold(&to, &from))
			cuckoo_move(&to, &from, true, 0);
	}
	for (uint32_t layer = 0; layer < target->header.layers; layer++)
	{
		CuckooLayer to = filter_cuckoo_layer(target, layer);

		if (filter_same_geometry(&target->header.layer[layer], &source->header.layer[source_layer]))
			cuckoo_move(&to, &from, true, remaining_capacity(target, layer));
	}
	return cuckoo_entries(&from) == 0;
}

/* A layer that has room for entries, but no free slots, gets a larger stash. */
bool
cuckoo_filter_plan_union(const FilterView *target, const FilterView *source, uint32_t source_layer, FilterHeader *next)
{
	for (uint32_t layer = 0; layer < next->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(target, layer);

		if (filter_same_geometry(&next->layer[layer], &source->header.layer[source_layer]) &&
			remaining_capacity(target, layer) > 0 && plan_stash(&next->layer[layer], &cuckoo))
			return true;
	}
	return false;
}

void
filter_compact(const FilterView *filter)
{
	assert(filter->header.type == FILTER_CUCKOO);
	for (uint32_t newer = filter->header.layers; newer-- > 0;)
	{
		CuckooLayer from = filter_cuckoo_layer(filter, newer);

		for (uint32_t older = 0; older < newer; older++)
		{
			CuckooLayer to = filter_cuckoo_layer(filter, older);

			if (cuckoo_can_fold(&to, &from))
				cuckoo_move(&to, &from, filter->header.is_set, remaining_capacity(filter, older));
		}
	}
}

void
filter_plan_compact(const FilterView *filter, FilterHeader *next, uint32_t from[FILTER_MAX_LAYERS])
{
	*next = filter->header;
	next->layers = 0;
	for (uint32_t i = 0; i < filter->header.layers; i++)
	{
		FilterLayer *layer = &next->layer[next->layers];
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, i);
		uint64_t	entries = cuckoo_entries(&cuckoo);

		if (entries == 0 && !(i == filter->header.layers - 1 && next->layers == 0))
			continue;
		from[next->layers] = entries == 0 ? 0 : i;
		*layer = filter->header.layer[from[next->layers]];
		layer->counted &= cuckoo_further_copies(&cuckoo) > 0;
		layer->stash_capacity = cuckoo_stash_used(&cuckoo);
		next->layers++;
	}
}

void
filter_plan_set(const FilterHeader *header, FilterHeader *next)
{
	*next = *header;
	next->is_set = true;
	for (uint32_t i = 0; i < next->layers; i++)
		next->layer[i].counted = false;
}
