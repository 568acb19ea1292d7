#include "core/cuckoo.h"

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/pause.h"

/* In a small page a walk soon revisits the same slots; more kicks per slot than this never found a place. */
#define KICKS_PER_SLOT 8

typedef struct Kick
{
	uint32_t	slot;			/* in the page */
	uint32_t	evicted;		/* the entry that was there */
} Kick;

/* An entry for which a walk looks for a slot, in one of its windows. */
typedef struct Walker
{
	uint64_t	first_slot;		/* of the page */
	uint32_t	half;
	uint32_t	window;
	uint32_t	fingerprint;
	uint64_t	choices;		/* state of the generator */
} Walker;

bool
cuckoo_geometry_is_valid(uint32_t pages, uint32_t windows, uint32_t slot_bits)
{
	if (pages == 0 || windows == 0 || windows > CUCKOO_PAGE_SLOTS / 2 - 1)
		return false;
	/* Two slots of at most 28 bits fit in 64 bits at any bit offset in a byte; two of 32 bits do at offset 0. */
	return (slot_bits >= CUCKOO_MIN_SLOT_BITS && slot_bits <= 28) || slot_bits == CUCKOO_MAX_SLOT_BITS;
}

uint64_t
cuckoo_slots(const CuckooLayer *layer)
{
	return layer->pages * cuckoo_page_slots(layer);
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

/* Store an entry in a free slot of a window, if there is one. */
static inline bool
put_in_window(const CuckooLayer *layer, uint64_t first_slot, uint32_t window_start, uint32_t fingerprint)
{
	uint64_t	bit = (first_slot + window_start) * layer->slot_bits;
	uint8_t    *bytes = layer->slots + (bit >> 3);
	uint64_t	word = load_le64(bytes);
	unsigned	shift = bit & 7;
	uint64_t	entry = (uint64_t) fingerprint << 1;

	if (((word >> shift) & cuckoo_slot_mask(layer)) != 0)
	{
		shift += layer->slot_bits;
		entry |= 1;
		if (((word >> shift) & cuckoo_slot_mask(layer)) != 0)
			return false;
	}
	store_le64(bytes, word | entry << shift);
	return true;
}

/*
 * Which half, and which window of it, the entry in a slot belongs to. False for an entry that insertion cannot have
 * made; only a damaged image has one, and it stays in its slot.
 */
static inline bool
window_of_entry(const CuckooLayer *layer, uint32_t slot, uint32_t entry, uint32_t *half, uint32_t *window)
{
	*half = slot > layer->windows;
	*window = slot - *half * (layer->windows + 1) - (entry & 1);
	return *window < layer->windows && entry > 1;
}

/* Whether a lower window, given by its index in the page, is covered. */
static bool
is_covered(const CuckooLayer *layer, uint64_t first_slot, uint32_t window)
{
	CuckooPlace place = {first_slot, {window, 0}, 1};

	return cuckoo_place_is_covered(layer, &place);
}

/* Free the slot of an entry: move the entry to one of its other three slots if one is free, or drop it if covered. */
static inline bool
move_away(const CuckooLayer *layer, uint64_t first_slot, uint32_t slot, uint32_t entry)
{
	uint32_t	half,
				window,
				neighbour;

	if (!window_of_entry(layer, slot, entry, &half, &window))
		return false;
	if (layer->crowded &&
		is_covered(layer, first_slot, half == 0 ? window : cuckoo_other_window(layer, window, entry >> 1)))
		return true;

	neighbour = cuckoo_window_slot(layer, half, window) + 1 - (entry & 1);
	if (load_entry(layer, first_slot + neighbour) == 0)
	{
		store_entry(layer, first_slot + neighbour, entry ^ 1);
		return true;
	}
	return put_in_window(layer, first_slot,
						 cuckoo_window_slot(layer, 1 - half, cuckoo_other_window(layer, window, entry >> 1)), entry >> 1);
}

static bool
put_in_either_window(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint32_t	half = place->fingerprint & 1;	/* start in either half equally often */

	return put_in_window(layer, place->first_slot, cuckoo_window_slot(layer, half, place->window[half]), place->fingerprint) ||
		put_in_window(layer, place->first_slot, cuckoo_window_slot(layer, 1 - half, place->window[1 - half]), place->fingerprint);
}

/* Store the walker's entry in its window if an entry there can move away at once. */
static inline bool
settle(const CuckooLayer *layer, const Walker *walker)
{
	uint32_t	start = cuckoo_window_slot(layer, walker->half, walker->window);

	for (uint32_t offset = 0; offset < 2; offset++)
	{
		uint64_t	slot = walker->first_slot + start + offset;

		if (move_away(layer, walker->first_slot, start + offset, load_entry(layer, slot)))
		{
			store_entry(layer, slot, walker->fingerprint << 1 | offset);
			return true;
		}
	}
	return false;
}

/*
 * Store the walker's entry in place of one of its window, chosen at random, and go on with that one in its other
 * window. False if the entry is one that insertion cannot have made.
 */
static inline bool
evict(const CuckooLayer *layer, Walker *walker, Kick *kick)
{
	uint32_t	chosen,
				half,
				window;

	walker->choices ^= walker->choices << 13;	/* xorshift64, Marsaglia 2003 */
	walker->choices ^= walker->choices >> 7;
	walker->choices ^= walker->choices << 17;
	chosen = (uint32_t) (walker->choices >> 63);
	kick->slot = cuckoo_window_slot(layer, walker->half, walker->window) + chosen;
	kick->evicted = load_entry(layer, walker->first_slot + kick->slot);
	if (!window_of_entry(layer, kick->slot, kick->evicted, &half, &window))
		return false;
	store_entry(layer, walker->first_slot + kick->slot, walker->fingerprint << 1 | chosen);
	walker->fingerprint = kick->evicted >> 1;
	walker->half = 1 - half;
	walker->window = cuckoo_other_window(layer, window, walker->fingerprint);
	return true;
}

/*
 * Make room at a place whose windows are full by a random walk, which looks one step ahead for an entry that can move
 * at once. Its choices are a function of the place, so the result is the same everywhere. Covered entries are dropped
 * at once, so the walk never reaches a covered window or a wildcard. Not inline: the kicks take much of the stack.
 */
static FILTER_NOINLINE FilterStatus
add_by_walk(const CuckooLayer *layer, const CuckooPlace *place, uint32_t most_kicks)
{
	Kick		kicks[CUCKOO_MAX_KICKS];
	uint64_t	limit = cuckoo_page_slots(layer) * KICKS_PER_SLOT;
	uint32_t	half = place->fingerprint & 1;
	Walker		walker = {place->first_slot, half, place->window[half], place->fingerprint, 0};
	uint32_t	kicked = 0;

	walker.choices = (place->first_slot + place->window[0]) * UINT64_C(0x9e3779b97f4a7c15) + place->fingerprint;
	walker.choices |= 1;
	if (limit > most_kicks)
		limit = most_kicks;
	while (kicked < limit)
	{
		if (settle(layer, &walker))
			return FILTER_OK;
		if (!evict(layer, &walker, &kicks[kicked]))
			break;
		kicked++;
	}
	while (kicked-- > 0)
		store_entry(layer, place->first_slot + kicks[kicked].slot, kicks[kicked].evicted);
	return FILTER_FULL;
}

FilterStatus
cuckoo_add(const CuckooLayer *layer, const CuckooPlace *place, uint32_t most_kicks)
{
	if (cuckoo_place_is_covered(layer, place) || put_in_either_window(layer, place) ||
		cuckoo_count(layer, place) == CUCKOO_STICKY_COUNT)
		return FILTER_OK;
	return add_by_walk(layer, place, most_kicks);
}

/*
 * Use the slot that covers the fewest other windows: one at the end of the half, or one shared with a window that is
 * covered already. The entry that was there belongs to a window that the slot covers.
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

bool
cuckoo_remove(const CuckooLayer *layer, const CuckooPlace *place)
{
	unsigned	count = cuckoo_count(layer, place);

	if (count == 0 || count == CUCKOO_STICKY_COUNT)
		return false;
	for (uint32_t half = 0; half < 2; half++)
		for (uint32_t offset = 0; offset < 2; offset++)
		{
			uint64_t	slot = place->first_slot + cuckoo_window_slot(layer, half, place->window[half]) + offset;

			if (load_entry(layer, slot) == (place->fingerprint << 1 | offset))
			{
				store_entry(layer, slot, 0);
				return true;
			}
		}
	return false;
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

			if (entry != 0 && !window_of_entry(layer, in_page, entry, &half, &window) &&
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
 * The place in target, except fingerprint and upper window, of the entries in a lower window of source. If lower
 * windows are numbered through all pages, a value's window is floor(hash * pages * windows / 2^64): the same fraction
 * of any geometry, so the number in a smaller one follows by division. All values of a covered window belong to one
 * window of the target.
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

/* cuckoo_fold of one page. *most_kicks is the limit for a search, and is lowered once wildcards are in use. */
static FilterStatus
fold_page(const CuckooLayer *target, const CuckooLayer *source, uint64_t page, bool cover, uint32_t *most_kicks)
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
		if (!window_of_entry(source, slot, entry, &half, &window))
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
		if (cuckoo_add(target, &place, *most_kicks) == FILTER_OK)
			continue;
		if (!cover)
			return FILTER_FULL;
		cuckoo_cover(target, &place);
		*most_kicks = CUCKOO_FEW_KICKS;
	}
	return FILTER_OK;
}

FilterStatus
cuckoo_fold(const CuckooLayer *target, const CuckooLayer *source, bool cover)
{
	uint32_t	most_kicks = CUCKOO_MAX_KICKS;

	for (size_t page = 0; page < source->pages;)
		for (size_t end = filter_stride(page, source->pages, 1); page < end; page++)
			if (fold_page(target, source, page, cover, &most_kicks) != FILTER_OK)
				return FILTER_FULL;
	return FILTER_OK;
}
