/*
 * One layer of a cuckoo filter with overlapping windows (Schmitz, Zentgraf, Rahmann, "Smaller and More Flexible Cuckoo
 * Filters", 2025), and with a stash (Kirsch, Mitzenmacher, Wieder, "More Robust Hashing: Cuckoo Hashing with a Stash", 2009).
 *
 * The layer is cut into pages of at most CUCKOO_PAGE_SLOTS slots, each cut into two halves. A half of w + 1 slots has w
 * windows of two neighbouring slots, which overlap. A value belongs to one page, one window of its lower half and one
 * of its upper half, so it always has four different slots. A slot holds an entry,
 *
 *     fingerprint << 1 | offset,    offset: 0 in the first slot of its window, 1 in the second;    0: empty,
 *
 * so an entry determines its window, and the other window follows from that and the fingerprint.
 *
 * Values with the same page, windows and fingerprint are one class: the layer cannot distinguish them. It counts how
 * often values of a class were added: by entries, of which a class has at most four, and by counters if the layer has them, half
 * a byte for each slot, for the copies beyond the first. A class that was added more than CUCKOO_MAX_COUNT times is
 * permanent: nobody knows how often, so it is never removed.
 *
 * Hashes can be chosen so that more classes share the same windows than the windows have slots, in a layer of any size.
 * The stash is a sorted list of classes that found no slot. Other layers, nearly all, have none.
 *
 * The caller owns the memory of a layer and has checked its geometry with cuckoo_geometry_is_valid. Every function is
 * safe on any content; cuckoo_content_is_valid checks it.
 */
#ifndef FILTER_CUCKOO_H
#define FILTER_CUCKOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/cpu.h"
#include "core/status.h"

#define CUCKOO_PAGE_SLOTS		65536
#define CUCKOO_MIN_SLOT_BITS	6	/* narrower fingerprints have too few alternates to fill a page */
#define CUCKOO_MAX_SLOT_BITS	32
#define CUCKOO_MAX_ENTRIES		4	/* of a class: its slots */
#define CUCKOO_MAX_COUNT		15	/* the copies of a class that are counted */
#define CUCKOO_PERMANENT		16	/* the count of a class that had more */
#define CUCKOO_WINDOW_BYTES		8	/* enough for any window */
#define CUCKOO_TAIL_BYTES		7	/* zero bytes after the slots, so that a window is always one 8-byte load */

typedef struct CuckooLayer
{
	uint32_t	pages;
	uint32_t	windows;		/* windows in half a page, 1 .. CUCKOO_PAGE_SLOTS / 2 - 1 */
	uint32_t	slot_bits;
	bool		counted;		/* whether it has counters */
	uint32_t	stash_room;		/* in classes; 0: it has no stash */
	uint8_t    *slots;			/* packed bit by bit, little-endian, then CUCKOO_TAIL_BYTES, the counters, the stash */

	/* What every lookup would otherwise compute from the geometry. */
	uint64_t	page_bits;		/* length of a page */
	uint64_t	half_bits;		/* length of half a page */
	uint64_t	lowest_bits;	/* the lowest bit of each slot of a window */
	uint64_t	topmost_bits;	/* the topmost bit of each */
	uint32_t	fingerprint_shift;	/* of the lower half of a hash */
} CuckooLayer;

/* A value's place in one layer. */
typedef struct CuckooPlace
{
	uint64_t	first_bit;		/* of the page, in the layer */
	uint32_t	window[2];		/* in the lower and the upper half */
	uint32_t	fingerprint;	/* 1 .. 2^(slot_bits - 1) - 1 */
} CuckooPlace;

/* A layer of a geometry that is valid. `slots` may be null if only its size is of interest. */
static inline CuckooLayer
cuckoo_layer(uint32_t pages, uint32_t windows, uint32_t slot_bits, bool counted, uint32_t stash_room, uint8_t *slots)
{
	uint64_t	half_bits = ((uint64_t) windows + 1) * slot_bits;
	uint64_t	lowest_bits = UINT64_C(1) | UINT64_C(1) << slot_bits;
	CuckooLayer layer = {pages, windows, slot_bits, counted, stash_room, slots,
		2 * half_bits, half_bits, lowest_bits, lowest_bits << (slot_bits - 1), 33 - slot_bits};

	return layer;
}

