#include "core/filter.h"

#include "core/arithmetic.h"
#include "core/bloom_filter.h"
#include "core/cuckoo_filter.h"
#include "core/pause.h"

#include <assert.h>

/*
 * A type of SQL has filters of one type, and its functions are for that one. If a filter of the other type got here, its
 * bits would be taken for what they are not, and values lost. The assertions are for tests, and for servers that have
 * assertions.
 */

static inline const FilterMethods *
methods_of(const Filter *filter)
{
	return filter->type == FILTER_BLOOM ? &bloom_filter_methods : &cuckoo_filter_methods;
}

FilterStatus
filter_append_layer(Filter *filter, uint64_t capacity, double *bytes)
{
	return layers_append(filter, methods_of(filter)->choose_geometry, capacity, bytes);
}

FilterStatus
filter_enlarge_newest(Filter *filter, double *bytes)
{
	assert(filter->type == FILTER_CUCKOO);
	return cuckoo_filter_enlarge_newest(filter, bytes);
}

bool
filter_contains(const Filter *filter, uint64_t hash)
{
	return methods_of(filter)->contains(filter, hash);
}

uint32_t
filter_lookup_ranges(const Filter *filter, uint32_t layer, uint64_t hash, FilterRange range[2])
{
	return methods_of(filter)->lookup_ranges(filter, layer, hash, range);
}

bool
filter_ranges_contain(const Filter *filter, uint32_t layer, uint64_t hash, const uint8_t *const bytes[2])
{
	return methods_of(filter)->ranges_contain(filter, layer, hash, bytes);
}

/* filter_contains_run without pauses. */
static size_t
contains_stride(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted)
{
	if (filter->layers == 1 && !filter->crowded)
		return methods_of(filter)->contains_run(filter, hashes, count, wanted);
	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		size_t		batch = count - start < FILTER_BATCH ? count - start : FILTER_BATCH;

		for (uint32_t layer = 0; layer < filter->layers; layer++)
			methods_of(filter)->prefetch(filter, layer, hashes + start, batch);
		for (size_t i = start; i < start + batch; i++)
			if (methods_of(filter)->contains(filter, hashes[i]) != wanted)
				return i;
	}
	return count;
}

size_t
filter_contains_run(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted)
{
	for (size_t i = 0, end; i < count; i = end)
	{
		size_t		run;

		end = filter_stride(i, count, FILTER_STRIDE_HASHES);
		run = contains_stride(filter, hashes + i, end - i, wanted);
		if (run < end - i)
			return i + run;
	}
	return count;
}

/* In a filter of several layers, or with wildcards. */
static size_t
contained_in_any(const Filter *filter, const uint64_t *hashes, size_t count, uint32_t *index)
{
	const FilterMethods *methods = methods_of(filter);
	size_t		contained = 0;

	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		size_t		batch = count - start < FILTER_BATCH ? count - start : FILTER_BATCH;

		for (uint32_t layer = 0; layer < filter->layers; layer++)
			methods->prefetch(filter, layer, hashes + start, batch);
		for (size_t i = start; i < start + batch; i++)
		{
			index[contained] = (uint32_t) i;
			contained += methods->contains(filter, hashes[i]);
		}
	}
	return contained;
}

bool
filter_prefetch_lookups(const Filter *filter, const uint64_t *hashes, size_t count)
{
	uint32_t	newest = filter->layers - 1;

	if (filter->layers == 0 || filter->layer[newest].bytes <= FILTER_NEAR_BYTES)
		return false;
	methods_of(filter)->prefetch(filter, newest, hashes, count);
	return true;
}

size_t
filter_contained(const Filter *filter, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (filter->layers == 1 && !filter->crowded)
		return methods_of(filter)->contained(filter, hashes, count, index);
	return contained_in_any(filter, hashes, count, index);
}

FilterStatus
filter_add(Filter *filter, uint64_t hash, bool unique, bool *changed)
{
	return methods_of(filter)->add(filter, hash, unique, changed);
}

