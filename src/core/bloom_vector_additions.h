/*
 * A template: the additions of core/bloom_vector.h. bloom_vector.c includes it for each set of instructions, after it has
 * defined
 *
 *     ADDITION_TARGET	the attribute of functions that use these instructions
 *     ADDITION(name)	the name of a function or type for them
 *
 * and the type ADDITION(Block), a block in registers, with the functions ADDITION(load), ADDITION(store), ADDITION(with),
 * which sets the bits of another block, and ADDITION(differ).
 */

/*
 * bloom_add. All bits are collected in registers and written at once: a load of a word has to wait for a store to it
 * that was just before.
 */
ADDITION_TARGET FILTER_ALWAYS_INLINE bool
ADDITION(add) (uint8_t *block, uint32_t probes, uint64_t hash)
{
	ADDITION(Block) before = ADDITION(load) (block);
	ADDITION(Block) after = before;

	while (probes > 0)
	{
		uint32_t	bits = probes < BLOOM_PROBES_PER_WORD ? probes : BLOOM_PROBES_PER_WORD;
		uint32_t	start[BLOOM_PROBES_PER_WORD] __attribute__((aligned(32)));

		_mm256_store_si256((__m256i *) start, starts_of_blocks_with_bit(bloom_next_word(&hash)));
		for (uint32_t i = 0; i < bits; i++)
			after = ADDITION(with) (after, &rows_of_zeros[0][0] + start[i]);
		probes -= bits;
	}
	ADDITION(store) (block, after);
	return ADDITION(differ) (before, after);
}

ADDITION_TARGET FILTER_ALWAYS_INLINE size_t
ADDITION(add_to_layer) (const BloomLayer *layer, uint32_t probes, const uint64_t *hashes, size_t count, uint64_t *unchanged)
{
	BloomLayer	bloom = {layer->blocks, BLOOM_BLOCK_BITS, probes, layer->bits};
	size_t		changes = 0;

	for (size_t i = 0; i < FILTER_BATCH && i < count; i++)
		(void) bloom_prefetch(&bloom, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		if (i + FILTER_BATCH < count)
			(void) bloom_prefetch(&bloom, hashes[i + FILTER_BATCH]);
		if (unchanged != NULL)
			unchanged[i - changes] = hashes[i];
		changes += ADDITION(add) (bloom.bits + bloom_block_offset(&bloom, hashes[i]), probes, hashes[i]);
	}
	return changes;
}

ADDITION_TARGET static bool
ADDITION(add_one) (uint8_t *block, uint32_t probes, uint64_t hash)
{
	return ADDITION(add) (block, probes, hash);
}

/* The usual number of probes is a constant in copies of the loop. */
ADDITION_TARGET static size_t
ADDITION(add_all) (const BloomLayer *layer, const uint64_t *hashes, size_t count, uint64_t *unchanged)
{
	if (layer->probes == USUAL_PROBES && unchanged == NULL)
		return ADDITION(add_to_layer) (layer, USUAL_PROBES, hashes, count, NULL);
	if (layer->probes == USUAL_PROBES)
		return ADDITION(add_to_layer) (layer, USUAL_PROBES, hashes, count, unchanged);
	return ADDITION(add_to_layer) (layer, layer->probes, hashes, count, unchanged);
}

#undef ADDITION_TARGET
#undef ADDITION
