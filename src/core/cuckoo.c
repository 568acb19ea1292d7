/*
 * One layer of a cuckoo filter: lookups that take one hash, counting, and the validity of its slots. Adding, which moves
 * entries, is in cuckoo_add.c, and lookups of many hashes, which use vectors, are in cuckoo_kernels.c.
 */
#include "core/cuckoo.h"

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/pause.h"

bool
cuckoo_geometry_is_valid(uint32_t pages, uint32_t windows, uint32_t slot_bits)
{
	if (pages == 0 || windows == 0 || windows > CUCKOO_PAGE_SLOTS / 2 - 1)
		return false;
	/* Two slots of at most 28 bits fit in 64 bits at any bit offset in a byte; two of 32 bits do at offset 0. */
	return (slot_bits >= CUCKOO_MIN_SLOT_BITS && slot_bits <= 28) || slot_bits == CUCKOO_MAX_SLOT_BITS;
}

/* Whether a lower window, given by its index in the page, is covered. */
static bool
is_covered(const CuckooLayer *layer, uint64_t first_bit, uint32_t window)
{
	CuckooPlace place = {first_bit, {window, 0}, 1};

	return cuckoo_place_is_covered(layer, &place);
}

/*
 * Use the slot that covers the fewest other windows: one at the end of the half, or one shared with a window that is
 * already covered. The wildcard covers the entry that it replaces, since both windows of the slot are now covered.
 */
void
cuckoo_cover(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint32_t	window = place->window[0];
	bool		before = window > 0 && !is_covered(layer, place->first_bit, window - 1);
	bool		after = window + 1 < layer->windows && !is_covered(layer, place->first_bit, window + 1);
	uint64_t	bit = cuckoo_window_bit(layer, place, 0) + (before && !after ? layer->slot_bits : 0);
	uint8_t    *bytes = layer->slots + (bit >> 3);
	uint64_t	others = load_le64(bytes) & ~(cuckoo_slot_mask(layer) << (bit & 7));

	if (!cuckoo_place_is_covered(layer, place))
		store_le64(bytes, others | (uint64_t) CUCKOO_WILDCARD << (bit & 7));
}

uint64_t
cuckoo_entries(const CuckooLayer *layer)
{
	size_t		slots = (size_t) cuckoo_slots(layer);
	uint64_t	entries = 0;

	for (size_t slot = 0, end; slot < slots; slot = end)
	{
		end = filter_stride(slot, slots, FILTER_STRIDE_WORDS);
		for (size_t i = slot; i < end; i++)
			entries += cuckoo_load_entry(layer, i) != 0;
	}
	return entries;
}

uint64_t
cuckoo_windows_covered(const CuckooLayer *layer)
{
	uint64_t	covered = 0;

	if (!layer->crowded)
		return 0;
	for (size_t page = 0; page < layer->pages;)
		for (size_t end = filter_stride(page, layer->pages, 1); page < end; page++)
			for (uint32_t window = 0; window < layer->windows; window++)
				covered += is_covered(layer, page * layer->page_bits, window);
	return covered;
}

bool
cuckoo_entries_are_valid(const CuckooLayer *layer)
{
	size_t		slots = (size_t) cuckoo_slots(layer);
	uint64_t	used_bits = (uint64_t) slots * layer->slot_bits;
	uint64_t	bytes = cuckoo_bytes(layer);
	uint32_t	in_page = 0;

	for (size_t slot = 0; slot < slots;)
		for (size_t end = filter_stride(slot, slots, FILTER_STRIDE_WORDS); slot < end; slot++)
		{
			uint32_t	entry = cuckoo_load_entry(layer, slot);
			uint32_t	half,
						window;

			if (entry != 0 && !cuckoo_window_of_entry(layer, in_page, entry, &half, &window) &&
				!(entry == CUCKOO_WILDCARD && half == 0 && layer->crowded))
				return false;
			if (++in_page == cuckoo_page_slots(layer))
				in_page = 0;
		}

	if (used_bits % 8 != 0 && layer->slots[used_bits / 8] >> (used_bits % 8) != 0)
		return false;
	for (uint64_t i = (used_bits + 7) / 8; i < bytes; i++)
		if (layer->slots[i] != 0)
			return false;
	return true;
}