/* Slot widths are CUCKOO_MIN_SLOT_BITS to 28, and 32: those for which two slots fit an unaligned 8-byte load. */
extern bool cuckoo_geometry_is_valid(uint32_t pages, uint32_t windows, uint32_t slot_bits);

typedef struct CuckooGeometry
{
	uint32_t	pages;
	uint32_t	windows;
	uint32_t	slot_bits;
} CuckooGeometry;

/*
 * The expected false positive rate of a layer that holds `entries` entries. A lookup compares its fingerprint with
 * the entries of two windows: entries / (2 * pages * windows) of them per window on average, and at most four in
 * both.
 */
extern double cuckoo_rate(const CuckooGeometry *geometry, double entries);

/*
 * The smallest geometry that holds capacity entries (1 or more) at or below the rate (above 0, below 1). A rate below
 * that of the widest slot (about 9e-10) results in the widest slot. FILTER_TOO_LARGE if it needs more pages than a
 * layer can have; *bytes is set to the size in either case.
 */
extern FilterStatus cuckoo_choose_geometry(uint64_t capacity, double rate, CuckooGeometry *geometry, double *bytes);

/* The geometry with about 2% more windows, and at least one more: the next to try if a value found no place. */
extern FilterStatus cuckoo_enlarge_geometry(CuckooGeometry *geometry, double *bytes);

/*
 * The geometry for twice the capacity of `from`. Its windows are a whole multiple of those of `from`, so that its
 * entries can later be folded into that layer.
 */
extern FilterStatus cuckoo_double_geometry(const CuckooGeometry *from, uint64_t capacity, double rate,
										   CuckooGeometry *geometry, double *bytes);

/* Whether additions can have made the content. is_set: counts in the stash are at most one. O(size). */
extern bool cuckoo_content_is_valid(const CuckooLayer *layer, bool is_set);

/* The number of entries, with those in the stash; and of the copies that they stand for beyond the first of each. */
extern uint64_t cuckoo_entries(const CuckooLayer *layer);
extern uint64_t cuckoo_further_copies(const CuckooLayer *layer);

/* The number of copies of the class at a place: 0 .. CUCKOO_MAX_COUNT, or CUCKOO_PERMANENT. */
extern unsigned cuckoo_count(const CuckooLayer *layer, const CuckooPlace *place);

/* Remove one copy of the class at a place; false, and no change, if there is none or the class is permanent. */
extern bool cuckoo_remove(const CuckooLayer *layer, const CuckooPlace *place);

/* Count further copies of a class that has a counter, if only in the stash; false, with no change, if it has none. */
extern bool cuckoo_count_up(const CuckooLayer *layer, const CuckooPlace *place, unsigned copies);

/*
 * The limit of a search for a slot, in the windows it visits. At a load of 0.935 a search visits 50 windows on average;
 * a limit of 512 leaves 600 of ten million values without a place, and this one none (test/bench/bench_load).
 */
#define CUCKOO_MAX_STEPS		4096

/*
 * Add one entry at a place, with a counter of 0, or to the stash if a search that moves others finds no place. FILTER_FULL if that
 * has no room; the layer is then unchanged.
 */
extern FilterStatus cuckoo_add(const CuckooLayer *layer, const CuckooPlace *place);

/*
 * Add many entries, given their hashes in ascending order. The result does not depend on how they are divided among
 * calls, provided that all hashes whose leading CUCKOO_RUN_BITS agree are passed in one. FILTER_FULL if one finds no
 * place, not in the stash either, after which some of the others have been added. Pauses.
 */
#define CUCKOO_RUN_BITS			6

extern FilterStatus cuckoo_add_in_order(const CuckooLayer *layer, const uint64_t *hashes, size_t count);

/* Merge the entries of each class into one, which counts them if the layer has counters. */
extern void cuckoo_merge_copies(const CuckooLayer *layer);

/* An estimate of the number of entries beyond the first of their class in one of every `step` slots. */
extern double cuckoo_sample_copies(const CuckooLayer *layer, uint32_t step);

/*
 * Whether source refines target, that is, whether the class of a value in source determines its class in target:
 * source's windows are a whole multiple of target's, and its fingerprints are no shorter. Depends on the geometries
 * only.
 */
extern bool cuckoo_can_fold(const CuckooLayer *target, const CuckooLayer *source);

/*
 * Move up to `room` entries from source to target, with their copies; requires cuckoo_can_fold. Those that find no place stay, as do
 * those whose copies target cannot count. Copies of a class that target has are counted there if it has a counter, in any number;
 * as a set, they are dropped.
 */
