#include "core/cuckoo.h"

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/cpu.h"
#include "core/cuckoo_search.h"
#include "core/pause.h"

bool
cuckoo_geometry_is_valid(uint32_t pages, uint32_t windows, uint32_t slot_bits)
{
	if (pages == 0 || windows == 0 || windows > CUCKOO_PAGE_SLOTS / 2 - 1)
		return false;
	/* Two slots of at most 28 bits fit in 64 bits at any bit offset in a byte; two of 32 bits do at offset 0. */
	return (slot_bits >= CUCKOO_MIN_SLOT_BITS && slot_bits <= 28) || slot_bits == CUCKOO_MAX_SLOT_BITS;
}

uint64_t
cuckoo_bytes(const CuckooLayer *layer)
{
	return (cuckoo_slots(layer) * layer->slot_bits + 7) / 8 + CUCKOO_TAIL_BYTES;
}

/* The two slots of a window, the first in the low bits; the bits above them belong to other slots. */
static inline uint64_t
load_window(const CuckooLayer *layer, uint64_t slot)
{
	uint64_t	bit = slot * layer->slot_bits;

	return load_le64(layer->slots + (bit >> 3)) >> (bit & 7);
}

static inline uint32_t
load_entry(const CuckooLayer *layer, uint64_t slot)
{
	return (uint32_t) (load_window(layer, slot) & cuckoo_slot_mask(layer));
}

static inline void
store_entry(const CuckooLayer *layer, uint64_t slot, uint32_t entry)
{
	uint64_t	bit = slot * layer->slot_bits;
	uint8_t    *bytes = layer->slots + (bit >> 3);
	uint64_t	word = load_le64(bytes);

	word &= ~(cuckoo_slot_mask(layer) << (bit & 7));
	word |= (uint64_t) entry << (bit & 7);
	store_le64(bytes, word);
}

/* Whether a lower window, given by its index in the page, is covered. */
static bool
is_covered(const CuckooLayer *layer, uint64_t first_slot, uint32_t window)
{
	CuckooPlace place = {first_slot, {window, 0}, 1};

	return cuckoo_place_is_covered(layer, &place);
}

FilterStatus
cuckoo_add(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps)
{
	if (cuckoo_place_is_covered(layer, place) || cuckoo_put(layer, place) ||
		cuckoo_count(layer, place) == CUCKOO_STICKY_COUNT)
		return FILTER_OK;
	return cuckoo_add_by_search(layer, place, max_steps, false);
}

FILTER_ALWAYS_INLINE size_t
add_in_order(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t max_steps)
{
	for (size_t i = 0; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_ADDITIONS); i < end; i++)
		{
			CuckooPlace place = cuckoo_place(layer, hashes[i]);

			if (cuckoo_place_is_covered(layer, &place) || cuckoo_put(layer, &place) ||
				cuckoo_count(layer, &place) == CUCKOO_STICKY_COUNT)
				continue;
			if (cuckoo_add_by_search(layer, &place, max_steps, true) != FILTER_OK)
				return i;
		}
	return count;
}

FILTER_FOR_CPU(size_t, cuckoo_add_in_order, add_in_order,
			   (const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t max_steps),
			   (layer, hashes, count, max_steps))

/*
 * Use the slot that covers the fewest other windows: one at the end of the half, or one shared with a window that is
 * already covered. The wildcard covers the entry that it replaces, since both windows of the slot are now covered.
 */
void
cuckoo_cover(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint32_t	window = place->window[0];
	bool		before = window > 0 && !is_covered(layer, place->first_slot, window - 1);
	bool		after = window + 1 < layer->windows && !is_covered(layer, place->first_slot, window + 1);

	if (!cuckoo_place_is_covered(layer, place))
		store_entry(layer, place->first_slot + window + (before && !after), CUCKOO_WILDCARD);
}

uint64_t
cuckoo_entries_between(const CuckooLayer *layer, uint64_t first_slot, uint64_t slots)
{
	uint64_t	entries = 0;

	for (uint64_t slot = first_slot; slot < first_slot + slots; slot++)
		entries += load_entry(layer, slot) != 0;
	return entries;
}

