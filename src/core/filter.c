#include "core/filter.h"

#include "core/arithmetic.h"
#include "core/bloom_sizing.h"
#include "core/cuckoo_sizing.h"
#include "core/pause.h"

#include <math.h>
#include <string.h>

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

double
filter_rate_share(uint32_t layer)
{
	/*
	 * The fractions for layers 1 to 31 sum to 0.40: a term that starts at 0.06 and halves with each layer, for
	 * filters that grow a few times, plus a floor that even the lowest rate (1e-7) can reach with the widest cuckoo
	 * slots. With 1 for the first layer that is 1.4 times the rate; the rest of 1.5 is for a slightly overfull Bloom
	 * layer, see bloom_limit.
	 */
	return layer == 0 ? 1.0 : 0.12 * ldexp(1.0, -(int) layer) + 0.009;
}

FilterStatus
filter_append_layer(Filter *filter, uint64_t capacity, double *bytes)
{
	double		rate = filter->rate * filter_rate_share(filter->layers);
	const FilterLayer *newest = &filter->layer[filter->layers - (filter->layers > 0)];
	FilterLayer layer;
	FilterStatus status;
	bool		grows = capacity == 0 && filter->layers > 0;

	*bytes = 0.0;
	if (filter->fixed && filter->layers > 0)
		return FILTER_FULL;
	if (filter->layers == FILTER_MAX_LAYERS)
		return FILTER_TOO_MANY_LAYERS;
	if (grows)
		capacity = newest->capacity <= FILTER_MAX_CAPACITY / 2 ? newest->capacity * 2 : FILTER_MAX_CAPACITY;
	else if (capacity == 0)
		capacity = FILTER_DEFAULT_CAPACITY;
	if (capacity > FILTER_MAX_CAPACITY)
		return FILTER_BAD_CAPACITY;

	memset(&layer, 0, sizeof(layer));
	layer.capacity = capacity;
	if (filter->type == FILTER_BLOOM)
	{
		BloomGeometry geometry = {0, 0, 0};

		status = bloom_choose_geometry(capacity, rate, &geometry, bytes);
		layer.count = geometry.blocks;
		layer.size = geometry.block_bits;
		layer.width = geometry.probes;
	}
	else
	{
		CuckooGeometry geometry = {0, 0, 0};

		if (grows)
		{
			CuckooGeometry from = {newest->count, newest->size, newest->width};

			status = cuckoo_double_geometry(&from, capacity, rate, &geometry, bytes);
		}
		else
			status = cuckoo_choose_geometry(capacity, rate, &geometry, bytes);
		layer.count = geometry.pages;
		layer.size = geometry.windows;
		layer.width = geometry.slot_bits;
	}
	if (status != FILTER_OK)
		return status;
	filter->layer[filter->layers++] = layer;
	return *bytes > FILTER_MAX_IMAGE_BYTES ? FILTER_TOO_LARGE : FILTER_OK;
}

FilterStatus
filter_enlarge_newest(Filter *filter, double *bytes)
{
	FilterLayer *newest = &filter->layer[filter->layers - 1];
	CuckooGeometry geometry = {newest->count, newest->size, newest->width};
	FilterStatus status = cuckoo_enlarge_geometry(&geometry, bytes);

	newest->count = geometry.pages;
	newest->size = geometry.windows;
	return status;
}

void
filter_copy_layer(const Filter *to, uint32_t to_layer, const Filter *from, uint32_t from_layer)
{
	filter_copy_bytes(to->image + to->layer[to_layer].offset, from->image + from->layer[from_layer].offset,
					  (size_t) from->layer[from_layer].bytes);
}

static void
layer_prefetch(const Filter *filter, uint32_t layer, const uint64_t *hashes, size_t count)
{
	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		for (size_t i = 0; i < count; i++)
			(void) bloom_prefetch(&bloom, hashes[i]);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		for (size_t i = 0; i < count; i++)
			(void) cuckoo_prefetch(&cuckoo, hashes[i]);
	}
}

