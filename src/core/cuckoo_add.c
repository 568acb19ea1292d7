/*
 * Adding entries to a cuckoo layer. If both windows of a value are full, other entries have to move.
 */
#include "core/cuckoo_stash.h"

#include "core/pause.h"

#include <string.h>

/* A search in a small page soon revisits the same slots; more steps per slot never found a free one. */
#define STEPS_PER_SLOT 8

/*
 * The number of windows that a search prefetches before it reads the first of them, so that several cache misses
 * overlap. A random walk, which waits for each window in turn, takes several times as long in a large, nearly full layer.
 */
#define STEPS_AHEAD 6

/*
 * A step of a search would move the entry in the slot `from` to a window. The first two steps would put the new entry into its
 * own windows. A step is packed into a word, since a search mostly writes steps and seldom reads them all:
 *
 *     start << 32 | from << 16 | before
 *
 * start: the window's first slot in the page; before: the step for which `from` would become free, NO_STEP for the first two.
 * Their `from` is a slot outside their windows.
 */
typedef uint64_t Step;

#define NO_STEP		UINT16_MAX
#define GROUP		3			/* steps whose windows are read at once */
#define MAX_FURTHER 4			/* steps that follow one: each of two entries to its own and its other window */

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

/* The slot in the page that begins at a bit, and the slot after it, in the low bits. */
static inline uint64_t
load_slots_of_page(const CuckooLayer *layer, uint64_t first_bit, uint32_t slot)
{
	return cuckoo_load_bits(layer, first_bit + (uint64_t) slot * layer->slot_bits);
}

static inline uint64_t
load_slots(const Search *search, uint32_t slot)
{
	return load_slots_of_page(search->layer, search->first_bit, slot);
}

/*
 * Whether the steps that lead to this one can be applied: they must free different slots, none of which is `slot`. Steps that
 * cannot be applied are rare, so the search does not avoid them, except the most frequent kind: see add_further_steps.
 */
static bool
can_be_applied(const Search *search, uint32_t at, uint32_t slot)
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

/* Set the counter of a slot of the page to the counter of the slot that its entry comes from, or to 0 if it is new. */
static void
move_counter(const Search *search, uint32_t slot, bool is_new, uint32_t from)
{
	uint64_t	first = search->first_bit / search->layer->slot_bits;

	cuckoo_set_counter(search->layer, first + slot, is_new ? 0 : cuckoo_counter(search->layer, first + from));
}

/* Move the entries of a step, and of all that lead to it, each to the slot that the next one frees. */
static void
cuckoo_apply(const Search *search, Step step, uint32_t slot)
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
		if (search->layer->counted)
			move_counter(search, slot, is_first, from_of(step));
		if (is_first)
			return;
		slot = from_of(step);
		step = search->step[before_of(step)];
	}
}

/* Apply the first step between `read` and `end` whose window has a free slot; false if there is none. */
static FILTER_NOINLINE bool
apply_first(const Search *search, uint32_t read, uint32_t end)
{
	for (; read < end; read++)
	{
		uint32_t	start = start_of(search->step[read]);
		uint64_t	free = cuckoo_first_zero_slot(search->layer, load_slots(search, start));
		uint32_t	slot = start + ((free & cuckoo_slot_mask(search->layer)) == 0);

		if (free != 0 && can_be_applied(search, read, slot))
		{
			cuckoo_apply(search, search->step[read], slot);
			return true;
		}
	}
	return false;
}

/*
 * Add the steps that would free a slot in the window of a step, by moving the entries there to their other windows. If
 * is_cached, returns whether any of these windows has a free slot; otherwise prefetches them.
 *
 * An entry may belong to a window that overlaps with this one, and can then move within it. The slot that the step before
 * would fill has another entry by then. Neither case can be predicted, so each step is written first, and then counted or not.
 */
