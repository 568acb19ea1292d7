#include "core/cuckoo_filter.h"

#include "core/arithmetic.h"
#include "core/cuckoo_sizing.h"
#include "core/pause.h"

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

#define SMALL_CUCKOO_SLOTS 512

/*
 * Growing or covering.
 *
 * If a value finds no place in the newest cuckoo layer, the filter is usually full, and grows. But values whose
 * hashes were chosen share their windows in every layer, and a few of them would make a filter of any size grow. So
 * once a filter has grown in vain, a wildcard covers the value (see core/cuckoo.h).
 *
 * Values that were not chosen find a place until the layer is nearly full, unless many of them have three copies. If
 * three such values share a lower window, or two share both windows, one of them finds no place. That happens early,
 * and earlier in larger layers (in one of a million slots, at a thirtieth of its load). Three copies must be counted
 * exactly, so a filter may grow to MAX_VAIN_GROWTH times its initial slots for few entries. Beyond that, it may grow
 * only if it holds enough entries: one per MAX_SPARSE_SMALL slots, which is what three copies of a few thousand
 * values need, or one per MAX_SPARSE_LARGE slots, which bounds the size of large filters, whose rate wildcards hardly
 * raise if the values were not chosen. MAX_SPARSE is for filters of a large capacity that have not grown.
 *
 * A covered window counts as COVERED_ENTRIES entries. This makes the filter larger, so that the fraction of windows
 * that are covered, which is added to the rate, stays small.
 *
 * A filter that does not grow adds wildcards as long as its rate stays within 1.5 times the requested one. Beyond
 * that, it rejects values that find no place: mostly chosen ones, since others still find one.
 */
#define LEAST_COVERED		4096	/* slots */
#define MAX_VAIN_GROWTH		8
#define MAX_SPARSE			256 /* slots per entry */
#define MAX_SPARSE_SMALL	64	/* in a filter that has grown that far */
#define MAX_SPARSE_LARGE	8	/* and is larger than: */
#define LARGE_SLOTS			131072
#define COVERED_ENTRIES		8
#define RECOUNT				256 /* the newest layer is counted after its slots / RECOUNT additions */

/*
 * Chosen values must not exhaust the layers or prevent a merge: near the limit, wildcards are used in layers that are
 * large enough.
 */
#define MANY_LAYERS			16
#define LEAST_SLOTS			32

/* The fraction of windows that may be covered by merging into a layer of fewer windows. */
#define COVERED_BY_MERGING	64

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
cuckoo_filter_enlarge_newest(Filter *filter, double *bytes)
{
	FilterLayer *newest = &filter->layer[filter->layers - 1];
	CuckooGeometry geometry = {newest->count, newest->size, newest->width};
	FilterStatus status = cuckoo_enlarge_geometry(&geometry, bytes);

	newest->count = geometry.pages;
	newest->size = geometry.windows;
	return status;
}

static void
prefetch(const Filter *filter, uint32_t layer, const uint64_t *hashes, size_t count)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

	for (size_t i = 0; i < count; i++)
		(void) cuckoo_prefetch(&cuckoo, hashes[i]);
}

/* Not inline: its register use would slow down its caller. */
static FILTER_NOINLINE bool
wildcards_cover(const Filter *filter, uint64_t hash)
{
	for (uint32_t layer = filter->layers; layer-- > 0;)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace place = cuckoo_place(&cuckoo, hash);

		if (cuckoo_place_is_covered(&cuckoo, &place))
			return true;
	}
	return false;
}

/* The newest layers are the largest, so most values are there. */
static bool
layers_contain(const Filter *filter, uint64_t hash)
{
	for (uint32_t layer = filter->layers; layer-- > 0;)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		if (cuckoo_contains(&cuckoo, hash))
			return true;
	}
	/* Last, so that it costs time only if nothing was found. */
	return filter->crowded && wildcards_cover(filter, hash);
}