/* The newest layers are the largest, so most values are there. */

static bool
bloom_layers_contain(const Filter *filter, uint64_t hash)
{
	for (uint32_t layer = filter->layers; layer-- > 0;)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		if (bloom_contains(&bloom, hash))
			return true;
	}
	return false;
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

static bool
cuckoo_layers_contain(const Filter *filter, uint64_t hash)
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

static FILTER_NOINLINE bool
layers_contain(const Filter *filter, uint64_t hash)
{
	return filter->type == FILTER_BLOOM ? bloom_layers_contain(filter, hash) : cuckoo_layers_contain(filter, hash);
}

/* Most filters have one layer and no wildcards; their code path is separate, so that it has no registers to save. */
bool
filter_contains(const Filter *filter, uint64_t hash)
{
	if (filter->layers == 1)
	{
		if (filter->type == FILTER_BLOOM)
		{
			BloomLayer	bloom = filter_bloom_layer(filter, 0);

			return bloom_contains_one(&bloom, hash);
		}
		if (!filter->crowded)
		{
			CuckooLayer cuckoo = filter_cuckoo_layer(filter, 0);

			return cuckoo_contains(&cuckoo, hash);
		}
	}
	return layers_contain(filter, hash);
}

uint32_t
filter_lookup_ranges(const Filter *filter, uint32_t layer, uint64_t hash, FilterRange range[2])
{
	uint64_t	offset = filter->layer[layer].offset;

	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_geometry(filter, layer);

		range[0].offset = offset + bloom_block_offset(&bloom, hash);
		range[0].length = bloom.block_bits / 8;
		return 1;
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_geometry(filter, layer);
		CuckooPlace place = cuckoo_place(&cuckoo, hash);

		for (uint32_t half = 0; half < 2; half++)
		{
			range[half].offset = offset + cuckoo_window_offset(&cuckoo, &place, half);
			range[half].length = CUCKOO_WINDOW_BYTES;
		}
		return 2;
	}
}

bool
filter_ranges_contain(const Filter *filter, uint32_t layer, uint64_t hash, const uint8_t *const bytes[2])
{
	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_geometry(filter, layer);

		return bloom_block_contains(&bloom, bytes[0], hash);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_geometry(filter, layer);
		CuckooPlace place = cuckoo_place(&cuckoo, hash);

		return cuckoo_windows_contain(&cuckoo, &place, bytes[0], bytes[1]) ||
			(cuckoo.crowded && cuckoo_window_is_covered(&cuckoo, &place, bytes[0]));
	}
}

/*
 * One layer: the places that prefetching computed are kept for the lookups. Bloom blocks are prefetched one by one,
 * FILTER_BATCH lookups ahead, so that no batch has to wait as a whole; cuckoo places take more memory and are
 * prefetched batch by batch (measured at 30 million values: 9 and 24 ns per lookup; with the methods exchanged, 12.5
 * and 28).
 */

static size_t
bloom_contains_run(const BloomLayer *bloom, const uint64_t *hashes, size_t count, bool wanted)
{
	const uint8_t *ahead[FILTER_BATCH];

	for (size_t i = 0; i < FILTER_BATCH && i < count; i++)
		ahead[i] = bloom_prefetch(bloom, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		const uint8_t *block = ahead[i % FILTER_BATCH];

		if (i + FILTER_BATCH < count)
			ahead[i % FILTER_BATCH] = bloom_prefetch(bloom, hashes[i + FILTER_BATCH]);
		if (bloom_block_contains(bloom, block, hashes[i]) != wanted)
			return i;
	}
	return count;
}

static size_t
cuckoo_contains_run(const CuckooLayer *cuckoo, const uint64_t *hashes, size_t count, bool wanted)
{
	CuckooPlace place[FILTER_BATCH];

	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		size_t		batch = count - start < FILTER_BATCH ? count - start : FILTER_BATCH;

		for (size_t i = 0; i < batch; i++)
			place[i] = cuckoo_prefetch(cuckoo, hashes[start + i]);
		for (size_t i = 0; i < batch; i++)
			if (cuckoo_place_contains(cuckoo, &place[i]) != wanted)
				return start + i;
	}
	return count;
}

