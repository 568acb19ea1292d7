/*
 * The methods of cuckoo filters, over one or several layers. Their difficulty is deletes: entries of different values can
 * be equal, so each method keeps the invariant below, by which a delete never removes the entry of another value.
 */
#include "core/cuckoo_filter.h"

#include "core/arithmetic.h"
#include "core/pause.h"

#include <assert.h>

/*
 * The functions for cuckoo filters alone assert the type: a type of SQL has filters of one type, and its functions are for
 * that one. If a filter of the other type got here, its bits would be taken for what they are not, and values lost.
 */

/*
 * Which entry of a cuckoo filter a removal takes.
 *
 * A layer cannot distinguish the values of a class, so it does not record which entry belongs to which value. The
 * invariant is that some assignment exists: each copy held can be matched with an entry of its class in some layer
 * (or with a sticky class, which can be matched with any number of copies). Then every value that is held is found,
 * and its count is not too low. Adding an entry anywhere preserves the matching. So does a new wildcard, which makes
 * classes sticky: the copies matched with the entry that it replaces, or with an entry that is dropped because it is
 * covered, are now matched with the wildcard.
 *
 * A layer refines another if values of one class in it are always of one class in the other: see cuckoo_can_fold.
 * Growth makes each layer refine all older ones. To remove a copy of v, remove an entry of v's class in the layer
 * that refines all others with entries of v's classes. Suppose the matching assigned that entry to a value w, and to
 * v one in another layer. Then w is of v's class there too, and takes over v's entry or its place in a sticky class.
 * So a matching still exists. If the class is sticky in the layer that refines the others, nothing is removed. Nor is
 * anything removed if no layer refines the others, which can happen after a union of filters of different capacities:
 * a stale positive is allowed, a missing value is not.
 */

/*
 * Growing or covering.
 *
 * If a value finds no place in the newest layer, the layer is usually full, and the filter grows. But values whose
 * hashes were chosen share their windows in every layer, and a few of them would make a filter of any size grow.
 * Copies of values that were not chosen do the same: if two values with four copies each share a lower window, one of
 * them finds no place. So a wildcard covers the value (see core/cuckoo.h) as long as less than a sixteenth of the
 * layer's slots are taken, and a sixteenth of its windows covered. A layer that is smaller than a page gets none: it
 * is cheap to double, and a wildcard would cover more than 2 of 32,767 windows.
 *
 * This bounds what chosen values can do. They add 1/16 to the rate of each layer. If a filter has grown to s slots,
 * its last layer but one has s/4 slots. Of these, s/64 are taken by one value each, or s/128 windows are covered, each
 * two of which took three values or more. So there are at most 85 slots per chosen value, or the 4 pages up to which
 * any filter may grow.
 *
 * A sixteenth suits values that were not chosen. If all have four copies and the load is L, a layer of w windows has
 * n = L w / 2 of them and 3 n^2 / w pairs that share windows. Each pair causes a wildcard for two windows, so
 * 1.5 L^2 of the windows are covered: 0.6% at L = 1/16, but 2.3% at 1/8. At 1/32, the filter would be twice as large.
 * With three copies it is a tenth of that or less. test/bench/bench_wildcards.c measures all this.
 *
 * A filter that cannot have another layer is full if it has as many entries as its capacity. If it was created so that
 * it does not grow, its rate must also stay within 1.5 times the requested one.
 * A layer is merged into one with fewer windows, w of them, only if its wildcards cover at most w/16 of its own.
 */
#define SPARSE 16

static FilterStatus
choose_geometry(const Filter *filter, bool grows, uint64_t capacity, double rate, FilterLayer *layer, double *bytes)
{
	CuckooGeometry geometry = {0, 0, 0};
	FilterStatus status;

	if (grows)
	{
		const FilterLayer *newest = &filter->layer[filter->layers - 1];
		CuckooGeometry from = {newest->count, newest->size, newest->width};

		status = cuckoo_double_geometry(&from, capacity, rate, &geometry, bytes);
	}
	else
		status = cuckoo_choose_geometry(capacity, rate, &geometry, bytes);
	layer->count = geometry.pages;
	layer->size = geometry.windows;
	layer->width = geometry.slot_bits;
	return status;
}

