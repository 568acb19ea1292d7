#include "one_page_cuckoo.h"

#include "core/arithmetic.h"
#include "core/bytes.h"

#define MAX_KICKS 5000

uint64_t
one_page_cuckoo_bytes(const OnePageCuckoo *cuckoo)
{
	return 2 * (cuckoo->windows + 1) * cuckoo->slot_bits / 8 + 8;
}

static inline uint64_t
slot_mask(const OnePageCuckoo *cuckoo)
{
	return (UINT64_C(1) << cuckoo->slot_bits) - 1;
}

static inline uint64_t
load_entry(const OnePageCuckoo *cuckoo, uint64_t slot)
{
	uint64_t	bit = slot * cuckoo->slot_bits;

	return load_le64(cuckoo->slots + bit / 8) >> (bit % 8) & slot_mask(cuckoo);
}

static inline void
store_entry(const OnePageCuckoo *cuckoo, uint64_t slot, uint64_t entry)
{
	uint64_t	bit = slot * cuckoo->slot_bits;
	uint64_t	word = load_le64(cuckoo->slots + bit / 8);

	word &= ~(slot_mask(cuckoo) << (bit % 8));
	store_le64(cuckoo->slots + bit / 8, word | entry << (bit % 8));
}

static inline uint64_t
other_window(const OnePageCuckoo *cuckoo, uint64_t window, uint64_t fingerprint)
{
	uint64_t	sum = multiply_high(fingerprint * UINT64_C(0x9e3779b97f4a7c15), cuckoo->windows);

	return sum - window + (sum < window ? cuckoo->windows : 0);
}

static bool
put(const OnePageCuckoo *cuckoo, unsigned half, uint64_t window, uint64_t fingerprint)
{
	for (unsigned offset = 0; offset < 2; offset++)
	{
		uint64_t	slot = half * (cuckoo->windows + 1) + window + offset;

		if (load_entry(cuckoo, slot) == 0)
		{
			store_entry(cuckoo, slot, fingerprint << 1 | offset);
			return true;
		}
	}
	return false;
}

bool
one_page_cuckoo_add(const OnePageCuckoo *cuckoo, uint64_t hash)
{
	uint64_t	window = multiply_high(hash, cuckoo->windows);
	uint64_t	fingerprint = hash & slot_mask(cuckoo) >> 1;
	unsigned	half = 0;

	fingerprint += fingerprint == 0;
	if (put(cuckoo, half, window, fingerprint))
		return true;
	for (unsigned kick = 0; kick < MAX_KICKS; kick++)
	{
		uint64_t	slot,
					evicted;

		half = 1 - half;
		window = other_window(cuckoo, window, fingerprint);
		if (put(cuckoo, half, window, fingerprint))
			return true;
		hash = hash * UINT64_C(6364136223846793005) + 1;
		slot = half * (cuckoo->windows + 1) + window + (hash >> 63);
		evicted = load_entry(cuckoo, slot);
		store_entry(cuckoo, slot, fingerprint << 1 | hash >> 63);
		window = slot - half * (cuckoo->windows + 1) - (evicted & 1);
		fingerprint = evicted >> 1;
	}
	return false;
}