/*
 * The places that prefetching computed are kept for the lookups. They take more memory than blocks, and are prefetched batch by
 * batch (measured at 30 million values: 24 ns per lookup, 28 one by one).
 */
static size_t
contains_run(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, 0);
	CuckooPlace place[FILTER_BATCH];

	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		size_t		batch = count - start < FILTER_BATCH ? count - start : FILTER_BATCH;

		for (size_t i = 0; i < batch; i++)
			place[i] = cuckoo_prefetch(&cuckoo, hashes[start + i]);
		for (size_t i = 0; i < batch; i++)
			if (cuckoo_place_contains(&cuckoo, &place[i]) != wanted)
				return start + i;
	}
	return count;
}

static uint32_t
lookup_ranges(const Filter *filter, uint32_t layer, uint64_t hash, FilterRange range[2])
{
	CuckooLayer cuckoo = filter_cuckoo_geometry(filter, layer);
	CuckooPlace place = cuckoo_place(&cuckoo, hash);

	for (uint32_t half = 0; half < 2; half++)
	{
		range[half].offset = filter->layer[layer].offset + cuckoo_window_offset(&cuckoo, &place, half);
		range[half].length = CUCKOO_WINDOW_BYTES;
	}
	return 2;
}

static bool
ranges_contain(const Filter *filter, uint32_t layer, uint64_t hash, const uint8_t *const bytes[2])
{
	CuckooLayer cuckoo = filter_cuckoo_geometry(filter, layer);
	CuckooPlace place = cuckoo_place(&cuckoo, hash);

	return cuckoo_windows_contain(&cuckoo, &place, bytes[0], bytes[1]) ||
		(cuckoo.crowded && cuckoo_window_is_covered(&cuckoo, &place, bytes[0]));
}

/* Whether a layer refines another if either refines the other: it has more windows, or as many and wider slots. */
static bool
is_finer(const CuckooLayer *a, const CuckooLayer *b)
{
	uint64_t	a_windows = (uint64_t) a->pages * a->windows;
	uint64_t	b_windows = (uint64_t) b->pages * b->windows;

	return a_windows != b_windows ? a_windows > b_windows : a->slot_bits > b->slot_bits;
}

/*
 * The layer that a copy of a value can be removed from, and its place there; -1 if no layer has entries of its class,
 * or none of those refines all others. The order of the layers makes no difference.
 */
