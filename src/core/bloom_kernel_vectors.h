/*
 * A template: one hash and one block, for a set of vector instructions. bloom_kernels.c includes it before
 * bloom_kernel_loops.h, which describes the macros, after it has defined
 *
 *     KERNEL(bits_of_word_are_set)		whether the bits of a word are set, those of the lanes
 *
 * and, with KERNEL_ADDS, the type KERNEL(Block), a block in registers, with the functions KERNEL(load), KERNEL(store),
 * KERNEL(with), which sets the bits of another block, and KERNEL(differ).
 */

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

#if KERNEL_ADDS

/*
 * All bits are collected in registers and written at once: a load of a word has to wait for a store to it that was just
 * before.
 */
KERNEL_TARGET FILTER_ALWAYS_INLINE bool
KERNEL(block_add) (const BloomLayer *layer, uint8_t *block, uint64_t hash)
{
	KERNEL(Block) before = KERNEL(load) (block);
	KERNEL(Block) after = before;
	uint32_t	probes = layer->probes;

	while (probes > 0)
	{
		uint32_t	bits = probes < BLOOM_PROBES_PER_WORD ? probes : BLOOM_PROBES_PER_WORD;
		uint32_t	start[BLOOM_PROBES_PER_WORD] __attribute__((aligned(32)));

		_mm256_store_si256((__m256i *) start, starts_of_blocks_with_bit(bloom_next_word(&hash)));
		for (uint32_t i = 0; i < bits; i++)
			after = KERNEL(with) (after, &rows_of_zeros[0][0] + start[i]);
		probes -= bits;
	}
	KERNEL(store) (block, after);
	return KERNEL(differ) (before, after);
}

#endif
