/*
 * The stash is a sorted array. Nearly every layer has none, and what it holds was chosen to collide, so a hash table would be
 * no faster, and could be attacked in the same way.
 */
#include "core/cuckoo_stash.h"

#include <string.h>

/* The position of a word; index -1 is the number of words used. */
static uint8_t *
word_at(const CuckooLayer *layer, int64_t index)
{
	return layer->slots + cuckoo_counted_bytes(layer) + 8 * (index + 1);
}

uint32_t
cuckoo_stash_used(const CuckooLayer *layer)
{
	uint64_t	used = layer->stash_capacity > 0 ? load_le64(word_at(layer, -1)) : 0;

	return used < layer->stash_capacity ? (uint32_t) used : layer->stash_capacity;
}

uint64_t
cuckoo_stash_get(const CuckooLayer *layer, uint32_t index)
{
	return load_le64(word_at(layer, index));
}

void
cuckoo_stash_set(const CuckooLayer *layer, uint32_t index, uint64_t word)
{
	store_le64(word_at(layer, index), word);
}

static uint64_t
word_of(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint64_t	lower = position->first_bit / layer->page_bits * layer->windows + position->window[0];

	return lower << (layer->slot_bits + 3) | (uint64_t) position->fingerprint << 4;
}

bool
cuckoo_stash_find(const CuckooLayer *layer, const CuckooPosition *position, uint32_t *index)
{
	uint64_t	wanted = word_of(layer, position);
	uint32_t	low = 0,
				high = cuckoo_stash_used(layer);

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (cuckoo_stash_get(layer, middle) < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	*index = low;
	return low < cuckoo_stash_used(layer) && cuckoo_stash_get(layer, low) >> 4 == wanted >> 4;
}

bool
cuckoo_stash_add(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint32_t	used = cuckoo_stash_used(layer);
	uint32_t	index;

	if (cuckoo_stash_find(layer, position, &index))
	{
		uint64_t	word = cuckoo_stash_get(layer, index);

		/* The values of an aggregate are distinct, and several can be of one class. */
		cuckoo_stash_set(layer, index, word + (word % 16 < CUCKOO_MAX_COUNT));
		return true;
	}
	if (used == layer->stash_capacity)
		return false;
	memmove(word_at(layer, (int64_t) index + 1), word_at(layer, index), 8 * (size_t) (used - index));
	cuckoo_stash_set(layer, index, word_of(layer, position));
	store_le64(word_at(layer, -1), (uint64_t) used + 1);
	return true;
}

void
cuckoo_stash_remove(const CuckooLayer *layer, uint32_t index)
{
	uint32_t	used = cuckoo_stash_used(layer);

	memmove(word_at(layer, index), word_at(layer, (int64_t) index + 1), 8 * (size_t) (used - index - 1));
	cuckoo_stash_truncate(layer, used - 1);
}

void
cuckoo_stash_truncate(const CuckooLayer *layer, uint32_t used)
{
	uint32_t	before = cuckoo_stash_used(layer);

	if (used == before)
		return;
	memset(word_at(layer, used), 0, 8 * (size_t) (before - used));
	store_le64(word_at(layer, -1), used);
}

bool
cuckoo_stash_is_complete(const CuckooLayer *layer)
{
	return layer->stash_capacity == 0 || load_le64(word_at(layer, -1)) <= layer->stash_capacity;
}

bool
cuckoo_stash_is_valid(const CuckooLayer *layer, bool is_set)
{
	uint32_t	used = cuckoo_stash_used(layer);
	uint64_t	before = 0;

	if (!cuckoo_stash_is_complete(layer))
		return false;
	for (uint32_t i = 0; i < layer->stash_capacity; i++)
	{
		uint64_t	word = cuckoo_stash_get(layer, i);
		uint64_t	fingerprint = word >> 4 & cuckoo_slot_mask(layer) >> 1;

		if (i >= used ? word != 0 :
			word >> 4 <= before || fingerprint == 0 || (is_set && word % 16 != 0) ||
			word >> (layer->slot_bits + 3) >= (uint64_t) layer->pages * layer->windows)
			return false;
		before = word >> 4;
	}
	return true;
}