static int
layer_to_remove_from(const Filter *filter, uint64_t hash, CuckooPlace *place)
{
	int			finest = -1;
	CuckooLayer candidate = {0, 0, 0, NULL, false};

	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace here = cuckoo_place(&cuckoo, hash);

		if (cuckoo_count(&cuckoo, &here) == 0 || (finest >= 0 && !is_finer(&cuckoo, &candidate)))
			continue;
		finest = (int) layer;
		candidate = cuckoo;
		*place = here;
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
 * A small cuckoo layer has spare slots and could hold more values than its rate allows, so it is full at its
 * capacity. A large one has few, and is full when a value finds no place.
 */
static bool
is_small_and_full(const Filter *filter, const CuckooLayer *newest)
{
	return cuckoo_slots(newest) <= SMALL_CUCKOO_SLOTS &&
		cuckoo_entries(newest) >= filter->layer[filter->layers - 1].capacity;
}

/* The contents of a layer, as growth counts them. */
static uint64_t
entries_and_covered(const CuckooLayer *layer)
{
	return cuckoo_entries(layer) + COVERED_ENTRIES * cuckoo_windows_covered(layer);
}

static bool
can_grow(const Filter *filter)
{
	Filter		next = *filter;
	double		bytes;

	return layers_append(&next, choose_geometry, 0, &bytes) == FILTER_OK && filter_lay_out(&next, &bytes) == FILTER_OK;
}

/* Whether a layer is far from full, so that only a few other values can keep a value from finding a place. */
static bool
has_room(const CuckooLayer *layer, uint64_t entries)
{
	uint64_t	slots = cuckoo_slots(layer);

	return slots >= LEAST_SLOTS && entries < slots - slots / 8;
}

/* The number of windows that wildcards may cover in the layer of a filter that does not grow. */
static uint64_t
fixed_most_covered(const Filter *filter, const CuckooLayer *layer)
{
	return (uint64_t) (0.5 * filter->rate * layer->pages * layer->windows);
}

/* is_to_be_covered for a filter that does not grow. */
static bool
fixed_is_to_be_covered(Filter *filter, const CuckooLayer *layer)
{
	uint64_t	most = fixed_most_covered(filter, layer);
	uint64_t	covered = cuckoo_windows_covered(layer);
	uint64_t	wildcards;

	if (covered >= most || cuckoo_entries(layer) >= filter->layer[0].capacity)
		return false;
	/* A wildcard covers at most two windows. */
	wildcards = (most - covered) / 2;
	filter->room = wildcards < cuckoo_slots(layer) / RECOUNT ? wildcards : cuckoo_slots(layer) / RECOUNT;
	return wildcards > 0;
}

/* Whether to cover a value that found no place in the newest layer. O(size), so the result is kept for a while. */
static bool
is_to_be_covered(Filter *filter)
{
	uint64_t	slots = 0,
				oldest_slots = 0,
				entries = 0,
				newest_entries = 0,
				sparse;
	CuckooLayer newest = filter_cuckoo_layer(filter, filter->layers - 1);
	bool		covered;

	if (filter->room > 0)
		return true;
	if (filter->fixed)
		return fixed_is_to_be_covered(filter, &newest);
	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		newest_entries = entries_and_covered(&cuckoo);
		entries += newest_entries;
		slots += cuckoo_slots(&cuckoo);
		if (layer == 0)
			oldest_slots = slots;
	}
	if (slots / MAX_VAIN_GROWTH < oldest_slots)
		sparse = MAX_SPARSE;
	else
		sparse = slots <= LARGE_SLOTS ? MAX_SPARSE_SMALL : MAX_SPARSE_LARGE;
	covered = slots >= LEAST_COVERED && entries < slots / sparse;
	if (!covered)
		covered = !can_grow(filter) && has_room(&newest, newest_entries);
	if (covered)
		filter->room = cuckoo_slots(&newest) / RECOUNT;
	return covered;
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
	if (unique ? layers_contain(filter, hash) : older_layer_is_sticky(filter, hash))
		return FILTER_OK;

	cuckoo = filter_cuckoo_layer(filter, filter->layers - 1);
	place = cuckoo_place(&cuckoo, hash);
	copies = cuckoo_count(&cuckoo, &place);
	if (copies == CUCKOO_STICKY_COUNT)
		return FILTER_OK;
	/* A value has at most a few more copies, which are not worth another layer. */
	if (copies == 0 && is_small_and_full(filter, &cuckoo))
		return FILTER_FULL;
	if (cuckoo_add_within(&cuckoo, &place, filter->room > 0 ? CUCKOO_FEW_KICKS : CUCKOO_MAX_KICKS) != FILTER_OK)
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

static FilterStatus
build(Filter *filter, const uint64_t *hashes, size_t count, bool cover)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, 0);

	for (size_t i = 0; i < count; i++)
	{
		CuckooPlace place = cuckoo_place(&cuckoo, hashes[i]);

		if (cuckoo_add_within(&cuckoo, &place, cover ? CUCKOO_FEW_KICKS : CUCKOO_MAX_KICKS) == FILTER_OK)
			continue;
		if (!cover)
			return FILTER_FULL;
		cuckoo_cover(&cuckoo, &place);
		cuckoo.crowded = true;
		filter_set_crowded(filter);
	}
	return FILTER_OK;
}