FilterStatus
filter_enlarge_newest(Filter *filter, double *bytes)
{
	FilterLayer *newest = &filter->layer[filter->layers - 1];
	CuckooGeometry geometry = {newest->count, newest->size, newest->width};
	FilterStatus status = cuckoo_enlarge_geometry(&geometry, bytes);

	assert(filter->type == FILTER_CUCKOO);
	newest->count = geometry.pages;
	newest->size = geometry.windows;
	return status;
}

/* Given that one of two layers refines the other, whether `a` does: it has more windows, or as many and wider slots. */
static bool
is_finer(const CuckooLayer *a, const CuckooLayer *b)
{
	uint64_t	a_windows = (uint64_t) a->pages * a->windows;
	uint64_t	b_windows = (uint64_t) b->pages * b->windows;

	return a_windows != b_windows ? a_windows > b_windows : a->slot_bits > b->slot_bits;
}

/*
 * The layer that a copy of a value can be removed from; -1 if no layer has entries of its class, or if none of the
 * layers that have some refines all others. The order of the layers makes no difference.
 */
static int
layer_to_remove_from(const Filter *filter, uint64_t hash)
{
	int			finest = -1;
	CuckooLayer candidate = {0};

	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace here = cuckoo_place(&cuckoo, hash);

		if (cuckoo_count(&cuckoo, &here) == 0 || (finest >= 0 && !is_finer(&cuckoo, &candidate)))
			continue;
		finest = (int) layer;
		candidate = cuckoo;
	}
	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace here;

		if (finest == (int) layer || cuckoo_can_fold(&cuckoo, &candidate))
			continue;
		here = cuckoo_place(&cuckoo, hash);
		if (cuckoo_count(&cuckoo, &here) > 0)
			return -1;
	}
	return finest;
}

/* Whether a value's class is sticky in a layer before the newest: then it already represents further copies. */
static bool
older_layer_is_sticky(const Filter *filter, uint64_t hash)
{
	for (uint32_t layer = 0; layer + 1 < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace place = cuckoo_place(&cuckoo, hash);

		if (cuckoo_count(&cuckoo, &place) == CUCKOO_STICKY_COUNT)
			return true;
	}
	return false;
}

/*
 * A small layer has spare slots and could hold more values than its rate allows, so it is full at its capacity. A
 * larger one is full when a value finds no place, which saves counting its entries. Its load is then at most 0.965, and
 * it was made for 0.91 or more (see highest_load), so it holds at most 6% more than its capacity. The layers' rates sum
 * to 1.4 times the requested one (see filter_layer_rate_fraction), so they stay within 1.5 times. If narrower slots at
 * a lower load were chosen, a layer can hold 20% more; then the rates of up to 14 layers are within 1.5 times.
 */
#define SMALL_SLOTS 512

static bool
is_small_and_full(const Filter *filter, const CuckooLayer *newest)
{
	return cuckoo_slots(newest) <= SMALL_SLOTS &&
		cuckoo_entries(newest) >= filter->layer[filter->layers - 1].capacity;
}

static bool
can_grow(const Filter *filter)
{
	Filter		next = *filter;
	double		bytes;

	return filter_append_layer(&next, 0, &bytes) == FILTER_OK && filter_lay_out(&next, &bytes) == FILTER_OK;
}

/* The number of windows that wildcards may cover in the layer of a filter that does not grow. */
static uint64_t
fixed_max_covered(const Filter *filter, const CuckooLayer *layer)
{
	return (uint64_t) (0.5 * filter->rate * layer->pages * layer->windows);
}

/* The number of additions to the newest layer during which wildcards cover values that find no place. O(size). */
static uint64_t
additions_to_cover(const Filter *filter)
{
	CuckooLayer newest = filter_cuckoo_layer(filter, filter->layers - 1);
	uint64_t	slots = cuckoo_slots(&newest);
	uint64_t	max_windows = (uint64_t) newest.pages * newest.windows;
	uint64_t	max_entries = filter->layer[filter->layers - 1].capacity;
	uint64_t	windows,
				entries;

	if (filter->fixed)
		max_windows = fixed_max_covered(filter, &newest);
	else if (can_grow(filter))
	{
		if (slots < CUCKOO_PAGE_SLOTS)
			return 0;
		max_windows /= SPARSE;
		max_entries = slots / SPARSE;
	}
	windows = cuckoo_windows_covered(&newest);
	entries = cuckoo_entries(&newest);
	if (entries >= max_entries || windows >= max_windows)
		return 0;
	/* An addition makes one entry, or covers at most two windows. */
	windows = (max_windows - windows) / 2;
	entries = max_entries - entries;
	return windows < entries ? windows : entries;
}

