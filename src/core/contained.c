#include "core/filter.h"

#include "core/arithmetic.h"
#include "core/bloom_filter.h"
#include "core/bloom_vector.h"
#include "core/cpu.h"
#include "core/cuckoo_filter.h"

/*
 * Which of many hashes a filter contains. The loops have no branch that depends on the answer, since where a tenth or
 * more of the hashes have the other answer, that could not be predicted.
 */

FILTER_NOINLINE static size_t
contained_in_bloom(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	const uint8_t *ahead[FILTER_LOOKUPS_AHEAD];
	size_t		contained = 0;

	for (size_t i = 0; i < FILTER_LOOKUPS_AHEAD && i < count; i++)
		ahead[i] = bloom_prefetch(layer, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		const uint8_t *block = ahead[i % FILTER_LOOKUPS_AHEAD];

		if (i + FILTER_LOOKUPS_AHEAD < count)
			ahead[i % FILTER_LOOKUPS_AHEAD] = bloom_prefetch(layer, hashes[i + FILTER_LOOKUPS_AHEAD]);
		index[contained] = (uint32_t) i;
		contained += bloom_block_contains(layer, block, hashes[i]);
	}
	return contained;
}

FILTER_ALWAYS_INLINE size_t
contained_in_cuckoo(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	CuckooPlace ahead[FILTER_LOOKUPS_AHEAD];
	size_t		contained = 0;

	for (size_t i = 0; i < FILTER_LOOKUPS_AHEAD && i < count; i++)
		ahead[i] = cuckoo_prefetch(layer, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		CuckooPlace *place = &ahead[i % FILTER_LOOKUPS_AHEAD];

		index[contained] = (uint32_t) i;
		contained += cuckoo_place_contains(layer, place);
		if (i + FILTER_LOOKUPS_AHEAD < count)
			*place = cuckoo_prefetch(layer, hashes[i + FILTER_LOOKUPS_AHEAD]);
	}
	return contained;
}

FILTER_NOINLINE static size_t
contained_in_cuckoo_plain(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	return contained_in_cuckoo(layer, hashes, count, index);
}

#if FILTER_DETECTS_CPU
FILTER_WITH_BMI FILTER_NOINLINE static size_t
contained_in_cuckoo_by_bmi(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	return contained_in_cuckoo(layer, hashes, count, index);
}
#endif

/* In a filter of several layers, or with wildcards. */
static size_t
contained_in_any(const Filter *filter, const uint64_t *hashes, size_t count, uint32_t *index)
{
	const FilterMethods *methods = filter->type == FILTER_BLOOM ? &bloom_filter_methods : &cuckoo_filter_methods;
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

size_t
filter_contained(const Filter *filter, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (filter->layers != 1 || filter->crowded)
		return contained_in_any(filter, hashes, count, index);
	if (filter->type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, 0);

		if (bloom_can_use_vectors(&bloom))
			return bloom_vector_contained(&bloom, hashes, count, index);
		return contained_in_bloom(&bloom, hashes, count, index);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, 0);

#if FILTER_DETECTS_CPU
		if (filter_cpu_has_bmi)
			return contained_in_cuckoo_by_bmi(&cuckoo, hashes, count, index);
#endif
		return contained_in_cuckoo_plain(&cuckoo, hashes, count, index);
	}
}
