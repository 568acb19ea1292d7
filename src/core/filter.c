/*
 * Each operation here loops over the layers of a filter; what differs by type is in core/bloom_filter.c and
 * core/cuckoo_filter.c.
 */
#include "core/filter.h"

#include "core/bloom_filter.h"
#include "core/bloom_inline.h"
#include "core/cuckoo_filter.h"
#include "core/cuckoo_stash.h"
#include "core/pause.h"

#include <assert.h>
#include <math.h>

double
filter_layer_rate_fraction(uint32_t layer)
{
	/*
	 * The fractions for layers 1 to 31 sum to 0.40: a term that starts at 0.06 and halves with each layer, for filters that
	 * grow a few times, plus a floor that even the lowest rate (1e-7) can reach with the widest cuckoo slots. With 1 for the
	 * first layer, the sum is 1.4 times the rate; the rest of 1.5 is for a slightly overfull Bloom layer, see layer_limit in
	 * bloom_filter.c.
	 */
	return layer == 0 ? 1.0 : 0.12 * ldexp(1.0, -(int) layer) + 0.009;
}

FilterStatus
filter_append_layer(FilterHeader *header, uint64_t capacity, double *bytes)
{
	double		rate = header->rate * filter_layer_rate_fraction(header->layers);
	const FilterLayer *newest = header->layers > 0 ? &header->layer[header->layers - 1] : NULL;
	FilterLayer layer;
	FilterStatus status;
	bool		grows = capacity == 0 && newest != NULL;

	*bytes = 0.0;
	if (header->fixed && newest != NULL)
		return FILTER_FULL;
	if (header->layers == FILTER_MAX_LAYERS)
		return FILTER_TOO_MANY_LAYERS;
	if (grows)
		capacity = newest->capacity <= FILTER_MAX_CAPACITY / 2 ? newest->capacity * 2 : FILTER_MAX_CAPACITY;
	else if (capacity == 0)
		capacity = FILTER_DEFAULT_CAPACITY;

	memset(&layer, 0, sizeof(layer));
	layer.capacity = capacity;
	status = header->type == FILTER_BLOOM ? bloom_filter_choose_geometry(capacity, rate, &layer, bytes) :
		cuckoo_filter_choose_geometry(grows ? newest : NULL, capacity, rate, &layer, bytes);
	if (status != FILTER_OK)
		return status;
	header->layer[header->layers++] = layer;
	return *bytes > FILTER_MAX_IMAGE_BYTES ? FILTER_TOO_LARGE : FILTER_OK;
}

/* 2% are five standard deviations of the loads of pages (see highest_load), so random values then find slots. */
FilterStatus
filter_enlarge_newest(FilterHeader *header, double *bytes)
{
	FilterLayer *newest = &header->layer[header->layers - 1];
	double		rate = header->rate * filter_layer_rate_fraction(header->layers - 1);
	CuckooLayer before = filter_as_cuckoo_layer(newest, NULL);
	uint64_t	values = newest->capacity;
	FilterStatus status;

	assert(header->type == FILTER_CUCKOO);
	do
	{
		values += values / 50 + 1;
		status = cuckoo_filter_choose_geometry(NULL, values, rate, newest, bytes);
	} while (status == FILTER_OK && *bytes <= (double) cuckoo_slot_bytes(&before));
	return status;
}

/* If so many slightly larger layers have no slot for a value, values were chosen to collide. */
#define BUILD_ATTEMPTS		8
#define FIRST_STASH_CAPACITY 64

FilterStatus
filter_plan_again(FilterHeader *header, int attempt, double *bytes)
{
	FilterLayer *layer = &header->layer[0];

	if (attempt < BUILD_ATTEMPTS)
		return filter_enlarge_newest(header, bytes);
	layer->stash_capacity = layer->stash_capacity == 0 ? FIRST_STASH_CAPACITY : 4 * layer->stash_capacity;
	return FILTER_OK;
}

static void
copy_cuckoo_layer(const CuckooLayer *to, const CuckooLayer *from, bool becomes_set)
{
	uint64_t	bytes = to->counted && from->counted ? cuckoo_counted_bytes(from) : cuckoo_slot_bytes(from);
	uint32_t	used = cuckoo_stash_used(from);

	filter_copy_bytes(to->slots, from->slots, (size_t) bytes);
	if (used > 0)
		store_le64(to->slots + cuckoo_counted_bytes(to), used);
	for (uint32_t i = 0; i < used; i++)
		cuckoo_stash_set(to, i, cuckoo_stash_get(from, i) & ~(becomes_set ? (uint64_t) CUCKOO_MAX_COUNT : 0));
	if (becomes_set || (to->counted && !from->counted))
		cuckoo_merge_copies(to);
}