size_t
filter_contains_run(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted)
{
	if (filter->layers == 1 && filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, 0);

		return bloom_contains_run(&bloom, hashes, count, wanted);
	}
	if (filter->layers == 1 && !filter->crowded)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, 0);

		return cuckoo_contains_run(&cuckoo, hashes, count, wanted);
	}
	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		size_t		batch = count - start < FILTER_BATCH ? count - start : FILTER_BATCH;

		for (uint32_t layer = 0; layer < filter->layers; layer++)
			layer_prefetch(filter, layer, hashes + start, batch);
		for (size_t i = start; i < start + batch; i++)
			if (filter_contains(filter, hashes[i]) != wanted)
				return i;
	}
	return count;
}

/*
 * The estimate at which a Bloom layer counts as full: half a standard deviation above its capacity, so that noise in
 * the estimate does not give a filter a second layer before it reaches its capacity.
 */
static double
bloom_limit(uint64_t capacity)
{
	return (double) capacity + 0.5 * sqrt((double) capacity);
}

double
filter_merge_limit(uint64_t capacity)
{
	double		noise = 3.0 * sqrt((double) capacity);
	double		most = (double) capacity / 64.0;

	return bloom_limit(capacity) + (noise < most ? noise : most);
}

/* Count the number of new values for which the newest layer has room; 0 if it is full. */
static uint64_t
bloom_room(const Filter *filter)
{
	const FilterLayer *newest = &filter->layer[filter->layers - 1];
	BloomLayer	bloom = filter_bloom_layer(filter, filter->layers - 1);
	double		left = bloom_limit(newest->capacity) - bloom_cardinality(&bloom, bloom_bits_set(&bloom));

	if (left < 1.0)
		return left > 0.0 ? 1 : 0;
	return left < (double) newest->capacity ? (uint64_t) left : newest->capacity;
}

static FilterStatus
add_to_bloom(Filter *filter, uint64_t hash, bool *changed)
{
	uint32_t	newest = filter->layers - 1;
	BloomLayer	bloom;

	*changed = false;
	if (filter->layers == 0)
		return FILTER_FULL;

	bloom = filter_bloom_layer(filter, newest);
	if (filter->layers == 1 && (filter->fixed || filter->room > 0))
	{
		/* Setting bits again changes nothing, so a test beforehand would be wasted. */
		*changed = bloom_add(&bloom, hash);
		filter->room -= *changed && filter->room > 0;
		return FILTER_OK;
	}

	if (filter_contains(filter, hash))
		return FILTER_OK;
	if (filter->room == 0 && bloom_block_is_crowded(&bloom, filter->layer[newest].capacity, hash) &&
		(filter->room = bloom_room(filter)) == 0)
		return FILTER_FULL;
	filter->room -= filter->room > 0;
	*changed = bloom_add(&bloom, hash);
	return FILTER_OK;
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

	return filter_append_layer(&next, 0, &bytes) == FILTER_OK && filter_lay_out(&next, &bytes) == FILTER_OK;
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
add_to_cuckoo(Filter *filter, uint64_t hash, bool unique, bool *changed)
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

FilterStatus
filter_add(Filter *filter, uint64_t hash, bool unique, bool *changed)
{
	if (filter->type == FILTER_BLOOM)
		return add_to_bloom(filter, hash, changed);
	return add_to_cuckoo(filter, hash, unique, changed);
}

FilterStatus
filter_add_all(Filter *filter, const uint64_t *hashes, size_t count, bool unique, size_t *done, bool *changed)
{
	*done = 0;
	if (filter->type == FILTER_BLOOM && filter->fixed)
		filter->room = UINT64_MAX;
	else if (filter->type == FILTER_BLOOM && filter->layers > 0 && filter->room == 0 && count > FILTER_BATCH)
		filter->room = bloom_room(filter);
	while (*done < count)
	{
		size_t		end = count - *done < FILTER_BATCH ? count : *done + FILTER_BATCH;

		if (filter->type == FILTER_BLOOM && filter->layers == 1 && filter->room > 0)
		{
			/* As many values as there is room for cannot overfill the layer. */
			BloomLayer	bloom = filter_bloom_layer(filter, 0);
			size_t		part = count - *done < filter->room ? count - *done : (size_t) filter->room;
			size_t		changes = bloom_add_all(&bloom, hashes + *done, part);

			*changed |= changes > 0;
			filter->room -= changes;
			*done += part;
			continue;
		}
		if (filter->layers > 0)
			layer_prefetch(filter, filter->layers - 1, hashes + *done, end - *done);
		for (; *done < end; (*done)++)
		{
			bool		one_changed;
			FilterStatus status = filter_add(filter, hashes[*done], unique, &one_changed);

			if (status != FILTER_OK)
				return status;
			*changed |= one_changed;
		}
	}
	return FILTER_OK;
}

FilterStatus
filter_build(Filter *filter, const uint64_t *hashes, size_t count, bool cover)
{
	CuckooLayer cuckoo;

	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, 0);

		(void) bloom_add_all(&bloom, hashes, count);
		return FILTER_OK;
	}
	cuckoo = filter_cuckoo_layer(filter, 0);
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
filter_remove(const Filter *filter, uint64_t hash)
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
filter_count(const Filter *filter, uint64_t hash)
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
	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		return bloom_cardinality(&bloom, bloom_bits_set(&bloom));
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		return (double) cuckoo_entries(&cuckoo);
	}
}

