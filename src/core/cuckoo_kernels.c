/*
 * The operations on many hashes are compiled twice: for any CPU, and for one with instructions that shift by a variable number
 * of bits, since each lookup, addition or removal shifts ten times. Without these, such a shift is three operations on Intel's
 * CPUs, though one on AMD's.
 */
#include "core/cuckoo_inline.h"

FILTER_ALWAYS_INLINE bool
contains(const void *layer, uint64_t hash)
{
	return cuckoo_contains((const CuckooLayer *) layer, hash);
}

/* No branch depends on which hashes are contained, since it could not be predicted where both answers are frequent. */
FILTER_ALWAYS_INLINE size_t
contained_from(const CuckooLayer *layer, bool is_far, const uint64_t *hashes, size_t count, uint32_t *index)
{
	CuckooLayer cuckoo = *layer;
	CuckooPosition ahead[FILTER_LOOKUPS_AHEAD];
	size_t		contained = 0;

	for (size_t i = 0; i < FILTER_LOOKUPS_AHEAD && i < count; i++)
		ahead[i] = cuckoo_prefetch(&cuckoo, is_far, hashes[i]);
	for (size_t i = 0; i < count; i++)
	{
		CuckooPosition *position = &ahead[i % FILTER_LOOKUPS_AHEAD];

		index[contained] = (uint32_t) i;
		contained += cuckoo_position_contains(&cuckoo, position);
		if (i + FILTER_LOOKUPS_AHEAD < count)
			*position = cuckoo_prefetch(&cuckoo, is_far, hashes[i + FILTER_LOOKUPS_AHEAD]);
	}
	return contained;
}

FILTER_ALWAYS_INLINE size_t
contained_hashes(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	if (cuckoo_bytes(layer) >= FILTER_FAR_BYTES)
		return contained_from(layer, true, hashes, count, index);
	return contained_from(layer, false, hashes, count, index);
}

/*
 * Adding a batch.
 *
 * Hashes that find a slot in their lower windows are added first. Only the others need their upper windows, which saves most
 * loads up to half load.
 */
typedef struct Batch
{
	CuckooPosition position[FILTER_BATCH];
	size_t		count;
	uint8_t		left[FILTER_BATCH];		/* indexes of hashes without a slot in their lower windows, ascending */
	size_t		lefts;
} Batch;

FILTER_ALWAYS_INLINE void
put_in_lower_windows(const CuckooLayer *cuckoo, const uint64_t *hashes, size_t count, Batch *batch)
{
	batch->count = count;
	batch->lefts = 0;
	for (size_t i = 0; i < count; i++)
	{
		batch->position[i] = cuckoo_position(cuckoo, hashes[i]);
		cuckoo_prefetch_window(cuckoo, false, &batch->position[i], 0);
	}
	for (size_t i = 0; i < count; i++)
	{
		const CuckooPosition *position = &batch->position[i];
		uint64_t	bit = cuckoo_window_bit(cuckoo, position, 0);
		uint64_t	free = cuckoo_first_zero_slot(cuckoo, cuckoo_load_bits(cuckoo, bit));

		cuckoo_store_in_window(cuckoo, bit, cuckoo_entry_for_slot(cuckoo, position, free));
		batch->left[batch->lefts] = (uint8_t) i;
		batch->lefts += free == 0;
		/* This is the lower window again if the upper one is not needed: a branch could not be predicted. */
		cuckoo_prefetch_window(cuckoo, false, position, free == 0);
	}
}

/* The hash left[failed] has found no slot: remove the hashes after it, so that the caller can continue there. */
static FILTER_NOINLINE void
undo_after(const CuckooLayer *cuckoo, const Batch *batch, size_t failed)
{
	size_t		next_left = failed + 1;

	for (size_t i = batch->left[failed] + 1; i < batch->count; i++)
		if (next_left < batch->lefts && batch->left[next_left] == i)
			next_left++;
		else
			(void) cuckoo_remove_entry(cuckoo, &batch->position[i]);
}

FILTER_ALWAYS_INLINE size_t
add_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count)
{
	CuckooLayer cuckoo = *layer;
	Batch		batch;

	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		put_in_lower_windows(&cuckoo, hashes + start, count - start < FILTER_BATCH ? count - start : FILTER_BATCH, &batch);
		for (size_t i = 0; i < batch.lefts; i++)
		{
			const CuckooPosition *position = &batch.position[batch.left[i]];

			if (cuckoo_put(&cuckoo, position) || cuckoo_add(&cuckoo, position) == FILTER_OK)
				continue;
			undo_after(&cuckoo, &batch, i);
			return start + batch.left[i];
		}
	}
	return count;
}

FILTER_ALWAYS_INLINE size_t
remove_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count)
{
	CuckooLayer cuckoo = *layer;
	CuckooPosition position[FILTER_BATCH];
	size_t		removed = 0;

	for (size_t start = 0; start < count; start += FILTER_BATCH)
	{
		size_t		batch = count - start < FILTER_BATCH ? count - start : FILTER_BATCH;

		for (size_t i = 0; i < batch; i++)
			position[i] = cuckoo_prefetch(&cuckoo, false, hashes[start + i]);
		for (size_t i = 0; i < batch; i++)
			removed += cuckoo_remove_entry(&cuckoo, &position[i]);
	}
	return removed;
}

FILTER_VARIANTS(bool, contains, contains, (const void *layer, uint64_t hash), (layer, hash))

LayerLookup
cuckoo_lookup(void)
{
	return FILTER_BEST(contains,);
}

FILTER_FOR_CPU(extern, size_t, cuckoo_contained, contained_hashes,
		(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index), (layer, hashes, count, index))
FILTER_FOR_CPU(extern, size_t, cuckoo_add_run, add_run,
		(const CuckooLayer *layer, const uint64_t *hashes, size_t count), (layer, hashes, count))
FILTER_FOR_CPU(extern, size_t, cuckoo_remove_run, remove_run,
			   (const CuckooLayer *layer, const uint64_t *hashes, size_t count), (layer, hashes, count))