static bool
is_to_be_covered(Filter *filter)
{
	if (filter->room == 0)
		filter->room = additions_to_cover(filter);
	return filter->room > 0;
}

static FilterStatus
add(Filter *filter, uint64_t hash, bool unique, bool *changed)
{
	CuckooPlace place;
	CuckooLayer cuckoo;
	unsigned	copies;

	*changed = false;
	if (filter->layers == 0)
		return FILTER_FULL;
	if (unique ? filter_contains(filter, hash) : older_layer_is_sticky(filter, hash))
		return FILTER_OK;

	cuckoo = filter_cuckoo_layer(filter, filter->layers - 1);
	place = cuckoo_place(&cuckoo, hash);
	/* A class with a free slot is not sticky. */
	if (!cuckoo.crowded && cuckoo_slots(&cuckoo) > SMALL_SLOTS && cuckoo_put(&cuckoo, &place))
	{
		filter->room -= filter->room > 0;
		*changed = true;
		return FILTER_OK;
	}
	copies = cuckoo_count(&cuckoo, &place);
	if (copies == CUCKOO_STICKY_COUNT)
		return FILTER_OK;
	/* A value has at most a few more copies, which are not worth another layer. */
	if (copies == 0 && is_small_and_full(filter, &cuckoo))
		return FILTER_FULL;
	if (cuckoo_add(&cuckoo, &place, filter->room > 0 ? CUCKOO_FEW_STEPS : CUCKOO_MAX_STEPS) != FILTER_OK)
	{
		if (!is_to_be_covered(filter))
			return FILTER_FULL;
		cuckoo_cover(&cuckoo, &place);
		filter_set_crowded(filter);
	}
	filter->room -= filter->room > 0;
	*changed = true;
	return FILTER_OK;
}

/*
 * If adding is a matter of finding a slot in a single layer: its entries need not be counted, and no wildcard may cover a
 * value.
 */
static size_t
add_run(Filter *filter, const uint64_t *hashes, size_t count, bool *changed)
{
	CuckooLayer cuckoo;

	if (!filter_is_plain(filter) || filter->room > 0 || filter->layer[0].size < SMALL_SLOTS / 2)
		return 0;
	cuckoo = filter_cuckoo_layer(filter, 0);
	return cuckoo_add_run(&cuckoo, hashes, count, changed);
}

static FilterStatus
build(Filter *filter, const uint64_t *hashes, size_t count, bool cover)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, 0);
	FilterStatus status = cuckoo_add_in_order(&cuckoo, hashes, count, cover);

	if (cuckoo.crowded)
		filter_set_crowded(filter);
	return status;
}

bool
filter_remove(const Filter *filter, uint64_t hash)
{
	CuckooPlace place;
	CuckooLayer cuckoo;
	/* In a single layer, removing fails if counting would. */
	int			layer = filter->layers == 1 ? 0 : layer_to_remove_from(filter, hash);

	assert(filter->type == FILTER_CUCKOO);
	if (layer < 0)
		return false;
	cuckoo = filter_cuckoo_layer(filter, (uint32_t) layer);
	place = cuckoo_place(&cuckoo, hash);
	return cuckoo_remove(&cuckoo, &place);
}

size_t
filter_remove_all(const Filter *filter, const uint64_t *hashes, size_t count)
{
	CuckooLayer cuckoo = filter_is_plain(filter) ? filter_cuckoo_layer(filter, 0) : (CuckooLayer) {0};
	size_t		removed = 0;

	assert(filter->type == FILTER_CUCKOO);
	for (size_t i = 0, end; i < count; i = end)
	{
		end = filter_stride(i, count, FILTER_STRIDE_HASHES);
		if (filter_is_plain(filter))
			removed += cuckoo_remove_run(&cuckoo, hashes + i, end - i);
		else
			for (size_t j = i; j < end; j++)
				removed += filter_remove(filter, hashes[j]);
	}
	return removed;
}