bool
cuckoo_filter_remove(const Filter *filter, uint64_t hash)
{
	CuckooPlace place;
	CuckooLayer cuckoo;
	int			layer = layer_to_remove_from(filter, hash, &place);

	if (layer < 0)
		return false;
	cuckoo = filter_cuckoo_layer(filter, (uint32_t) layer);
	return cuckoo_remove(&cuckoo, &place);
}

unsigned
cuckoo_filter_count(const Filter *filter, uint64_t hash)
{
	unsigned	sum = 0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace place = cuckoo_place(&cuckoo, hash);

		sum += cuckoo_count(&cuckoo, &place);
	}
	return sum;
}

static double
layer_cardinality(const Filter *filter, uint32_t layer)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

	return (double) cuckoo_entries(&cuckoo);
}

static double
cardinality(const Filter *filter)
{
	double		sum = 0.0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
		sum += layer_cardinality(filter, layer);
	return sum;
}

static double
sampled_cardinality(const Filter *filter, uint32_t layer)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
	uint64_t	length = SAMPLE_STRETCH_BYTES * 8 / cuckoo.slot_bits;
	uint64_t	slots = cuckoo_slots(&cuckoo);
	uint64_t	entries = 0;

	for (uint64_t i = 0; i < SAMPLE_STRETCHES; i++)
		entries += cuckoo_entries_between(&cuckoo, filter_sample_start(i, length, slots), length);
	if (entries == 0)
		entries = 1;
	return (double) entries * (double) slots / (double) (length * SAMPLE_STRETCHES);
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
		((uint64_t) b.pages * b.windows == windows || cuckoo_windows_covered(&b) <= windows / COVERED_BY_MERGING);
}

/* cover: whether what finds no place gets a wildcard. */
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

static FilterStatus
merge_layer(Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	CuckooLayer a = filter_cuckoo_layer(target, target_layer);
	CuckooLayer b = filter_cuckoo_layer(source, source_layer);

	return fold_layer(target, &a, &b, target->layers >= MANY_LAYERS &&
					  has_room(&a, entries_and_covered(&a) + entries_and_covered(&b)));
}

/*
 * The entries of both must be within the capacity (some may become one, in a sticky class). If some still find no
 * place, they are covered, as in adding.
 */
static FilterStatus
merge_layer_into_fixed(Filter *target, const Filter *source, uint32_t layer)
{
	uint64_t	capacity = target->layer[0].capacity;
	CuckooLayer a = filter_cuckoo_layer(target, 0);
	CuckooLayer b = filter_cuckoo_layer(source, layer);
	FilterStatus status;

	if (filter_layer_is_empty(target, 0))
	{
		/* Unchanged, even if it holds slightly more than its capacity. */
		filter_copy_layer(target, 0, source, layer);
		if (source->crowded)
			filter_set_crowded(target);
		return FILTER_OK;
	}
	status = fold_layer(target, &a, &b, cuckoo_entries(&a) + cuckoo_entries(&b) <= capacity);
	if (status != FILTER_OK)
		return status;
	return cuckoo_entries(&a) > capacity || cuckoo_windows_covered(&a) > fixed_most_covered(target, &a) ? FILTER_FULL : FILTER_OK;
}

const FilterMethods cuckoo_filter_methods = {
	.choose_geometry = choose_geometry,
	.prefetch = prefetch,
	.contains = layers_contain,
	.contains_run = contains_run,
	.lookup_ranges = lookup_ranges,
	.ranges_contain = ranges_contain,
	.add = add,
	.build = build,
	.cardinality = cardinality,
	.layer_cardinality = layer_cardinality,
	.sampled_cardinality = sampled_cardinality,
	.layer_rate_now = layer_rate_now,
	.layer_fill = layer_fill,
	.can_merge_layer = can_merge_layer,
	.merge_layer = merge_layer,
	.merge_layer_into_fixed = merge_layer_into_fixed,
};