/* filter_add_all without pauses, from the hash with the index *done on. */
static FilterStatus
add_stride(Filter *filter, const uint64_t *hashes, size_t count, bool unique, size_t *done, bool *changed)
{
	const FilterMethods *methods = methods_of(filter);

	if (methods->expect != NULL)
		methods->expect(filter, count - *done);
	while (*done < count)
	{
		size_t		end = count - *done < FILTER_BATCH ? count : *done + FILTER_BATCH;
		size_t		run = 0;

		if (!unique || filter->type == FILTER_BLOOM)
			run = methods->add_run(filter, hashes + *done, count - *done, changed);
		if (run > 0)
		{
			*done += run;
			continue;
		}
		if (filter->layers > 0)
			methods->prefetch(filter, filter->layers - 1, hashes + *done, end - *done);
		for (; *done < end; (*done)++)
		{
			bool		one_changed;
			FilterStatus status = methods->add(filter, hashes[*done], unique, &one_changed);

			if (status != FILTER_OK)
				return status;
			*changed |= one_changed;
		}
	}
	return FILTER_OK;
}

FilterStatus
filter_add_all(Filter *filter, const uint64_t *hashes, size_t count, bool unique, size_t *done, bool *changed)
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
filter_build(Filter *filter, const uint64_t *hashes, size_t count, bool cover)
{
	return methods_of(filter)->build(filter, hashes, count, cover);
}

size_t
filter_build_unchanged(const Filter *filter, const uint64_t *hashes, size_t count, uint64_t *unchanged)
{
	size_t		copied = 0;

	assert(filter->type == FILTER_BLOOM);
	for (size_t i = 0, end; i < count; i = end)
	{
		end = filter_stride(i, count, FILTER_STRIDE_HASHES);
		copied += bloom_filter_build_unchanged(filter, hashes + i, end - i, unchanged + copied);
	}
	return copied;
}

bool
filter_remove(const Filter *filter, uint64_t hash)
{
	assert(filter->type == FILTER_CUCKOO);
	return cuckoo_filter_remove(filter, hash);
}

size_t
filter_remove_all(const Filter *filter, const uint64_t *hashes, size_t count)
{
	size_t		removed = 0;

	assert(filter->type == FILTER_CUCKOO);
	for (size_t i = 0, end; i < count; i = end)
	{
		end = filter_stride(i, count, FILTER_STRIDE_HASHES);
		removed += cuckoo_filter_remove_all(filter, hashes + i, end - i);
	}
	return removed;
}

unsigned
filter_count(const Filter *filter, uint64_t hash)
{
	assert(filter->type == FILTER_CUCKOO);
	return cuckoo_filter_count(filter, hash);
}

double
filter_cardinality(const Filter *filter)
{
	return methods_of(filter)->cardinality(filter);
}

double
filter_cardinality_estimate(const Filter *filter)
{
	double		sum = 0.0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
		sum += filter->layer[layer].bytes <= SAMPLE_STRETCHES * SAMPLE_STRETCH_BYTES ?
			methods_of(filter)->layer_cardinality(filter, layer) : methods_of(filter)->sampled_cardinality(filter, layer);
	return sum;
}

double
filter_rate_now(const Filter *filter)
{
	double		passes = 1.0;

	for (uint32_t layer = 0; layer < filter->layers; layer++)
		passes *= 1.0 - methods_of(filter)->layer_rate_now(filter, layer);
	return 1.0 - passes;
}

double
filter_layer_fill(const Filter *filter, uint32_t layer)
{
	return methods_of(filter)->layer_fill(filter, layer);
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

double
filter_merge_limit(uint64_t capacity)
{
	return bloom_filter_merge_limit(capacity);
}

bool
filter_can_merge_layer(const Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	assert(target->type == source->type);
	return methods_of(target)->can_merge_layer(target, target_layer, source, source_layer);
}

FilterStatus
filter_merge_layer(Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	assert(target->type == source->type);
	return methods_of(target)->merge_layer(target, target_layer, source, source_layer);
}

FilterStatus
filter_merge_into_fixed(Filter *target, const Filter *source)
{
	assert(target->type == source->type);
	if (source->fixed && !filter_same_geometry(&target->layer[0], &source->layer[0]))
		return FILTER_OTHER_GEOMETRY;
	for (uint32_t layer = 0; layer < source->layers; layer++)
	{
		FilterStatus status;

		if (filter_layer_is_empty(source, layer))
			continue;
		if (!filter_same_geometry(&target->layer[0], &source->layer[layer]))
			return FILTER_OTHER_GEOMETRY;
		status = methods_of(target)->merge_layer_into_fixed(target, source, layer);
		if (status != FILTER_OK)
			return status;
	}
	return FILTER_OK;
}

FilterStatus
filter_intersect(const Filter *target, const Filter *source)
{
	assert(target->type == FILTER_BLOOM && source->type == FILTER_BLOOM);
	return bloom_filter_intersect(target, source);
}
