#include "core/cuckoo_add.h"

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/cpu.h"
#include "core/pause.h"

/* In a small page a search soon revisits the same slots; more steps per slot than this never found a place. */
#define STEPS_PER_SLOT 8

/*
 * The number of windows that a search prefetches before it reads the first of them, so that several cache misses
 * overlap (measured at 10 million values and a load of 0.93 to 0.94: 0.8 us per value; 1.6 without, and 4.9 by a random
 * walk, which waits for each window in turn). 0 is faster if the page is cached.
 */
#define STEPS_AHEAD 6

/*
 * A step of a search: the entry in the slot `from` would move to a window. The first two steps are the new entry's, to
 * its own windows. Packed into a word, since a search mostly writes steps and seldom reads them all:
 *
 *     start << 32 | from << 16 | before
 *
 * start: the window's first slot in the page; before: the step for which `from` would become free, NO_STEP for the
 * first two. Their `from` is a slot outside their windows.
 */
typedef uint64_t Step;

#define NO_STEP		UINT16_MAX
#define MAX_FURTHER 4			/* steps that follow one: each of two entries to its own and its other window */
#define GROUP		3			/* steps whose windows are read at once */

typedef struct Search
{
	const CuckooLayer *layer;
	uint32_t	fingerprint;	/* of the new entry */
	uint64_t	first_bit;		/* of the page */
	Step		step[CUCKOO_MAX_STEPS];
} Search;

static inline Step
make_step(uint32_t start, uint32_t from, uint32_t before)
{
	return (uint64_t) start << 32 | (uint64_t) (from & UINT16_MAX) << 16 | before;
}

static inline uint32_t
start_of(Step step)
{
	return (uint32_t) (step >> 32);
}

static inline uint32_t
from_of(Step step)
{
	return (uint32_t) step >> 16;
}

static inline uint32_t
before_of(Step step)
{
	return (uint32_t) step & UINT16_MAX;
}

/* The slot in the page, and the one after it, in the low bits. */
static inline uint64_t
load_slots(const Search *search, uint32_t slot)
{
	return cuckoo_load_bits(search->layer, search->first_bit + (uint64_t) slot * search->layer->slot_bits);
}

/*
 * Whether the steps that lead to this one free different slots, none of which is `slot`: they can then be taken. Steps
 * that cannot are not worth avoiding, since they are rare but for the most frequent kind: see add_further_steps.
 */
static bool
can_be_taken(const Search *search, uint32_t at, uint32_t slot)
{
	for (Step step = search->step[at]; before_of(step) != NO_STEP; step = search->step[before_of(step)])
	{
		for (Step earlier = step; before_of(earlier) != NO_STEP; earlier = search->step[before_of(earlier)])
			if (from_of(earlier) == slot)
				return false;
		slot = from_of(step);
	}
	return true;
}

/* Move the entries of a step, and of all that lead to it, each to the slot that the next one frees. */
static void
take(const Search *search, Step step, uint32_t slot)
{
	uint64_t	mask = cuckoo_slot_mask(search->layer);

	for (;;)
	{
		bool		is_first = before_of(step) == NO_STEP;
		uint64_t	fingerprint = is_first ? search->fingerprint : (load_slots(search, from_of(step)) & mask) >> 1;
		uint64_t	bit = search->first_bit + (uint64_t) slot * search->layer->slot_bits;
		uint8_t    *bytes = search->layer->slots + (bit >> 3);
		uint64_t	entry = fingerprint << 1 | (slot - start_of(step));

		store_le64(bytes, (load_le64(bytes) & ~(mask << (bit & 7))) | entry << (bit & 7));
		if (is_first)
			return;
		slot = from_of(step);
		step = search->step[before_of(step)];
	}
}

/* Take the first step, of those from `read` to `end`, whose window has a free slot; false if there is none. */
static FILTER_NOINLINE bool
take_first(const Search *search, uint32_t read, uint32_t end)
{
	for (; read < end; read++)
	{
		uint32_t	start = start_of(search->step[read]);
		uint64_t	free = cuckoo_first_zero_slot(search->layer, load_slots(search, start));
		uint32_t	slot = start + ((free & cuckoo_slot_mask(search->layer)) == 0);

		if (free != 0 && can_be_taken(search, read, slot))
		{
			take(search, search->step[read], slot);
			return true;
		}
	}
	return false;
}

/* Whether any of GROUP steps has a window with a free slot. No branch depends on which, nor on how many there are. */
FILTER_ALWAYS_INLINE bool
group_has_free_slot(const Search *search, uint32_t read)
{
	uint64_t	free = 0;

	for (uint32_t i = 0; i < GROUP; i++)
		free |= cuckoo_first_zero_slot(search->layer, load_slots(search, start_of(search->step[read + i])));
	return free != 0;
}

