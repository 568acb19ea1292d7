#include "core/bloom_contained.h"

#include "core/arithmetic.h"
#include "core/bloom_vector.h"

FILTER_ALWAYS_INLINE size_t
contained(const BloomLayer *layer, bool is_far, const uint64_t *hashes, size_t count, uint32_t *index)
{
	const uint8_t *ahead[FILTER_LOOKUPS_AHEAD];
	size_t		found = 0;

	for (size_t i = 0; i < FILTER_LOOKUPS_AHEAD && i < count; i++)
		ahead[i] = bloom_prefetch_from(layer, is_far, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		const uint8_t *block = ahead[i % FILTER_LOOKUPS_AHEAD];

		if (i + FILTER_LOOKUPS_AHEAD < count)
			ahead[i % FILTER_LOOKUPS_AHEAD] = bloom_prefetch_from(layer, is_far, hashes[i + FILTER_LOOKUPS_AHEAD]);
		index[found] = (uint32_t) i;
		found += bloom_block_contains(layer, block, hashes[i]);
	}
	return found;
}

static FILTER_NOINLINE size_t
contained_in_layer(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (bloom_bytes(layer) >= FILTER_FAR_BYTES)
		return contained(layer, true, hashes, count, index);
	return contained(layer, false, hashes, count, index);
}

size_t
bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (bloom_can_use_vectors(layer))
		return bloom_vector_contained(layer, hashes, count, index);
	if (bloom_can_use_vectors_in_block(layer))
		return bloom_vector_contained_in_block(layer, hashes, count, index);
	return contained_in_layer(layer, hashes, count, index);
}