uint64_t
cuckoo_entries(const CuckooLayer *layer)
{
	size_t		slots = (size_t) cuckoo_slots(layer);
	uint64_t	entries = 0;

	for (size_t slot = 0, end; slot < slots; slot = end)
	{
		end = filter_stride(slot, slots, FILTER_STRIDE_WORDS);
		entries += cuckoo_entries_between(layer, slot, end - slot);
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
				covered += is_covered(layer, page * cuckoo_page_slots(layer), window);
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
			uint32_t	entry = load_entry(layer, slot);
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

bool
cuckoo_can_fold(const CuckooLayer *target, const CuckooLayer *source)
{
	return ((uint64_t) source->pages * source->windows) % ((uint64_t) target->pages * target->windows) == 0 &&
		source->slot_bits >= target->slot_bits;
}

/*
 * The place in target, without fingerprint and upper window, of the values of a lower window of source. If the lower
 * windows of all pages are numbered in order, the number of a value's window is floor(hash * pages * windows / 2^64):
 * the same fraction in any geometry. So its number in target follows by division, and all values of a window of source
 * belong to one window of target.
 */
static CuckooPlace
folded_window(const CuckooLayer *target, const CuckooLayer *source, uint64_t factor, uint64_t page, uint32_t window)
{
	uint64_t	lower = (page * source->windows + window) / factor;
	/* A valid geometry has windows; the analyzer thinks that cuckoo_cover may leave none. */
	uint64_t	target_page = lower / target->windows;	/* NOLINT(clang-analyzer-core.DivideZero) */
	CuckooPlace place = {target_page * cuckoo_page_slots(target), {(uint32_t) (lower % target->windows), 0}, 0};

	return place;
}

static void
fold_wildcard(const CuckooLayer *target, const CuckooLayer *source, uint64_t factor, uint64_t page, uint32_t slot)
{
	for (uint32_t window = slot - (slot > 0); window <= slot && window < source->windows; window++)
	{
		CuckooPlace place = folded_window(target, source, factor, page, window);

		cuckoo_cover(target, &place);
	}
}

/* cuckoo_fold of one page. *max_steps is the limit for a search, and is lowered once wildcards are in use. */
static FilterStatus
fold_page(const CuckooLayer *target, const CuckooLayer *source, uint64_t page, bool cover, uint32_t *max_steps)
{
	uint64_t	factor = ((uint64_t) source->pages * source->windows) / ((uint64_t) target->pages * target->windows);
	uint32_t	shift = source->slot_bits - target->slot_bits;

	for (uint32_t slot = 0; slot < cuckoo_page_slots(source); slot++)
	{
		uint32_t	entry = load_entry(source, page * cuckoo_page_slots(source) + slot);
		uint32_t	half,
					window;
		CuckooPlace place;

		if (entry == 0)
			continue;
		if (!cuckoo_window_of_entry(source, slot, entry, &half, &window))
		{
			if (entry == CUCKOO_WILDCARD && half == 0 && source->crowded)
				fold_wildcard(target, source, factor, page, slot);
			continue;
		}
		if (half == 1)
			window = cuckoo_other_window(source, window, entry >> 1);
		place = folded_window(target, source, factor, page, window);
		place.fingerprint = entry >> 1 >> shift;
		place.fingerprint += place.fingerprint == 0;
		place.window[1] = cuckoo_other_window(target, place.window[0], place.fingerprint);
		if (cuckoo_add(target, &place, *max_steps) == FILTER_OK)
			continue;
		if (!cover)
			return FILTER_FULL;
		cuckoo_cover(target, &place);
		*max_steps = CUCKOO_FEW_STEPS;
	}
	return FILTER_OK;
}

FilterStatus
cuckoo_fold(const CuckooLayer *target, const CuckooLayer *source, bool cover)
{
	uint32_t	max_steps = CUCKOO_MAX_STEPS;

	for (size_t page = 0; page < source->pages;)
		for (size_t end = filter_stride(page, source->pages, 1); page < end; page++)
			if (fold_page(target, source, page, cover, &max_steps) != FILTER_OK)
				return FILTER_FULL;
	return FILTER_OK;
}
