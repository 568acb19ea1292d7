/*
 * A template: the operations of core/bloom_kernels.h. bloom_kernels.c includes it for plain C and for each set of vector
 * instructions, after it has defined
 *
 *     KERNEL_TARGET				the attribute of functions that use these instructions
 *     KERNEL(name)					the name of a function for them
 *     KERNEL_BLOCK_BITS(layer)		the size of the layer's blocks, or a constant if there is only one size
 *     KERNEL_ADDS					whether there are additions: 0 or 1
 *
 * and the inline functions KERNEL(block_contains) and, with KERNEL_ADDS, KERNEL(block_add): whether the bits of a hash are
 * set in its block; and set them, and return whether one of them was clear.
 */

KERNEL_TARGET FILTER_NOINLINE static bool
KERNEL(contains) (const void *layer, uint64_t hash)
{
	const BloomLayer *from = (const BloomLayer *) layer;
	BloomLayer	bloom = {from->blocks, KERNEL_BLOCK_BITS(from), from->probes, from->bits};

	return KERNEL(block_contains) (&bloom, bloom.bits + bloom_block_offset(&bloom, hash), hash);
}

/*
 * The blocks that prefetching computed are kept for the lookups. Blocks are prefetched one by one, FILTER_BATCH lookups ahead,
 * so that no batch has to wait as a whole (measured at 30 million values: 9 ns per lookup, 12.5 batch by batch).
 */
KERNEL_TARGET FILTER_NOINLINE static size_t
KERNEL(contains_run) (const BloomLayer *layer, const uint64_t *hashes, size_t count, bool wanted)
{
	BloomLayer	bloom = {layer->blocks, KERNEL_BLOCK_BITS(layer), layer->probes, layer->bits};
	const uint8_t *ahead[FILTER_BATCH];

	for (size_t i = 0; i < FILTER_BATCH && i < count; i++)
		ahead[i] = bloom_prefetch(&bloom, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		const uint8_t *block = ahead[i % FILTER_BATCH];

		if (i + FILTER_BATCH < count)
			ahead[i % FILTER_BATCH] = bloom_prefetch(&bloom, hashes[i + FILTER_BATCH]);
		if (KERNEL(block_contains) (&bloom, block, hashes[i]) != wanted)
			return i;
	}
	return count;
}

KERNEL_TARGET FILTER_ALWAYS_INLINE size_t
KERNEL(contained_from) (const BloomLayer *layer, bool is_far, const uint64_t *hashes, size_t count, uint32_t *index)
{
	BloomLayer	bloom = {layer->blocks, KERNEL_BLOCK_BITS(layer), layer->probes, layer->bits};
	const uint8_t *ahead[FILTER_LOOKUPS_AHEAD];
	size_t		found = 0;

	for (size_t i = 0; i < FILTER_LOOKUPS_AHEAD && i < count; i++)
		ahead[i] = bloom_prefetch_from(&bloom, is_far, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		const uint8_t *block = ahead[i % FILTER_LOOKUPS_AHEAD];

		if (i + FILTER_LOOKUPS_AHEAD < count)
			ahead[i % FILTER_LOOKUPS_AHEAD] = bloom_prefetch_from(&bloom, is_far, hashes[i + FILTER_LOOKUPS_AHEAD]);
		index[found] = (uint32_t) i;
		found += KERNEL(block_contains) (&bloom, block, hashes[i]);
	}
	return found;
}

KERNEL_TARGET FILTER_NOINLINE static size_t
KERNEL(contained) (const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (bloom_bytes(layer) >= FILTER_FAR_BYTES)
		return KERNEL(contained_from) (layer, true, hashes, count, index);
	return KERNEL(contained_from) (layer, false, hashes, count, index);
}

#if KERNEL_ADDS

KERNEL_TARGET FILTER_NOINLINE static bool
KERNEL(add) (const BloomLayer *layer, uint64_t hash)
{
	BloomLayer	bloom = {layer->blocks, KERNEL_BLOCK_BITS(layer), layer->probes, layer->bits};

	return KERNEL(block_add) (&bloom, bloom.bits + bloom_block_offset(&bloom, hash), hash);
}

/* Inline, so that in copies of it the common block size and the usual number of probes are constants. */
KERNEL_TARGET FILTER_ALWAYS_INLINE size_t
KERNEL(add_to_layer) (const BloomLayer *layer, uint32_t block_bits, uint32_t probes, const uint64_t *hashes, size_t count)
{
	BloomLayer	bloom = {layer->blocks, block_bits, probes, layer->bits};
	size_t		changes = 0;

	for (size_t i = 0; i < FILTER_BATCH && i < count; i++)
		(void) bloom_prefetch(&bloom, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		if (i + FILTER_BATCH < count)
			(void) bloom_prefetch(&bloom, hashes[i + FILTER_BATCH]);
		changes += KERNEL(block_add) (&bloom, bloom.bits + bloom_block_offset(&bloom, hashes[i]), hashes[i]);
	}
	return changes;
}

KERNEL_TARGET FILTER_NOINLINE static size_t
KERNEL(add_all) (const BloomLayer *layer, const uint64_t *hashes, size_t count)
{
	if (KERNEL_BLOCK_BITS(layer) != BLOOM_BLOCK_BITS)
		return KERNEL(add_to_layer) (layer, layer->block_bits, layer->probes, hashes, count);
	if (layer->probes == USUAL_PROBES)
		return KERNEL(add_to_layer) (layer, BLOOM_BLOCK_BITS, USUAL_PROBES, hashes, count);
	return KERNEL(add_to_layer) (layer, BLOOM_BLOCK_BITS, layer->probes, hashes, count);
}

#endif

#undef KERNEL_TARGET
#undef KERNEL
#undef KERNEL_BLOCK_BITS
#undef KERNEL_ADDS