/* In a crowded layer: drop an entry of a step's window that needs no slot, since it is covered; false if none is. */
static FILTER_NOINLINE bool
take_covered(const Search *search, uint32_t at)
{
	const CuckooLayer *layer = search->layer;
	uint32_t	start = start_of(search->step[at]);

	for (uint32_t slot = start; slot < start + 2; slot++)
	{
		uint32_t	entry = (uint32_t) (load_slots(search, slot) & cuckoo_slot_mask(layer));
		CuckooPlace place = {search->first_bit, {0, 0}, 1};
		uint32_t	half,
					own;

		if (!cuckoo_window_of_entry(layer, slot, entry, &half, &own))
			continue;
		place.window[0] = half == 0 ? own : cuckoo_other_window(layer, own, entry >> 1);
		if (cuckoo_place_is_covered(layer, &place) && can_be_taken(search, at, slot))
		{
			take(search, search->step[at], slot);
			return true;
		}
	}
	return false;
}

/*
 * Add the steps that would free a slot in the window of a step: to the other windows of the entries there; returns the
 * new number of steps.
 *
 * An entry may belong to a window that overlaps with this one, and can then move within it. The entry in the slot that
 * the step before would fill is not the one that is there now. Neither can be predicted, so each step is written first,
 * and then counted or not.
 */
FILTER_ALWAYS_INLINE uint32_t
add_further_steps(Search *search, uint32_t at, uint32_t end, bool prefetch)
{
	const CuckooLayer layer = *search->layer;	/* a copy, which storing a step cannot change */
	uint32_t	start = start_of(search->step[at]);
	uint32_t	from = from_of(search->step[at]);
	uint32_t	upper_start = cuckoo_window_slot(&layer, 1, 0);
	uint32_t	half_start = start >= upper_start ? upper_start : 0;
	uint64_t	entries = load_slots(search, start);

	for (uint32_t slot = start; slot < start + 2; slot++, entries >>= layer.slot_bits)
	{
		uint32_t	entry = (uint32_t) (entries & cuckoo_slot_mask(&layer));
		uint32_t	own_start = slot - (entry & 1);
		uint32_t	own = own_start - half_start;
		uint32_t	other_start;

		if (!cuckoo_is_entry_of_window(&layer, entry, own))
			continue;
		other_start = upper_start - half_start + cuckoo_other_window(&layer, own, entry >> 1);
		search->step[end] = make_step(own_start, slot, at);
		end += (own_start != start) & (slot != from);
		search->step[end] = make_step(other_start, slot, at);
		end += slot != from;
		if (prefetch)
			filter_prefetch(layer.slots + ((search->first_bit + (uint64_t) other_start * layer.slot_bits) >> 3));
	}
	return end;
}

/*
 * cuckoo_add, if the place has no free slot: find the shortest sequence of moves that ends in a free slot or in the slot
 * of a covered entry, breadth first. The result depends only on the slots, so it is the same everywhere. is_cached:
 * whether the page is likely to be in the cache. The steps take up 32 kB of the stack.
 */
FILTER_ALWAYS_INLINE FilterStatus
add_by_search(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps, bool is_cached)
{
	Search		search;
	uint64_t	useful_steps = cuckoo_page_slots(layer) * STEPS_PER_SLOT;
	uint32_t	ahead = is_cached ? 0 : STEPS_AHEAD;
	uint32_t	end = 2;
	uint32_t	read = 2;		/* the first two windows are known to be full */

	search.layer = layer;
	search.fingerprint = place->fingerprint;
	search.first_bit = place->first_bit;
	for (uint32_t half = 0; half < 2; half++)
	{
		uint32_t	start = cuckoo_window_slot(layer, half, place->window[half]);

		search.step[half] = make_step(start, start + 2, NO_STEP);
	}
	if (useful_steps < max_steps)
		max_steps = (uint32_t) useful_steps;
	for (uint32_t at = 0; at < end && end + MAX_FURTHER <= max_steps; at++)
	{
		if (layer->crowded && take_covered(&search, at))
			return FILTER_OK;
		end = add_further_steps(&search, at, end, !is_cached);
		if (end - read < GROUP + ahead)
			continue;
		if (group_has_free_slot(&search, read) && take_first(&search, read, read + GROUP))
			return FILTER_OK;
		read += GROUP;
	}
	return take_first(&search, read, end) ? FILTER_OK : FILTER_FULL;
}

FILTER_FOR_CPU(static, FilterStatus, add_to_full, add_by_search,
			   (const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps, bool is_cached),
			   (layer, place, max_steps, is_cached))

FilterStatus
cuckoo_add(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps)
{
	if (cuckoo_place_is_covered(layer, place) || cuckoo_put(layer, place) ||
		cuckoo_count(layer, place) == CUCKOO_STICKY_COUNT)
		return FILTER_OK;
	return add_to_full(layer, place, max_steps, false);
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
			if (add_to_full(layer, &place, max_steps, true) != FILTER_OK)
				return i;
		}
	return count;
}

FILTER_FOR_CPU(extern, size_t, cuckoo_add_in_order, add_in_order,
			   (const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t max_steps),
			   (layer, hashes, count, max_steps))
