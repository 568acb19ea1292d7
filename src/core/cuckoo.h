/*
 * One layer of a cuckoo filter with overlapping windows (Schmitz, Zentgraf, Rahmann, "Smaller and More Flexible Cuckoo
 * Filters", 2025).
 *
 * The layer is cut into pages of at most CUCKOO_PAGE_SLOTS slots, each cut into two halves. A half of w + 1 slots has w
 * windows of two neighbouring slots, which overlap. A value belongs to one page, one window of its lower half and one
 * of its upper half, so it always has four different slots. A slot holds an entry,
 *
 *     fingerprint << 1 | offset,    offset: 0 in the first slot of its window, 1 in the second;    0: empty,
 *
 * so an entry determines its window, and the other window follows from that and the fingerprint.
 *
 * Values with the same page, windows and fingerprint are one class: the layer cannot distinguish them. A class of
 * four entries fills its four slots and is sticky: it means "four or more", and neither adding nor removing changes
 * it.
 *
 * Hashes can be chosen so that more values share the same windows than the windows have slots, in a layer of any
 * size. To keep such values from making a filter grow without limit, a slot of a lower half can be a wildcard: it
 * covers the two lower windows that it belongs to (one, at the ends of a half), and represents any number of entries
 * of every class in them. A layer that may have wildcards is crowded. Classes whose lower window is covered are
 * sticky and need no entries.
 *
 * The caller owns the memory of a layer and has checked its geometry with cuckoo_geometry_is_valid. Every function is
 * safe on any content of the slots; cuckoo_entries_are_valid checks whether the content is valid.
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
#define CUCKOO_STICKY_COUNT		4

#define CUCKOO_WILDCARD			1	/* no entry has this value: its fingerprint would be 0 */
#define CUCKOO_WINDOW_BYTES		8	/* enough for any window */
#define CUCKOO_TAIL_BYTES		7	/* zero bytes after the slots, so that a window is always one 8-byte load */

