/*
 * A template: the lookups of core/bloom_vector.h. bloom_vector.c includes it for each set of instructions, after it has
 * defined
 *
 *     LOOKUP_TARGET	the attribute of functions that use these instructions
 *     LOOKUP(name)		the name of a function for them
 *
 * and the function LOOKUP(bits_of_word_are_set): whether the bits of a word are set, those of the lanes.
 */

/* Whether the bits after the first word are set. */
LOOKUP_TARGET FILTER_NOINLINE static bool
LOOKUP(further_words_are_set) (const uint8_t *block, uint32_t bits, uint64_t state)
{
	for (; bits > BLOOM_PROBES_PER_WORD; bits -= BLOOM_PROBES_PER_WORD)
		if (!LOOKUP(bits_of_word_are_set) (block, bloom_next_word(&state), first_lanes(BLOOM_PROBES_PER_WORD)))
			return false;
	return LOOKUP(bits_of_word_are_set) (block, bloom_next_word(&state), first_lanes(bits));
}

/* lanes: first_lanes(probes) */
LOOKUP_TARGET FILTER_ALWAYS_INLINE bool
LOOKUP(contains) (const uint8_t *block, uint32_t probes, Lanes lanes, uint64_t hash)
{
	bool		found = LOOKUP(bits_of_word_are_set) (block, bloom_next_word(&hash), lanes);

	if (probes > BLOOM_PROBES_PER_WORD && found)
		return LOOKUP(further_words_are_set) (block, probes - BLOOM_PROBES_PER_WORD, hash);
	return found;
}

LOOKUP_TARGET static bool
LOOKUP(contains_one) (const PreparedFilter *prepared, uint64_t hash)
{
	const BloomLayer *layer = &prepared->layer.bloom;
	BloomLayer	bloom = {layer->blocks, BLOOM_BLOCK_BITS, layer->probes, layer->bits};

	return LOOKUP(contains) (bloom.bits + bloom_block_offset(&bloom, hash), bloom.probes, first_lanes(bloom.probes), hash);
}

LOOKUP_TARGET static size_t
LOOKUP(contains_run) (const BloomLayer *layer, const uint64_t *hashes, size_t count, bool wanted)
{
	BloomLayer	bloom = {layer->blocks, BLOOM_BLOCK_BITS, layer->probes, layer->bits};
	Lanes		lanes = first_lanes(bloom.probes);
	const uint8_t *ahead[FILTER_BATCH];

	for (size_t i = 0; i < FILTER_BATCH && i < count; i++)
		ahead[i] = bloom_prefetch(&bloom, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		const uint8_t *block = ahead[i % FILTER_BATCH];

		if (i + FILTER_BATCH < count)
			ahead[i % FILTER_BATCH] = bloom_prefetch(&bloom, hashes[i + FILTER_BATCH]);
		if (LOOKUP(contains) (block, bloom.probes, lanes, hashes[i]) != wanted)
			return i;
	}
	return count;
}

LOOKUP_TARGET FILTER_ALWAYS_INLINE size_t
LOOKUP(contained_from) (const BloomLayer *layer, bool is_far, const uint64_t *hashes, size_t count, uint32_t *index)
{
	BloomLayer	bloom = {layer->blocks, BLOOM_BLOCK_BITS, layer->probes, layer->bits};
	Lanes		lanes = first_lanes(bloom.probes);
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
		found += LOOKUP(contains) (block, bloom.probes, lanes, hashes[i]);
	}
	return found;
}

LOOKUP_TARGET static size_t
LOOKUP(contained) (const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (bloom_bytes(layer) >= FILTER_FAR_BYTES)
		return LOOKUP(contained_from) (layer, true, hashes, count, index);
	return LOOKUP(contained_from) (layer, false, hashes, count, index);
}

#undef LOOKUP_TARGET
#undef LOOKUP