void
filter_copy_layer(const FilterView *to, uint32_t to_layer, const FilterView *from, uint32_t from_layer)
{
	assert(to->header.type == from->header.type && filter_same_geometry(&to->header.layer[to_layer], &from->header.layer[from_layer]));
	if (to->header.type == FILTER_BLOOM)
		filter_copy_bytes(filter_layer_start(to, to_layer), filter_layer_start(from, from_layer),
						  (size_t) from->header.layer[from_layer].bytes);
	else
	{
		CuckooLayer a = filter_cuckoo_layer(to, to_layer);
		CuckooLayer b = filter_cuckoo_layer(from, from_layer);

		copy_cuckoo_layer(&a, &b, to->header.is_set && !from->header.is_set);
	}
}

/* Prefetch the bytes of a layer that a lookup or an addition of each hash reads. */
FILTER_ALWAYS_INLINE void
prefetch_layer(const FilterView *filter, uint32_t layer, const uint64_t *hashes, size_t count)
{
	if (filter->header.type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		for (size_t i = 0; i < count; i++)
			(void) bloom_prefetch(&bloom, false, hashes[i]);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		for (size_t i = 0; i < count; i++)
			(void) cuckoo_prefetch(&cuckoo, false, hashes[i]);
	}
}

size_t
filter_contained(const FilterView *filter, const uint64_t *hashes, size_t count, uint32_t *index)
{
	AnyLayer	plain;
	size_t		contained = 0;

	if (filter_is_plain(&filter->header))
	{
		filter_any_layer(&plain, filter, 0);
		return filter->header.type == FILTER_BLOOM ? bloom_contained(&plain.bloom, hashes, count, index) :
			cuckoo_contained(&plain.cuckoo, hashes, count, index);
	}
	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		size_t		batch = count - start < FILTER_BATCH ? count - start : FILTER_BATCH;

		for (uint32_t layer = 0; layer < filter->header.layers; layer++)
			prefetch_layer(filter, layer, hashes + start, batch);
		for (size_t i = start; i < start + batch; i++)
		{
			index[contained] = (uint32_t) i;
			contained += filter_contains(filter, hashes[i]);
		}
	}
	return contained;
}

/* The number of lookups of filter_contains_run at once: lookups after the end of the run are in vain. */
#define RUN_LOOKUPS 256

size_t
filter_contains_run(const FilterView *filter, const uint64_t *hashes, size_t count, bool wanted)
{
	uint32_t	index[RUN_LOOKUPS];

	for (size_t i = 0, part; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i += part)
		{
			size_t		contained;

			part = end - i < RUN_LOOKUPS ? end - i : RUN_LOOKUPS;
			contained = filter_contained(filter, hashes + i, part, index);
			if (!wanted && contained > 0)
				return i + index[0];
			for (size_t run = 0; wanted && contained < part; run++)
				if (run == contained || index[run] != run)
					return i + run;
		}
	return count;
}

FilterStatus
filter_add(FilterView *filter, uint64_t hash, bool unique, bool *changed)
{
	return filter->header.type == FILTER_BLOOM ? bloom_filter_add(filter, hash, changed) :
		cuckoo_filter_add(filter, hash, unique, changed);
}

