#include "core/bloom_contained.h"

#include "core/arithmetic.h"
#include "core/bloom_vector.h"

static FILTER_NOINLINE size_t
contained_in_layer(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
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

size_t
bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (bloom_can_use_vectors(layer))
		return bloom_vector_contained(layer, hashes, count, index);
	if (bloom_can_use_vectors_in_block(layer))
		return bloom_vector_contained_in_block(layer, hashes, count, index);
	return contained_in_layer(layer, hashes, count, index);
}