unsigned
filter_count(const Filter *filter, uint64_t hash)
{
	unsigned	sum = 0;

	assert(filter->type == FILTER_CUCKOO);
	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace place = cuckoo_place(&cuckoo, hash);

		sum += cuckoo_count(&cuckoo, &place);
	}
	return sum;
}

static double
cardinality(const Filter *filter)
{
	uint64_t	entries = 0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		entries += cuckoo_entries(&cuckoo);
	}
	return (double) entries;
}

static double
layer_rate_now(const Filter *filter, uint32_t layer)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
	CuckooGeometry geometry = {cuckoo.pages, cuckoo.windows, cuckoo.slot_bits};
	double		covered = (double) cuckoo_windows_covered(&cuckoo) / ((double) cuckoo.pages * cuckoo.windows);

	return covered + (1.0 - covered) * cuckoo_rate(&geometry, (double) cuckoo_entries(&cuckoo));
}

static double
layer_fill(const Filter *filter, uint32_t layer)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

	return (double) cuckoo_entries(&cuckoo) / (double) cuckoo_slots(&cuckoo);
}

static bool
can_merge_layer(const Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	CuckooLayer a = filter_cuckoo_layer(target, target_layer);
	CuckooLayer b = filter_cuckoo_layer(source, source_layer);
	uint64_t	windows = (uint64_t) a.pages * a.windows;

	/* The fewer windows a layer has, the more values a wildcard covers. */
	return cuckoo_can_fold(&a, &b) &&
		cuckoo_entries(&a) + cuckoo_entries(&b) <= target->layer[target_layer].capacity &&
		((uint64_t) b.pages * b.windows == windows || cuckoo_windows_covered(&b) <= windows / SPARSE);
}

/* With `cover`, wildcards cover the entries that find no place. */
static FilterStatus
fold_layer(Filter *target, CuckooLayer *a, const CuckooLayer *b, bool cover)
{
	FilterStatus status;

	a->crowded |= cover || b->crowded;
	status = cuckoo_fold(a, b, cover);
	if (status == FILTER_OK && cuckoo_windows_covered(a) > 0)
		filter_set_crowded(target);
	return status;
}

/*
 * The merged entries must be within the capacity. There may be fewer of them than in both layers, since a sticky class
 * has four. If even those of both are within it, wildcards cover the ones that find no place, as in adding.
 */
static FilterStatus
merge_fixed(Filter *target, const Filter *source)
{
	uint64_t	capacity = target->layer[0].capacity;
	CuckooLayer a = filter_cuckoo_layer(target, 0);
	CuckooLayer b = filter_cuckoo_layer(source, 0);
	FilterStatus status;

	if (filter_layer_is_empty(target, 0))
	{
		/* Whatever it holds, even if that is slightly more than its capacity. */
		filter_copy_layer(target, 0, source, 0);
		if (source->crowded)
			filter_set_crowded(target);
		return FILTER_OK;
	}
	status = fold_layer(target, &a, &b, cuckoo_entries(&a) + cuckoo_entries(&b) <= capacity);
	if (status != FILTER_OK)
		return status;
	return cuckoo_entries(&a) > capacity ||
		cuckoo_windows_covered(&a) > fixed_max_covered(target, &a) ? FILTER_FULL : FILTER_OK;
}

static FilterStatus
merge_layer(Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	CuckooLayer a = filter_cuckoo_layer(target, target_layer);
	CuckooLayer b = filter_cuckoo_layer(source, source_layer);

	if (target->fixed)
		return merge_fixed(target, source);
	/* Half of the layers are for growth: chosen values must not take them by preventing merges. */
	return fold_layer(target, &a, &b, target->layers >= FILTER_MAX_LAYERS / 2);
}

const FilterMethods cuckoo_filter_methods = {
	.choose_geometry = choose_geometry,
	.add = add,
	.add_run = add_run,
	.build = build,
	.cardinality = cardinality,
	.layer_rate_now = layer_rate_now,
	.layer_fill = layer_fill,
	.can_merge_layer = can_merge_layer,
	.merge_layer = merge_layer,
};