extern void cuckoo_move(const CuckooLayer *target, const CuckooLayer *source, bool as_set, uint64_t room);

/*
 * The stash: u64 words at any alignment, the number used, then a word for each class, in ascending order, then zeroes.
 *
 *     (page * windows + lower window) << (slot_bits + 3) | fingerprint << 4 | counter
 *
 * A layer that fits an image has so few windows that this is less than 2^61. Without a stash, it is empty and full.
 */

/* The number of classes; and the word of one. */
extern uint32_t cuckoo_stash_used(const CuckooLayer *layer);
extern uint64_t cuckoo_stash_get(const CuckooLayer *layer, uint32_t index);
extern void cuckoo_stash_set(const CuckooLayer *layer, uint32_t index, uint64_t word);

/* Whether the stash has the class at a place; *index is set to its index, or to where it would be inserted. */
extern bool cuckoo_stash_find(const CuckooLayer *layer, const CuckooPlace *place, uint32_t *index);

/* Insert the class at a place, or count another copy if it is there. False, with no change, if there is no room. */
extern bool cuckoo_stash_add(const CuckooLayer *layer, const CuckooPlace *place);

extern void cuckoo_stash_remove(const CuckooLayer *layer, uint32_t index);

/* Remove all but the first `used` classes. */
extern void cuckoo_stash_truncate(const CuckooLayer *layer, uint32_t used);

/* Whether it has room for as many classes as it says; and whether additions can have made all of its content. */
extern bool cuckoo_stash_is_complete(const CuckooLayer *layer);
extern bool cuckoo_stash_is_valid(const CuckooLayer *layer, bool is_set);

/*
 * Operations by many hashes on the slots alone, of a layer that has neither counters nor a stash. Each chooses, in its call, the code for the CPU.
 */

/* The function for cuckoo_contains, one hash at a time. */
extern LayerLookup cuckoo_lookup(void);

/* The index of the first hash for which cuckoo_contains is not `wanted`; count if there is none. Prefetches. */
extern size_t cuckoo_contains_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count, bool wanted);

/*
 * Write the indexes of the hashes that the layer contains, in ascending order; returns their number. `index` has room
 * for `count`. Prefetches, but does not pause.
 */
extern size_t cuckoo_contained(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);

/* Add one entry for each hash, until one finds no slot; returns how many that were. Prefetches. */
extern size_t cuckoo_add_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count);

/* Remove one entry for each hash, where that is possible; returns how many that were. Prefetches. */
extern size_t cuckoo_remove_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count);

/*
 * Lookups, additions that move no entry, and removals, inline: they take a few nanoseconds, so the cost of a call would
 * be noticeable. Unless stated otherwise, none has a branch that depends on which slot is free or matches, since that
 * cannot be predicted. They are always inlined, so that each variant of a function that calls them is compiled with the
 * instructions of its CPU.
 */

static inline uint64_t
cuckoo_page_slots(const CuckooLayer *layer)
{
	return 2 * ((uint64_t) layer->windows + 1);
}

static inline uint64_t
cuckoo_slots(const CuckooLayer *layer)
{
	return layer->pages * cuckoo_page_slots(layer);
}

/* The number of bytes of the slots, with the tail. */
static inline uint64_t
cuckoo_slot_bytes(const CuckooLayer *layer)
{
	return (cuckoo_slots(layer) * layer->slot_bits + 7) / 8 + CUCKOO_TAIL_BYTES;
}

/* The number of bytes of the slots and the counters; and of the whole layer. */
static inline uint64_t
cuckoo_counted_bytes(const CuckooLayer *layer)
{
	return cuckoo_slot_bytes(layer) + (layer->counted ? cuckoo_slots(layer) / 2 : 0);
}

static inline uint64_t
cuckoo_bytes(const CuckooLayer *layer)
{
	return cuckoo_counted_bytes(layer) + (layer->stash_room > 0 ? 8 * (1 + (uint64_t) layer->stash_room) : 0);
}

static inline uint64_t
cuckoo_slot_mask(const CuckooLayer *layer)
{
	return layer->lowest_bits - 2;
}

/* At least 57 bits of the slots, from a bit on. */
static inline uint64_t
cuckoo_load_bits(const CuckooLayer *layer, uint64_t bit)
{
	return load_le64(layer->slots + (bit >> 3)) >> (bit & 7);
}