FILTER_ALWAYS_INLINE bool
add_further_steps(Search *search, uint32_t at, uint32_t *end, bool is_cached)
{
	const CuckooLayer layer = *search->layer;	/* a copy, which storing a step cannot change */
	uint64_t	first_bit = search->first_bit;
	uint32_t	start = start_of(search->step[at]);
	uint32_t	from = from_of(search->step[at]);
	uint32_t	upper_start = cuckoo_window_slot(&layer, 1, 0);
	uint32_t	half_start = start >= upper_start ? upper_start : 0;
	uint64_t	entries = load_slots_of_page(&layer, first_bit, start);
	uint64_t	free = 0;

	for (uint32_t slot = start; slot < start + 2; slot++, entries >>= layer.slot_bits)
	{
		uint32_t	entry = (uint32_t) (entries & cuckoo_slot_mask(&layer));
		uint32_t	own_start = slot - (entry & 1);
		uint32_t	own = own_start - half_start;
		uint32_t	other_start;

		if (!cuckoo_is_entry_of_window(&layer, entry, own))
			continue;
		other_start = upper_start - half_start + cuckoo_other_window(&layer, own, entry >> 1);
		search->step[*end] = make_step(own_start, slot, at);
		*end += (own_start != start) & (slot != from);
		search->step[*end] = make_step(other_start, slot, at);
		*end += slot != from;
		if (is_cached)
			free |= cuckoo_first_zero_slot(&layer, load_slots_of_page(&layer, first_bit, own_start)) |
				cuckoo_first_zero_slot(&layer, load_slots_of_page(&layer, first_bit, other_start));
		else
			filter_prefetch(layer.slots + ((first_bit + (uint64_t) other_start * layer.slot_bits) >> 3));
	}
	return free != 0;
}

/*
 * A search, for a position that has no free slot, finds the shortest sequence of moves that ends in a free slot, breadth first.
 * The result depends only on the slots, so it is the same everywhere. The steps take up 32 kB of the stack.
 */
static inline void
begin_search(Search *search, const CuckooLayer *layer, const CuckooPosition *position)
{
	search->layer = layer;
	search->fingerprint = position->fingerprint;
	search->first_bit = position->first_bit;
	for (uint32_t half = 0; half < 2; half++)
	{
		uint32_t	start = cuckoo_window_slot(layer, half, position->window[half]);

		search->step[half] = make_step(start, start + 2, NO_STEP);
	}
}

static inline uint32_t
most_steps(const CuckooLayer *layer)
{
	uint64_t	useful = cuckoo_page_slots(layer) * STEPS_PER_SLOT;

	return useful < CUCKOO_MAX_STEPS ? (uint32_t) useful : CUCKOO_MAX_STEPS;
}

/* If the page is likely to be in the cache, a search examines windows as soon as there are steps to them. */
FILTER_ALWAYS_INLINE FilterStatus
search_cached(const CuckooLayer *layer, const CuckooPosition *position)
{
	Search		search;
	uint32_t	max_steps = most_steps(layer);
	uint32_t	end = 2;

	begin_search(&search, layer, position);
	for (uint32_t at = 0; at < end && end + MAX_FURTHER <= max_steps; at++)
	{
		uint32_t	first = end;

		if (add_further_steps(&search, at, &end, true) && apply_first(&search, first, end))
			return FILTER_OK;
	}
	return FILTER_FULL;
}

/* If the page is not likely to be in the cache, a search prefetches windows, and examines them later, in groups. */
FILTER_ALWAYS_INLINE FilterStatus
search_far(const CuckooLayer *layer, const CuckooPosition *position)
{
	Search		search;
	uint32_t	max_steps = most_steps(layer);
	uint32_t	end = 2;
	uint32_t	read = 2;		/* the first two windows are known to be full */

	begin_search(&search, layer, position);
	for (uint32_t at = 0; at < end && end + MAX_FURTHER <= max_steps; at++)
	{
		(void) add_further_steps(&search, at, &end, false);
		if (end - read < GROUP + STEPS_AHEAD)
			continue;
		if (apply_first(&search, read, read + GROUP))
			return FILTER_OK;
		read += GROUP;
	}
	return apply_first(&search, read, end) ? FILTER_OK : FILTER_FULL;
}

FILTER_FOR_CPU(static, FilterStatus, add_to_full, search_far,
			   (const CuckooLayer *layer, const CuckooPosition *position),
			   (layer, position))