/* filter_add_all without pauses, from the hash with the index *done on. */
static FilterStatus
add_stride(FilterView *filter, const uint64_t *hashes, size_t count, bool unique, size_t *done, bool *changed)
{
	if (filter->header.type == FILTER_BLOOM)
		bloom_filter_expect(filter, count - *done);
	while (*done < count)
	{
		size_t		end = count - *done < FILTER_BATCH ? count : *done + FILTER_BATCH;
		size_t		run = 0;

		if (filter->header.type == FILTER_BLOOM)
			run = bloom_filter_add_run(filter, hashes + *done, count - *done, changed);
		else if (!unique)
			run = cuckoo_filter_add_run(filter, hashes + *done, count - *done, changed);
		if (run > 0)
		{
			*done += run;
			continue;
		}
		if (filter->header.layers > 0)
			prefetch_layer(filter, filter->header.layers - 1, hashes + *done, end - *done);
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
filter_add_all(FilterView *filter, const uint64_t *hashes, size_t count, bool unique, size_t *done, bool *changed)
{
	*done = 0;
	*changed = false;
	while (*done < count)
	{
		size_t		end = filter_stride(*done, count, FILTER_STRIDE_ADDITIONS);
		FilterStatus status = add_stride(filter, hashes, end, unique, done, changed);

		if (status != FILTER_OK)
			return status;
	}
	return FILTER_OK;
}

FilterStatus
filter_plan_growth(const FilterView *filter, uint64_t hash, FilterHeader *next, double *bytes)
{
	*next = filter->header;
	*bytes = 0.0;
	if (filter->header.type == FILTER_CUCKOO && filter->header.layers > 0 && cuckoo_filter_plan_growth(filter, hash, next))
		return FILTER_OK;
	return filter_append_layer(next, 0, bytes);
}

void
filter_copy_layers(const FilterView *to, const FilterView *from)
{
	for (uint32_t layer = 0; layer < from->header.layers; layer++)
		filter_copy_layer(to, layer, from, layer);
}

FilterStatus
filter_build(FilterView *filter, const uint64_t *hashes, size_t count)
{
	AnyLayer	layer;

	filter_any_layer(&layer, filter, 0);
	if (filter->header.type == FILTER_CUCKOO)
		return cuckoo_add_in_order(&layer.cuckoo, hashes, count);
	for (size_t i = 0, end; i < count; i = end)
	{
		end = filter_stride(i, count, FILTER_STRIDE_HASHES);
		(void) bloom_add_all(&layer.bloom, hashes + i, end - i);
	}
	return FILTER_OK;
}

double
filter_cardinality(const FilterView *filter)
{
	return filter->header.type == FILTER_BLOOM ? bloom_filter_cardinality(filter) : cuckoo_filter_cardinality(filter);
}

double
filter_rate_now(const FilterView *filter)
{
	double		passes = 1.0;

	for (uint32_t index = 0; index < filter->header.layers; index++)
	{
		AnyLayer	layer;

		filter_any_layer(&layer, filter, index);
		passes *= 1.0 - (filter->header.type == FILTER_BLOOM ? bloom_rate_now(&layer.bloom) :
						 cuckoo_rate(&layer.cuckoo, (double) cuckoo_entries(&layer.cuckoo)));
	}
	return 1.0 - passes;
}

double
filter_layer_fill(const FilterView *filter, uint32_t index)
{
	AnyLayer	layer;

	filter_any_layer(&layer, filter, index);
	if (filter->header.type == FILTER_BLOOM)
		return (double) bloom_bits_set(&layer.bloom) / ((double) bloom_bytes(&layer.bloom) * 8.0);
	return fmin(1.0, (double) cuckoo_entries(&layer.cuckoo) / (double) cuckoo_slots(&layer.cuckoo));
}

uint64_t
filter_capacity(const FilterHeader *header)
{
	uint64_t	sum = 0;

	for (uint32_t layer = 0; layer < header->layers; layer++)
		sum = sum <= FILTER_MAX_CAPACITY - header->layer[layer].capacity ? sum + header->layer[layer].capacity
			: FILTER_MAX_CAPACITY;
	return sum;
}

bool
filter_is_empty(const FilterView *filter)
{
	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
		if (!filter_layer_is_empty(filter, layer))
			return false;
	return true;
}

bool
filter_plan_parameters(const FilterHeader *target, const FilterHeader *source, FilterHeader *next)
{
	bool		is_larger = source->fixed && target->layer[0].capacity < source->layer[0].capacity;

	*next = *target;
	if (target->layers == 0 || target->rate < source->rate)
		next->rate = source->rate;
	if (is_larger)
		next->layer[0].capacity = source->layer[0].capacity;
	return is_larger || next->rate != target->rate;
}

FilterStatus
filter_plan_adoption(const FilterHeader *target, const FilterHeader *source, FilterHeader *next,
					 uint32_t to[FILTER_MAX_LAYERS])
{
	bool		used[FILTER_MAX_LAYERS] = {false};

	*next = *target;
	next->is_set = source->is_set;
	for (uint32_t i = 0; i < next->layers; i++)
	{
		next->layer[i].counted = false;
		next->layer[i].stash_capacity = 0;
	}
	for (uint32_t i = 0; i < source->layers; i++)
	{
		to[i] = 0;
		while (to[i] < next->layers && (used[to[i]] || !filter_same_geometry(&next->layer[to[i]], &source->layer[i])))
			to[i]++;
		if (to[i] == FILTER_MAX_LAYERS)
			return FILTER_TOO_MANY_LAYERS;
		if (to[i] == next->layers)
			next->layer[next->layers++] = source->layer[i];
		next->layer[to[i]].counted = source->layer[i].counted;
		next->layer[to[i]].stash_capacity = source->layer[i].stash_capacity;
		used[to[i]] = true;
	}
	return FILTER_OK;
}

bool
filter_unite_layer(FilterView *target, const FilterView *source, uint32_t source_layer)
{
	assert(target->header.type == source->header.type);
	return target->header.type == FILTER_BLOOM ? bloom_filter_unite_layer(target, source, source_layer) :
		cuckoo_filter_unite_layer(target, source, source_layer);
}

FilterStatus
filter_plan_union(const FilterView *target, const FilterView *source, uint32_t source_layer, FilterHeader *next, bool *appended)
{
	*next = target->header;
	*appended = target->header.type == FILTER_BLOOM || !cuckoo_filter_plan_union(target, source, source_layer, next);
	if (!*appended)
		return FILTER_OK;
	if (target->header.fixed && target->header.layers > 0)
		return FILTER_FULL;
	if (next->layers == FILTER_MAX_LAYERS)
		return FILTER_TOO_MANY_LAYERS;
	next->layer[next->layers] = source->header.layer[source_layer];
	next->layer[next->layers++].counted = false;
	return FILTER_OK;
}