/* The entry in a slot of the layer. */
static inline uint32_t
cuckoo_load_entry(const CuckooLayer *layer, uint64_t slot)
{
	return (uint32_t) (cuckoo_load_bits(layer, slot * layer->slot_bits) & cuckoo_slot_mask(layer));
}

/* The index in the page of a window's first slot. */
static inline uint32_t
cuckoo_window_slot(const CuckooLayer *layer, uint32_t half, uint32_t window)
{
	return half * (layer->windows + 1) + window;
}

/*
 * The window in the other half. The sum of both windows, modulo the number of windows, depends on the fingerprint
 * alone, so the function is its own inverse. Part of the image format.
 *
 * A search reaches other windows by the differences between these sums, so there must be many of them. Multiples of a
 * constant are evenly spread, but have few differences (495 for fingerprints of 7 bits, where random numbers have
 * 12,737), and layers of narrow slots then cannot be filled. With the shift there are 12,639. The multiplier is one of
 * MurmurHash3's.
 */
static inline uint32_t
cuckoo_other_window(const CuckooLayer *layer, uint32_t window, uint32_t fingerprint)
{
	uint32_t	mixed = fingerprint * UINT32_C(0xc2b2ae35);
	uint32_t	sum;

	mixed ^= mixed << 15;
	sum = (uint32_t) (((uint64_t) mixed * layer->windows) >> 32);
	return sum - window + (sum < window ? layer->windows : 0);
}

/*
 * Whether a slot has an entry of this window. False for an empty slot, and for an entry that insertion cannot have made,
 * which only a damaged image has. A search moves neither.
 */
static inline bool
cuckoo_is_entry_of_window(const CuckooLayer *layer, uint32_t entry, uint32_t window)
{
	return window < layer->windows && entry > 1;
}

/* The half and the window of it that the entry in a slot of a page belongs to; false if that is not such an entry. */
static inline bool
cuckoo_window_of_entry(const CuckooLayer *layer, uint32_t slot, uint32_t entry, uint32_t *half, uint32_t *window)
{
	*half = slot > layer->windows;
	*window = slot - *half * (layer->windows + 1) - (entry & 1);
	return cuckoo_is_entry_of_window(layer, entry, *window);
}

FILTER_ALWAYS_INLINE CuckooPlace
cuckoo_place(const CuckooLayer *layer, uint64_t hash)
{
	CuckooPlace place;
	uint64_t	in_page;		/* the remainder of the scaling to pages, so both are monotonic in the hash */
	uint64_t	page = multiply_wide(hash, layer->pages, &in_page);

	place.first_bit = page * layer->page_bits;
	place.window[0] = (uint32_t) multiply_high(in_page, layer->windows);
	/* The leading bits, so that a shorter fingerprint of a value is a prefix of a longer one: see cuckoo_fold. */
	place.fingerprint = (uint32_t) hash >> layer->fingerprint_shift;
	place.fingerprint += place.fingerprint == 0;
	place.window[1] = cuckoo_other_window(layer, place.window[0], place.fingerprint);
	return place;
}

static inline uint64_t
cuckoo_window_bit(const CuckooLayer *layer, const CuckooPlace *place, uint32_t half)
{
	return place->first_bit + half * layer->half_bits + (uint64_t) place->window[half] * layer->slot_bits;
}

/* The byte offset of a window in the layer. The window lies within CUCKOO_WINDOW_BYTES from there. */
static inline uint64_t
cuckoo_window_offset(const CuckooLayer *layer, const CuckooPlace *place, uint32_t half)
{
	return cuckoo_window_bit(layer, place, half) >> 3;
}

/* Prefetch a window of a place. is_far: the layer is of FILTER_FAR_BYTES or more. It must be a constant. */
FILTER_ALWAYS_INLINE void
cuckoo_prefetch_window(const CuckooLayer *layer, bool is_far, const CuckooPlace *place, uint32_t half)
{
	const uint8_t *window = layer->slots + cuckoo_window_offset(layer, place, half);

	/*
	 * A ninth of the windows are on two cache lines. Without the second, a lookup in a large filter takes longer. But
	 * there, a prefetch of the same line again takes longer than a branch, and in a small filter less.
	 */
	filter_prefetch_from(is_far, window);
	if (!is_far || (uintptr_t) window % FILTER_CACHE_LINE_BYTES > FILTER_CACHE_LINE_BYTES - CUCKOO_WINDOW_BYTES)
		filter_prefetch_from(is_far, window + CUCKOO_WINDOW_BYTES - 1);
}