/*
 * The values in a Bloom layer and in the older layers of its geometry, which exist after a union that did not fit in
 * one layer: a value in several of them counts once. If nearly all bits of the union are set, the estimate is
 * unreliable; then the sum over the layers is used.
 */
#define LEAST_CLEAR 64			/* bits: the estimate is within a few percent */

static double
bloom_cardinality_of_alike(const Filter *filter, uint32_t newest, bool counted[FILTER_MAX_LAYERS])
{
	BloomLayer	alike[FILTER_MAX_LAYERS];
	uint32_t	count = 0;
	double		sum = 0.0;
	uint64_t	set;

	for (uint32_t layer = newest + 1; layer-- > 0;)
		if (filter_same_geometry(&filter->layer[layer], &filter->layer[newest]))
		{
			alike[count++] = filter_bloom_layer(filter, layer);
			sum += layer_cardinality(filter, layer);
			counted[layer] = true;
		}
	if (count == 1)
		return sum;
	set = bloom_bits_set_in_any(alike, count);
	if (bloom_bytes(&alike[0]) * 8 - set < LEAST_CLEAR)
		return sum;
	return fmin(sum, bloom_cardinality(&alike[0], set));
}

double
filter_cardinality(const Filter *filter)
{
	bool		counted[FILTER_MAX_LAYERS] = {false};
	double		sum = 0.0;

	for (uint32_t layer = filter->layers; layer-- > 0;)
		if (filter->type == FILTER_CUCKOO)
			sum += layer_cardinality(filter, layer);
		else if (!counted[layer])
			sum += bloom_cardinality_of_alike(filter, layer, counted);
	return sum;
}

/*
 * A sample of a large layer: stretches, each as long as a page of memory, at multiples of the golden ratio. They are
 * spread evenly over the layer, and over the pages of a cuckoo layer, whose halves are not equally full.
 */
#define SAMPLE_STRETCHES		UINT64_C(64)
#define SAMPLE_STRETCH_BYTES	UINT64_C(4096)
#define SAMPLE_STEP				UINT64_C(0x9e3779b97f4a7c15)

/* The first unit of the stretch with the given index: `length` of `units` units. */
static uint64_t
sample_start(uint64_t index, uint64_t length, uint64_t units)
{
	return ((index * SAMPLE_STEP >> 32) * (units - length)) >> 32;
}

