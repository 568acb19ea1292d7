#include "core/cuckoo.h"

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/pause.h"

/* In a small page a search soon revisits the same slots; more steps per slot than this never found a place. */
#define STEPS_PER_SLOT 8

/*
 * The number of windows that a search prefetches before it reads the first of them, so that several cache misses
 * overlap (measured at 10 million values and a load of 0.93 to 0.94: 0.8 us per value; 1.6 without, and 4.9 by a random
 * walk, which waits for each window in turn). 0 is faster if the page is cached: 38 ns per value in order, 42 with 6.
 */
#define STEPS_AHEAD 6

#define NO_STEP UINT16_MAX

/* A step of a search: an entry that would move from its slot to a window. The first two steps are the new entry's. */
typedef struct Step
{
	uint16_t	before;			/* the step for which the slot would become free; NO_STEP for the first two */
	uint16_t	from;			/* the slot in the page; undefined for the first two */
	uint16_t	start;			/* the window's first slot in the page */
	uint32_t	fingerprint;
} Step;

typedef struct Search
{
	const CuckooLayer *layer;
	uint64_t	first_slot;		/* of the page */
	uint32_t	end;			/* the number of steps */
	uint32_t	max_steps;
	Step		step[CUCKOO_MAX_STEPS];
} Search;

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

/*
 * Which half, and which window of it, the entry in a slot belongs to. False for an empty slot, a wildcard, and an entry
 * that insertion cannot have made, which only a damaged image has. A search moves none of these.
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

/*
 * cuckoo_put, inline. No branch depends on which slots are free, since that cannot be predicted. The entry goes to the
 * emptier window, so that fewer values have to search later.
 */
static inline bool
put(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint64_t	lower = place->first_slot + cuckoo_window_slot(layer, 0, place->window[0]);
	uint64_t	upper = place->first_slot + cuckoo_window_slot(layer, 1, place->window[1]);
	uint64_t	free_lower = cuckoo_zero_slots(layer, load_window(layer, lower));
	uint64_t	free_upper = cuckoo_zero_slots(layer, load_window(layer, upper));
	uint64_t	use_upper = 0 - (uint64_t) (free_upper > free_lower);
	uint64_t	free = free_lower ^ ((free_lower ^ free_upper) & use_upper);
	uint64_t	slot = lower ^ ((lower ^ upper) & use_upper);
	uint32_t	offset = (free & cuckoo_slot_mask(layer)) == 0;

	if (free == 0)
		return false;
	store_entry(layer, slot + offset, place->fingerprint << 1 | offset);
	return true;
}

bool
cuckoo_put(const CuckooLayer *layer, const CuckooPlace *place)
{
	return put(layer, place);
}

static void
add_step(Search *search, uint32_t before, uint32_t from, uint32_t start, uint32_t fingerprint)
{
	Step	   *step = &search->step[search->end];
	uint64_t	bit = (search->first_slot + start) * search->layer->slot_bits;

	if (search->end == search->max_steps)
		return;
	step->before = (uint16_t) before;
	step->from = (uint16_t) from;
	step->start = (uint16_t) start;
	step->fingerprint = fingerprint;
	search->end++;
	filter_prefetch(search->layer->slots + (bit >> 3));
}

/* Whether one of the steps that lead to this one frees a slot. */
static inline bool
is_freed(const Search *search, uint32_t at, uint32_t slot)
{
	for (; search->step[at].before != NO_STEP; at = search->step[at].before)
		if (search->step[at].from == slot)
			return true;
	return false;
}

/*
 * Add the steps that would free a slot in the window of a step: to the other windows of the entries there. True if an
 * entry needs no other window, since it is covered; *slot is then its slot.
 */
static inline bool
add_further_steps(Search *search, uint32_t at, uint32_t *slot)
{
	const CuckooLayer *layer = search->layer;
	uint32_t	start = search->step[at].start;
	uint64_t	entries = load_window(layer, search->first_slot + start);

	for (uint32_t offset = 0; offset < 2; offset++, entries >>= layer->slot_bits)
	{
		uint32_t	entry = (uint32_t) (entries & cuckoo_slot_mask(layer));
		uint32_t	half,
					own,
					other;

		*slot = start + offset;
		if (!window_of_entry(layer, *slot, entry, &half, &own) || is_freed(search, at, *slot))
			continue;
		other = cuckoo_other_window(layer, own, entry >> 1);
		if (layer->crowded && is_covered(layer, search->first_slot, half == 0 ? own : other))
			return true;
		/* The entry may belong to a window that overlaps with this one, and can then move within it. */
		if (cuckoo_window_slot(layer, half, own) != start)
			add_step(search, at, *slot, cuckoo_window_slot(layer, half, own), entry >> 1);
		add_step(search, at, *slot, cuckoo_window_slot(layer, 1 - half, other), entry >> 1);
	}
	return false;
}