/* Prefetch both windows of a hash; returns its place. */
FILTER_ALWAYS_INLINE CuckooPlace
cuckoo_prefetch(const CuckooLayer *layer, bool is_far, uint64_t hash)
{
	CuckooPlace place = cuckoo_place(layer, hash);

	cuckoo_prefetch_window(layer, is_far, &place, 0);
	cuckoo_prefetch_window(layer, is_far, &place, 1);
	return place;
}

/* The entries of a class in both slots of a window. */
static inline uint64_t
cuckoo_entries_of_class(const CuckooLayer *layer, const CuckooPlace *place)
{
	/* The offset is set in both slots of the product, but must not be in the first. */
	return ((uint64_t) place->fingerprint << 1 | 1) * layer->lowest_bits - 1;
}

/*
 * The topmost bit of the first zero slot of a window. If that is the first of its two slots, the topmost bit of the
 * second may be set, too: subtracting 1 from both at once borrows into the topmost bit of a slot that was zero, and
 * into that of another only if the slot below it was zero (Mycroft's test).
 */
static inline uint64_t
cuckoo_first_zero_slot(const CuckooLayer *layer, uint64_t window)
{
	return (window - layer->lowest_bits) & ~window & layer->topmost_bits;
}

/* The topmost bit of each zero slot of a window. All other bits are clear. */
static inline uint64_t
cuckoo_zero_slots(const CuckooLayer *layer, uint64_t window)
{
	uint64_t	top = layer->topmost_bits;

	/* Adding the largest number without a topmost bit carries into it unless the rest of the slot is zero. */
	return ~(((window & ~top) + ~top) | window) & top;
}

/*
 * Whether one of two windows has an entry of a class: a slot that XOR makes zero is one.
 *
 * Without branches, since the matching slot cannot be predicted.
 */
FILTER_ALWAYS_INLINE bool
cuckoo_either_contains(const CuckooLayer *layer, const CuckooPlace *place, uint64_t lower, uint64_t upper)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, place);

	return (cuckoo_first_zero_slot(layer, lower ^ entries) | cuckoo_first_zero_slot(layer, upper ^ entries)) != 0;
}

FILTER_ALWAYS_INLINE bool
cuckoo_place_contains(const CuckooLayer *layer, const CuckooPlace *place)
{
	return cuckoo_either_contains(layer, place, cuckoo_load_bits(layer, cuckoo_window_bit(layer, place, 0)),
								  cuckoo_load_bits(layer, cuckoo_window_bit(layer, place, 1)));
}

/* The same, given the bytes of the two windows. */
static inline bool
cuckoo_windows_contain(const CuckooLayer *layer, const CuckooPlace *place, const uint8_t *const windows[2])
{
	return cuckoo_either_contains(layer, place, load_le64(windows[0]) >> (cuckoo_window_bit(layer, place, 0) & 7),
								  load_le64(windows[1]) >> (cuckoo_window_bit(layer, place, 1) & 7));
}

/* Whether the layer has a class, in slots or in the stash. */
static inline bool
cuckoo_has_class(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint32_t	index;

	return cuckoo_place_contains(layer, place) || (layer->stash_room > 0 && cuckoo_stash_find(layer, place, &index));
}

/* Whether the slots have the class of a hash. */
static inline bool
cuckoo_contains(const CuckooLayer *layer, uint64_t hash)
{
	CuckooPlace place = cuckoo_place(layer, hash);

	return cuckoo_place_contains(layer, &place);
}

/*
 * Which of the four slots of a place have an entry of its class: bit 0 and 1 for the lower window, 2 and 3 for the upper one.
 */
static inline unsigned
cuckoo_matches(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, place);
	unsigned	matches = 0;

	for (uint32_t half = 0; half < 2; half++)
	{
		uint64_t	window = cuckoo_load_bits(layer, cuckoo_window_bit(layer, place, half));
		uint64_t	found = cuckoo_zero_slots(layer, window ^ entries);

		matches |= (unsigned) (found >> (layer->slot_bits - 1) & 1) << (2 * half);
		matches |= (unsigned) (found >> (2 * layer->slot_bits - 1)) << (2 * half + 1);
	}
	return matches;
}

