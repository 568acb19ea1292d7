/*
 * A template for the operations of core/bloom.h on hashes. bloom_kernels.c includes it for plain C and for each set of vector
 * instructions, after it has defined
 *
 *     KERNEL_TARGET    the attribute of functions that use these instructions
 *     KERNEL(name)     the name of a function for them
 *     KERNEL_VECTORS   0 or 1: whether these are vector instructions, which are for the common block size
 *     KERNEL_ADDS      0 or 1: whether there are additions
 *
 * and these inline functions: KERNEL(bits_of_word_are_set) if KERNEL_VECTORS, which tests the bits of the given lanes of a
 * word, and otherwise KERNEL(block_contains), which tests all bits of a hash in its block; and KERNEL(block_add) if
 * KERNEL_ADDS, which sets these bits and returns whether one of them was clear.
 */

#if KERNEL_VECTORS

#define KERNEL_BLOCK_BITS(layer) BLOOM_BLOCK_BITS

/* Whether the bits after the first word are set. */
KERNEL_TARGET FILTER_NOINLINE static bool
KERNEL(further_words_are_set) (const uint8_t *block, uint32_t bits, uint64_t state)
{
	for (; bits > BLOOM_PROBES_PER_WORD; bits -= BLOOM_PROBES_PER_WORD)
		if (!KERNEL(bits_of_word_are_set) (block, bloom_next_word(&state), first_lanes(BLOOM_PROBES_PER_WORD)))
			return false;
	return KERNEL(bits_of_word_are_set) (block, bloom_next_word(&state), first_lanes(bits));
}

KERNEL_TARGET FILTER_ALWAYS_INLINE bool
KERNEL(block_contains) (const BloomLayer *layer, const uint8_t *block, uint64_t hash)
{
	bool		found = KERNEL(bits_of_word_are_set) (block, bloom_next_word(&hash), first_lanes(layer->probes));

	if (layer->probes > BLOOM_PROBES_PER_WORD && found)
		return KERNEL(further_words_are_set) (block, layer->probes - BLOOM_PROBES_PER_WORD, hash);
	return found;
}

#else
#define KERNEL_BLOCK_BITS(layer) (layer)->block_bits
#endif

KERNEL_TARGET FILTER_NOINLINE static bool
KERNEL(contains) (const void *layer, uint64_t hash)
{
	const BloomLayer *from = (const BloomLayer *) layer;
	BloomLayer	bloom = {from->blocks, KERNEL_BLOCK_BITS(from), from->probes, from->bits};

	return KERNEL(block_contains) (&bloom, bloom.bits + bloom_block_offset(&bloom, hash), hash);
}

/*
 * The lookups use the blocks that prefetching computed. Blocks are prefetched one by one, FILTER_LOOKUPS_AHEAD ahead, because
 * in a large filter a whole batch would have to wait. No branch depends on which hashes are contained, since it could not be
 * predicted where both answers are frequent.
 */
KERNEL_TARGET FILTER_ALWAYS_INLINE size_t
KERNEL(contained_from) (const BloomLayer *layer, bool is_far, const uint64_t *hashes, size_t count, uint32_t *index)
{
	BloomLayer	bloom = {layer->blocks, KERNEL_BLOCK_BITS(layer), layer->probes, layer->bits};
	const uint8_t *ahead[FILTER_LOOKUPS_AHEAD];
	size_t		found = 0;

	for (size_t i = 0; i < FILTER_LOOKUPS_AHEAD && i < count; i++)
		ahead[i] = bloom_prefetch(&bloom, is_far, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		const uint8_t *block = ahead[i % FILTER_LOOKUPS_AHEAD];

		if (i + FILTER_LOOKUPS_AHEAD < count)
			ahead[i % FILTER_LOOKUPS_AHEAD] = bloom_prefetch(&bloom, is_far, hashes[i + FILTER_LOOKUPS_AHEAD]);
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

/* This is inline so that the common block size and the usual number of probes are constants in its copies. */
KERNEL_TARGET FILTER_ALWAYS_INLINE size_t
KERNEL(add_to_layer) (const BloomLayer *layer, uint32_t block_bits, uint32_t probes, const uint64_t *hashes, size_t count)
{
	BloomLayer	bloom = {layer->blocks, block_bits, probes, layer->bits};
	size_t		changes = 0;

	for (size_t i = 0; i < FILTER_BATCH && i < count; i++)
		(void) bloom_prefetch(&bloom, false, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		if (i + FILTER_BATCH < count)
			(void) bloom_prefetch(&bloom, false, hashes[i + FILTER_BATCH]);
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
#undef KERNEL_VECTORS
#undef KERNEL_ADDS