typedef struct CuckooLayer
{
	uint32_t	pages;
	uint32_t	windows;		/* windows in half a page, 1 .. CUCKOO_PAGE_SLOTS / 2 - 1 */
	uint32_t	slot_bits;
	bool		crowded;		/* whether it may have wildcards */
	uint8_t    *slots;			/* packed bit by bit, little-endian, then CUCKOO_TAIL_BYTES */

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
cuckoo_layer(uint32_t pages, uint32_t windows, uint32_t slot_bits, bool crowded, uint8_t *slots)
{
	uint64_t	half_bits = ((uint64_t) windows + 1) * slot_bits;
	uint64_t	lowest_bits = UINT64_C(1) | UINT64_C(1) << slot_bits;
	CuckooLayer layer = {pages, windows, slot_bits, crowded, slots,
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

/* Whether every entry is one that insertion could have made, and the bits after the last slot are zero. O(slots). */
extern bool cuckoo_entries_are_valid(const CuckooLayer *layer);

/*
 * Cover the lower window of a place with a wildcard, which replaces and covers the entry in its slot. The caller must
 * mark the layer as crowded.
 */
extern void cuckoo_cover(const CuckooLayer *layer, const CuckooPlace *place);

/* The number of entries, including wildcards; and of the lower windows that wildcards cover. */
extern uint64_t cuckoo_entries(const CuckooLayer *layer);
extern uint64_t cuckoo_windows_covered(const CuckooLayer *layer);

/*
 * The limit of a search for a slot, in the windows it visits. At a load of 0.935 a search visits 50 windows on average;
 * a limit of 512 leaves 600 of ten million values without a place, and this one none (test/bench/bench_load).
 */
#define CUCKOO_MAX_STEPS		4096

/* The limit where a wildcard can be used instead: it bounds the time that chosen values take. */
#define CUCKOO_FEW_STEPS		256

/*
 * Add one entry at a place. If necessary, entries are moved to their other windows, or dropped if they are covered. A
 * sticky class needs no change. FILTER_FULL if a search of at most max_steps (2 .. CUCKOO_MAX_STEPS) finds no place;
 * the layer is then unchanged.
 */
extern FilterStatus cuckoo_add(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps);

/*
 * Add many entries, given their hashes in ascending order. The result does not depend on how they are divided among
 * calls, provided that all hashes whose leading CUCKOO_RUN_BITS agree are passed in one. FILTER_FULL if one finds no
 * place, after which some of the others have been added; but with `cover`, wildcards cover these, and the layer may
 * become crowded. Pauses.
 */
#define CUCKOO_RUN_BITS			6

extern FilterStatus cuckoo_add_in_order(CuckooLayer *layer, const uint64_t *hashes, size_t count, bool cover);

/*
 * Whether source refines target, that is, whether the class of a value in source determines its class in target:
 * source's windows are a whole multiple of target's, and its fingerprints are no shorter. Depends on the geometries
 * only.
 */
extern bool cuckoo_can_fold(const CuckooLayer *target, const CuckooLayer *source);

/*
 * Add every entry of source to target, and cover what source's wildcards cover; requires cuckoo_can_fold. FILTER_FULL
 * if they do not all fit; target then holds some of them, so the caller must work on a copy. With `cover`, wildcards
 * cover those that do not fit. If target may receive wildcards, set target->crowded beforehand.
 */
extern FilterStatus cuckoo_fold(const CuckooLayer *target, const CuckooLayer *source, bool cover);

/*
 * Operations on a layer without wildcards by many hashes. Each chooses, in its call, the code for the CPU.
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

/*
 * Add one entry for each hash, until one finds no slot; returns how many that were. *changed is set if an entry was added.
 * Prefetches.
 */
extern size_t cuckoo_add_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count, bool *changed);

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

/* The number of bytes, with the tail. */
static inline uint64_t
cuckoo_bytes(const CuckooLayer *layer)
{
	return (cuckoo_slots(layer) * layer->slot_bits + 7) / 8 + CUCKOO_TAIL_BYTES;
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
 * Whether a slot has an entry of this window. False for an empty slot, a wildcard, and an entry that insertion cannot
 * have made, which only a damaged image has. A search moves none of these.
 */
static inline bool
cuckoo_is_entry_of_window(const CuckooLayer *layer, uint32_t entry, uint32_t window)
{
	return window < layer->windows && entry > CUCKOO_WILDCARD;
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
 * Whether a place has an entry of its class: a slot that XOR makes zero is one. Not for a place that is covered.
 *
 * Without branches, since the matching slot cannot be predicted.
 */
FILTER_ALWAYS_INLINE bool
cuckoo_place_contains(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, place);
	uint64_t	lower_differs = cuckoo_load_bits(layer, cuckoo_window_bit(layer, place, 0)) ^ entries;
	uint64_t	upper_differs = cuckoo_load_bits(layer, cuckoo_window_bit(layer, place, 1)) ^ entries;

	return (cuckoo_first_zero_slot(layer, lower_differs) | cuckoo_first_zero_slot(layer, upper_differs)) != 0;
}

/* Only for a layer that is not crowded. */
static inline bool
cuckoo_contains(const CuckooLayer *layer, uint64_t hash)
{
	CuckooPlace place = cuckoo_place(layer, hash);

	return cuckoo_place_contains(layer, &place);
}

/* Whether the lower window of a place, given by its bytes, has a wildcard. */
static inline bool
cuckoo_window_is_covered(const CuckooLayer *layer, const CuckooPlace *place, const uint8_t *lower)
{
	uint64_t	mask = cuckoo_slot_mask(layer);
	uint64_t	window = load_le64(lower) >> (cuckoo_window_bit(layer, place, 0) & 7);

	return (window & mask) == CUCKOO_WILDCARD || ((window >> layer->slot_bits) & mask) == CUCKOO_WILDCARD;
}

static inline bool
cuckoo_place_is_covered(const CuckooLayer *layer, const CuckooPlace *place)
{
	return layer->crowded &&
		cuckoo_window_is_covered(layer, place, layer->slots + cuckoo_window_offset(layer, place, 0));
}

/* The number of entries of the class at a place, 0 .. CUCKOO_STICKY_COUNT, given the bytes of the two windows. */
static inline unsigned
cuckoo_windows_count(const CuckooLayer *layer, const CuckooPlace *place, const uint8_t *const windows[2])
{
	unsigned	count = 0;

	if (layer->crowded && cuckoo_window_is_covered(layer, place, windows[0]))
		return CUCKOO_STICKY_COUNT;
	for (uint32_t half = 0; half < 2; half++)
	{
		uint64_t	window = load_le64(windows[half]) >> (cuckoo_window_bit(layer, place, half) & 7);
		uint64_t	found = cuckoo_zero_slots(layer, window ^ cuckoo_entries_of_class(layer, place));

		count += (found >> (layer->slot_bits - 1)) & 1;
		count += (unsigned) (found >> (2 * layer->slot_bits - 1));
	}
	return count;
}

static inline unsigned
cuckoo_count(const CuckooLayer *layer, const CuckooPlace *place)
{
	const uint8_t *const windows[2] = {layer->slots + cuckoo_window_offset(layer, place, 0),
		layer->slots + cuckoo_window_offset(layer, place, 1)};

	return cuckoo_windows_count(layer, place, windows);
}

/* Whether all four slots of a place have entries of its class. Not for a place that is covered, which is sticky, too. */
static inline bool
cuckoo_is_sticky(const CuckooLayer *layer, const CuckooPlace *place)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, place);
	uint64_t	differ = (cuckoo_load_bits(layer, cuckoo_window_bit(layer, place, 0)) ^ entries) |
		(cuckoo_load_bits(layer, cuckoo_window_bit(layer, place, 1)) ^ entries);

	return differ << (64 - 2 * layer->slot_bits) == 0;
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

/* Add one entry in a free slot of its place; false if there is none. Not for a place that is covered. */
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
 * Remove one entry at a place that is not covered; false, and no change, if there is none or the class is sticky.
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

	if (found == 0 || (found == layer->topmost_bits && cuckoo_is_sticky(layer, place)))
		return false;
	store_le64(bytes, load_le64(bytes) ^ (entries & cuckoo_first_slot_mask(layer, found)) << (bit & 7));
	return true;
}

/* The same for any place. A covered class is sticky. */
FILTER_ALWAYS_INLINE bool
cuckoo_remove(const CuckooLayer *layer, const CuckooPlace *place)
{
	return !cuckoo_place_is_covered(layer, place) && cuckoo_remove_entry(layer, place);
}

#endif