/* The index in the layer of one of the four slots of a place, which are numbered as in cuckoo_matches. */
static inline uint64_t
cuckoo_slot_of_place(const CuckooLayer *layer, const CuckooPlace *place, uint32_t slot)
{
	return place->first_bit / layer->slot_bits +
		cuckoo_window_slot(layer, slot / 2, place->window[slot / 2]) + slot % 2;
}

/* The counter of a slot: the number of copies that its entry stands for beyond the first. Only for a layer with counters. */
static inline unsigned
cuckoo_counter(const CuckooLayer *layer, uint64_t slot)
{
	return layer->slots[cuckoo_slot_bytes(layer) + slot / 2] >> (slot % 2 * 4) & 15;
}

static inline void
cuckoo_set_counter(const CuckooLayer *layer, uint64_t slot, unsigned counter)
{
	uint8_t    *byte = &layer->slots[cuckoo_slot_bytes(layer) + slot / 2];
	uint32_t	shift = (uint32_t) (slot % 2 * 4);

	*byte = (uint8_t) ((*byte & ~(15u << shift)) | counter << shift);
}

/* The mask of the slot of a window that cuckoo_first_zero_slot has found; 0 if it has found none. */
static inline uint64_t
cuckoo_first_slot_mask(const CuckooLayer *layer, uint64_t found)
{
	uint64_t	topmost = found & (0 - found);

	return (topmost << 1) - (topmost >> (layer->slot_bits - 1));
}

/* The entry of a place in a window's slot, of which `free` is what cuckoo_first_zero_slot returned. 0 if that is 0. */
static inline uint64_t
cuckoo_entry_for_slot(const CuckooLayer *layer, const CuckooPlace *place, uint64_t free)
{
	return cuckoo_entries_of_class(layer, place) & cuckoo_first_slot_mask(layer, free);
}

/* Store an entry in a window that begins at a bit. Its slot must be free. */
static inline void
cuckoo_store_in_window(const CuckooLayer *layer, uint64_t bit, uint64_t entry)
{
	uint8_t    *bytes = layer->slots + (bit >> 3);

	store_le64(bytes, load_le64(bytes) | entry << (bit & 7));
}

/*
 * The first slot of a place that has an entry, in the lower window if there is one, as cuckoo_first_zero_slot returns it; 0 if
 * there is none. `entries`: the entry in both slots of a window, 0 for a free slot. *bit: where the window begins.
 */
FILTER_ALWAYS_INLINE uint64_t
cuckoo_find_slot(const CuckooLayer *layer, const CuckooPlace *place, uint64_t entries, uint64_t *bit)
{
	uint64_t	lower = cuckoo_window_bit(layer, place, 0);
	uint64_t	upper = cuckoo_window_bit(layer, place, 1);
	uint64_t	lower_found = cuckoo_first_zero_slot(layer, cuckoo_load_bits(layer, lower) ^ entries);
	uint64_t	upper_found = cuckoo_first_zero_slot(layer, cuckoo_load_bits(layer, upper) ^ entries);
	uint64_t	use_upper = 0 - (uint64_t) (lower_found == 0);

	*bit = lower ^ ((lower ^ upper) & use_upper);
	return lower_found | (upper_found & use_upper);
}

/* Add one entry in a free slot of its place; false if there is none. */
FILTER_ALWAYS_INLINE bool
cuckoo_put(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint64_t	bit;
	uint64_t	free = cuckoo_find_slot(layer, place, 0, &bit);

	if (free == 0)
		return false;
	cuckoo_store_in_window(layer, bit, cuckoo_entry_for_slot(layer, place, free));
	return true;
}

/*
 * Remove one entry at a place, whatever its counter; false if there is none.
 *
 * A removal waits for both windows, so the speed in a layer that is not cached depends on how many removals a CPU core
 * executes at once, and that on how few instructions one has.
 */
FILTER_ALWAYS_INLINE bool
cuckoo_remove_entry(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, place);
	uint64_t	bit;
	uint64_t	found = cuckoo_find_slot(layer, place, entries, &bit);
	uint8_t    *bytes = layer->slots + (bit >> 3);

	if (found == 0)
		return false;
	store_le64(bytes, load_le64(bytes) ^ (entries & cuckoo_first_slot_mask(layer, found)) << (bit & 7));
	return true;
}

#endif