/* Move the entries of a step, and of all that lead to it, each to the slot that the next one frees. */
static void
move_entries(const Search *search, uint32_t at, uint32_t slot)
{
	for (;;)
	{
		const Step *step = &search->step[at];

		store_entry(search->layer, search->first_slot + slot, step->fingerprint << 1 | (slot - step->start));
		if (step->before == NO_STEP)
			return;
		slot = step->from;
		at = step->before;
	}
}

/*
 * Add an entry at a place whose windows are full: find the shortest sequence of moves that ends in a free slot, breadth
 * first. The result depends only on the slots, so it is the same everywhere. Not inline, since the steps take up 48 kB
 * of the stack. steps_ahead is STEPS_AHEAD, or 0 if the page is cached.
 */
static FILTER_NOINLINE FilterStatus
add_by_search(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps, uint32_t steps_ahead)
{
	Search		search;
	uint64_t	useful_steps = cuckoo_page_slots(layer) * STEPS_PER_SLOT;
	uint32_t	read = 2;		/* the first two windows are known to be full */
	uint32_t	at = 0;
	uint32_t	slot;

	search.layer = layer;
	search.first_slot = place->first_slot;
	search.end = 0;
	search.max_steps = useful_steps < max_steps ? (uint32_t) useful_steps : max_steps;
	for (uint32_t half = 0; half < 2; half++)
		add_step(&search, NO_STEP, 0, cuckoo_window_slot(layer, half, place->window[half]), place->fingerprint);
	for (;;)
	{
		for (; read + steps_ahead < search.end || (at == search.end && read < search.end); read++)
		{
			uint32_t	start = search.step[read].start;
			uint64_t	free = cuckoo_zero_slots(layer, load_window(layer, search.first_slot + start));

			if (free != 0)
			{
				move_entries(&search, read, start + ((free & cuckoo_slot_mask(layer)) == 0));
				return FILTER_OK;
			}
		}
		if (at == search.end)
			return FILTER_FULL;
		if (add_further_steps(&search, at, &slot))
		{
			move_entries(&search, at, slot);
			return FILTER_OK;
		}
		at++;
	}
}

FilterStatus
cuckoo_add(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps)
{
	if (cuckoo_place_is_covered(layer, place) || put(layer, place) ||
		cuckoo_count(layer, place) == CUCKOO_STICKY_COUNT)
		return FILTER_OK;
	return add_by_search(layer, place, max_steps, STEPS_AHEAD);
}

size_t
cuckoo_add_in_order(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t max_steps)
{
	for (size_t i = 0; i < count;)
		for (size_t end = filter_stride(i, count, FILTER_STRIDE_ADDITIONS); i < end; i++)
		{
			CuckooPlace place = cuckoo_place(layer, hashes[i]);

			if (cuckoo_place_is_covered(layer, &place) || put(layer, &place) ||
				cuckoo_count(layer, &place) == CUCKOO_STICKY_COUNT)
				continue;
			if (add_by_search(layer, &place, max_steps, 0) != FILTER_OK)
				return i;
		}
	return count;
}

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

/* No branch depends on which slot has the entry, since that cannot be predicted. */
bool
cuckoo_remove(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint64_t	lower = cuckoo_slots_of_class(layer, place, 0);
	uint64_t	upper = cuckoo_slots_of_class(layer, place, 1);
	uint64_t	found = lower != 0 ? lower : upper;
	uint32_t	half = lower == 0;
	uint32_t	offset = (found & cuckoo_slot_mask(layer)) == 0;
	bool		is_sticky = (lower & upper) == cuckoo_zero_slots(layer, 0);

	if (found == 0 || is_sticky || cuckoo_place_is_covered(layer, place))
		return false;
	store_entry(layer, place->first_slot + cuckoo_window_slot(layer, half, place->window[half]) + offset, 0);
	return true;
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