static double
sampled_bloom_cardinality(const BloomLayer *bloom)
{
	uint64_t	sampled = SAMPLE_STRETCHES * SAMPLE_STRETCH_BYTES / 8;
	uint64_t	words = bloom_bytes(bloom) / 8;
	uint64_t	set = 0;

	for (uint64_t i = 0; i < SAMPLE_STRETCHES; i++)
		set += bloom_bits_set_between(bloom, sample_start(i, SAMPLE_STRETCH_BYTES / 8, words), SAMPLE_STRETCH_BYTES / 8);
	if (set == 0)
		set = bloom->probes;
	return bloom_cardinality(bloom, (uint64_t) ((double) set * (double) words / (double) sampled));
}

static double
sampled_cuckoo_cardinality(const CuckooLayer *cuckoo)
{
	uint64_t	length = SAMPLE_STRETCH_BYTES * 8 / cuckoo->slot_bits;
	uint64_t	slots = cuckoo_slots(cuckoo);
	uint64_t	entries = 0;

	for (uint64_t i = 0; i < SAMPLE_STRETCHES; i++)
		entries += cuckoo_entries_between(cuckoo, sample_start(i, length, slots), length);
	if (entries == 0)
		entries = 1;
	return (double) entries * (double) slots / (double) (length * SAMPLE_STRETCHES);
}

static double
sampled_cardinality(const Filter *filter, uint32_t layer)
{
	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		return sampled_bloom_cardinality(&bloom);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		return sampled_cuckoo_cardinality(&cuckoo);
	}
}

double
filter_cardinality_estimate(const Filter *filter)
{
	double		sum = 0.0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
		sum += filter->layer[layer].bytes <= SAMPLE_STRETCHES * SAMPLE_STRETCH_BYTES ?
			layer_cardinality(filter, layer) : sampled_cardinality(filter, layer);
	return sum;
}

static double
layer_rate_now(const Filter *filter, uint32_t layer)
{
	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		return bloom_rate_now(&bloom);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooGeometry geometry = {cuckoo.pages, cuckoo.windows, cuckoo.slot_bits};
		double		covered = (double) cuckoo_windows_covered(&cuckoo) / ((double) cuckoo.pages * cuckoo.windows);

		return covered + (1.0 - covered) * cuckoo_rate(&geometry, (double) cuckoo_entries(&cuckoo));
	}
}

double
filter_rate_now(const Filter *filter)
{
	double		passes = 1.0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
		passes *= 1.0 - layer_rate_now(filter, layer);
	return 1.0 - passes;
}

double
filter_layer_fill(const Filter *filter, uint32_t layer)
{
	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		return (double) bloom_bits_set(&bloom) / ((double) bloom_bytes(&bloom) * 8.0);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		return (double) cuckoo_entries(&cuckoo) / (double) cuckoo_slots(&cuckoo);
	}
}

uint64_t
filter_capacity(const Filter *filter)
{
	uint64_t	sum = 0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
		sum = sum <= FILTER_MAX_CAPACITY - filter->layer[layer].capacity ? sum + filter->layer[layer].capacity
			: FILTER_MAX_CAPACITY;
	return sum;
}

bool
filter_layer_is_empty(const Filter *filter, uint32_t layer)
{
	return filter_bytes_are_zero(filter->image + filter->layer[layer].offset, (size_t) filter->layer[layer].bytes);
}