FilterStatus
cuckoo_add(const CuckooLayer *layer, const CuckooPosition *position)
{
	if (cuckoo_put(layer, position) || add_to_full(layer, position) == FILTER_OK)
		return FILTER_OK;
	return cuckoo_stash_add(layer, position) ? FILTER_OK : FILTER_FULL;
}

/*
 * Adding in order.
 *
 * The hashes are added in runs of one page. First, every hash of a run that finds a free slot is added, without a branch that
 * depends on whether it does; the others are marked. They are added by searches at the end of the run, because searches in
 * between would need more searches.
 */

/* A run also ends where these leading bits of the hashes change, so that a caller can divide the hashes there. */
#define RUN_SHIFT		(64 - CUCKOO_RUN_BITS)
#define RUN_HASHES		CUCKOO_PAGE_SLOTS
#define RUN_PARTS		8

static size_t
run_length(const CuckooLayer *layer, const uint64_t *hashes, size_t count)
{
	size_t		low = 0,
				high = count < RUN_HASHES ? count : RUN_HASHES;
	uint64_t	page = multiply_high(hashes[0], layer->pages);

	while (low < high)
	{
		size_t		middle = (low + high) / 2;

		if (multiply_high(hashes[middle], layer->pages) != page || (hashes[middle] ^ hashes[0]) >> RUN_SHIFT != 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * Add the hashes that find a free slot, and mark the others, a bit for each.
 *
 * The hashes of a run ascend, and with them their lower windows. A load of bytes that overlap with those of a store just
 * before has to wait for it, so hashes are added from several parts of the run in turn.
 */
FILTER_ALWAYS_INLINE void
put_run(const CuckooLayer *shared, const uint64_t *hashes, size_t count, uint64_t *marks)
{
	const CuckooLayer layer = *shared;	/* a copy, which storing an entry cannot change */
	size_t		part = (count + RUN_PARTS - 1) / RUN_PARTS;

	memset(marks, 0, (count + 63) / 64 * sizeof(uint64_t));
	for (size_t first = 0; first < part; first++)
		for (size_t i = first; i < count; i += part)
		{
			CuckooPosition position = cuckoo_position(&layer, hashes[i]);
			uint64_t	bit,
						free;

			free = cuckoo_find_slot(&layer, &position, 0, &bit);
			cuckoo_store_in_window(&layer, bit, cuckoo_entry_for_slot(&layer, &position, free));
			marks[i / 64] |= (uint64_t) (free == 0) << (i % 64);
		}
}

FILTER_FOR_CPU(static, void, put_all, put_run,
			   (const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint64_t *marks),
			   (layer, hashes, count, marks))

FILTER_ALWAYS_INLINE FilterStatus
search_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count, const uint64_t *marks)
{
	size_t		words = (count + 63) / 64;

	for (size_t word = 0; word < words;)
		for (size_t end = filter_stride(word, words, FILTER_STRIDE_ADDITIONS / 64); word < end; word++)
			for (uint64_t left = marks[word]; left != 0; left &= left - 1)
			{
				CuckooPosition position = cuckoo_position(layer, hashes[word * 64 + filter_lowest_bit(left)]);

				if (search_cached(layer, &position) != FILTER_OK && !cuckoo_stash_add(layer, &position))
					return FILTER_FULL;
			}
	return FILTER_OK;
}

FILTER_FOR_CPU(static, FilterStatus, add_marked, search_run,
			   (const CuckooLayer *layer, const uint64_t *hashes, size_t count, const uint64_t *marks),
			   (layer, hashes, count, marks))

FilterStatus
cuckoo_add_in_order(const CuckooLayer *layer, const uint64_t *hashes, size_t count)
{
	uint64_t	marks[RUN_HASHES / 64];
	size_t		next_pause = 0,
				run;

	for (size_t i = 0; i < count; i += run)
	{
		if (i >= next_pause)
			next_pause = filter_stride(i, count, FILTER_STRIDE_ADDITIONS);
		run = run_length(layer, hashes + i, count - i);
		put_all(layer, hashes + i, run, marks);
		if (add_marked(layer, hashes + i, run, marks) != FILTER_OK)
			return FILTER_FULL;
	}
	return FILTER_OK;
}