bool
filter_can_merge_layer(const Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	const FilterLayer *to = &target->layer[target_layer];

	if (target->type == FILTER_BLOOM)
	{
		BloomLayer	a = filter_bloom_layer(target, target_layer);
		BloomLayer	b = filter_bloom_layer(source, source_layer);

		return filter_same_geometry(to, &source->layer[source_layer]) &&
			bloom_cardinality(&a, bloom_bits_set_in_union(&a, &b)) <= filter_merge_limit(to->capacity);
	}
	else
	{
		CuckooLayer a = filter_cuckoo_layer(target, target_layer);
		CuckooLayer b = filter_cuckoo_layer(source, source_layer);

		uint64_t	windows = (uint64_t) a.pages * a.windows;

		/* The fewer windows a layer has, the more values a wildcard covers. */
		return cuckoo_can_fold(&a, &b) && cuckoo_entries(&a) + cuckoo_entries(&b) <= to->capacity &&
			((uint64_t) b.pages * b.windows == windows || cuckoo_windows_covered(&b) <= windows / COVERED_BY_MERGING);
	}
}

FilterStatus
filter_merge_layer(Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	if (target->type == FILTER_BLOOM)
	{
		BloomLayer	a = filter_bloom_layer(target, target_layer);
		BloomLayer	b = filter_bloom_layer(source, source_layer);

		bloom_unite(&a, &b);
		return FILTER_OK;
	}
	else
	{
		CuckooLayer a = filter_cuckoo_layer(target, target_layer);
		CuckooLayer b = filter_cuckoo_layer(source, source_layer);

		bool		cover = target->layers >= MANY_LAYERS &&
			has_room(&a, entries_and_covered(&a) + entries_and_covered(&b));
		FilterStatus status;

		a.crowded |= cover || b.crowded;
		status = cuckoo_fold(&a, &b, cover);
		if (status == FILTER_OK && cuckoo_windows_covered(&a) > 0)
			filter_set_crowded(target);
		return status;
	}
}

/*
 * The entries of both must be within the capacity (some may become one, in a sticky class). If some still find no
 * place, they are covered, as in adding.
 */
static FilterStatus
merge_into_fixed_cuckoo(Filter *target, const Filter *source, uint32_t layer)
{
	uint64_t	capacity = target->layer[0].capacity;
	CuckooLayer a = filter_cuckoo_layer(target, 0);
	CuckooLayer b = filter_cuckoo_layer(source, layer);
	bool		cover = cuckoo_entries(&a) + cuckoo_entries(&b) <= capacity;
	uint64_t	covered;
	FilterStatus status;

	a.crowded |= cover || b.crowded;
	status = cuckoo_fold(&a, &b, cover);
	if (status != FILTER_OK)
		return status;
	covered = cuckoo_windows_covered(&a);
	if (covered > 0)
		filter_set_crowded(target);
	return cuckoo_entries(&a) > capacity || covered > fixed_most_covered(target, &a) ? FILTER_FULL : FILTER_OK;
}

FilterStatus
filter_merge_into_fixed(Filter *target, const Filter *source)
{
	if (source->fixed && !filter_same_geometry(&target->layer[0], &source->layer[0]))
		return FILTER_OTHER_GEOMETRY;
	for (uint32_t layer = 0; layer < source->layers; layer++)
	{
		FilterStatus status = FILTER_OK;

		if (filter_layer_is_empty(source, layer))
			continue;
		if (!filter_same_geometry(&target->layer[0], &source->layer[layer]))
			return FILTER_OTHER_GEOMETRY;
		if (target->type == FILTER_BLOOM)
			status = filter_merge_layer(target, 0, source, layer);
		else if (!filter_layer_is_empty(target, 0))
			status = merge_into_fixed_cuckoo(target, source, layer);
		else
		{
			/* Unchanged, even if it holds slightly more than its capacity. */
			filter_copy_layer(target, 0, source, layer);
			if (source->crowded)
				filter_set_crowded(target);
		}
		if (status != FILTER_OK)
			return status;
	}
	return FILTER_OK;
}

FilterStatus
filter_intersect(const Filter *target, const Filter *source)
{
	BloomLayer	a,
				b;

	if (target->layers != 1 || source->layers != 1 || !filter_same_geometry(&target->layer[0], &source->layer[0]))
		return FILTER_OTHER_GEOMETRY;
	a = filter_bloom_layer(target, 0);
	b = filter_bloom_layer(source, 0);
	bloom_intersect(&a, &b);
	return FILTER_OK;
}
