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

#include <stddef.h>

#include "core/cpu.h"
#include "core/status.h"

#define CUCKOO_PAGE_SLOTS		65536
#define CUCKOO_MIN_SLOT_BITS	6	/* narrower fingerprints have too few alternates to fill a page */
#define CUCKOO_MAX_SLOT_BITS	32
#define CUCKOO_MAX_ENTRIES		4	/* the most entries of a class: it has four slots */
#define CUCKOO_MAX_COUNT		15	/* the most copies of a class that are counted */
#define CUCKOO_PERMANENT		16	/* the count of a class that had more */
#define CUCKOO_WINDOW_BYTES		8	/* enough for any window */
#define CUCKOO_TAIL_BYTES		7	/* zero bytes after the slots, so that a window is always one 8-byte load */

typedef struct CuckooLayer
{
	uint32_t	pages;
	uint32_t	windows;		/* windows in half a page, 1 .. CUCKOO_PAGE_SLOTS / 2 - 1 */
	uint32_t	slot_bits;
	bool		counted;		/* whether it has counters */
	uint32_t	stash_capacity;	/* in classes; 0: it has no stash */
	uint8_t    *slots;			/* packed bit by bit, little-endian, then CUCKOO_TAIL_BYTES, the counters, the stash */

	/* These are derived from the geometry, so that a lookup need not compute them. */
	uint64_t	page_bits;		/* length of a page */
	uint64_t	half_bits;		/* length of half a page */
	uint64_t	lowest_bits;	/* the lowest bit of each slot of a window */
	uint64_t	topmost_bits;	/* the topmost bit of each slot of a window */
	uint32_t	fingerprint_shift;	/* of the lower half of a hash */
} CuckooLayer;

/* A value's position in one layer. */
typedef struct CuckooPosition
{
	uint64_t	first_bit;		/* of the page, in the layer */
	uint32_t	window[2];		/* in the lower and the upper half */
	uint32_t	fingerprint;	/* 1 .. 2^(slot_bits - 1) - 1 */
} CuckooPosition;

/* A layer of a valid geometry. `slots` may be null if only the size of the layer is of interest. */
static inline CuckooLayer
cuckoo_layer(uint32_t pages, uint32_t windows, uint32_t slot_bits, bool counted, uint32_t stash_capacity, uint8_t *slots)
{
	uint64_t	half_bits = ((uint64_t) windows + 1) * slot_bits;
	uint64_t	lowest_bits = UINT64_C(1) | UINT64_C(1) << slot_bits;
	CuckooLayer layer = {pages, windows, slot_bits, counted, stash_capacity, slots,
		2 * half_bits, half_bits, lowest_bits, lowest_bits << (slot_bits - 1), 33 - slot_bits};

	return layer;
}

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

/* The number of bytes of the slots and the tail. */
static inline uint64_t
cuckoo_slot_bytes(const CuckooLayer *layer)
{
	return (cuckoo_slots(layer) * layer->slot_bits + 7) / 8 + CUCKOO_TAIL_BYTES;
}

/* The number of bytes of the slots, the tail and the counters; and of the whole layer. */
static inline uint64_t
cuckoo_counted_bytes(const CuckooLayer *layer)
{
	return cuckoo_slot_bytes(layer) + (layer->counted ? cuckoo_slots(layer) / 2 : 0);
}

static inline uint64_t
cuckoo_bytes(const CuckooLayer *layer)
{
	return cuckoo_counted_bytes(layer) + (layer->stash_capacity > 0 ? 8 * (1 + (uint64_t) layer->stash_capacity) : 0);
}

/* Slot widths are CUCKOO_MIN_SLOT_BITS to 28, and 32: those for which two slots fit an unaligned 8-byte load. */
extern bool cuckoo_geometry_is_valid(uint32_t pages, uint32_t windows, uint32_t slot_bits);

/*
 * The expected false positive rate of a layer that holds `entries` entries. A lookup compares its fingerprint with the
 * entries of two windows: entries / (2 * pages * windows) of them per window on average, and at most four in both.
 */
extern double cuckoo_rate(const CuckooLayer *layer, double entries);

/*
 * The smallest geometry that holds capacity entries (1 or more) at or below the rate (above 0, below 1). A rate below
 * that of the widest slot (about 9e-10) results in the widest slot. FILTER_TOO_LARGE if it needs more pages than a
 * layer can have; *bytes is set to the size in either case.
 */
extern FilterStatus cuckoo_choose_geometry(uint64_t capacity, double rate, CuckooLayer *layer, double *bytes);

/*
 * The geometry for twice the capacity of `from`. Its windows are a whole multiple of those of `from`, so that its
 * entries can later be folded into that layer.
 */
extern FilterStatus cuckoo_double_geometry(const CuckooLayer *from, uint64_t capacity, double rate,
										   CuckooLayer *layer, double *bytes);

/* Whether additions can have made the content. is_set: counts in the stash are at most one. O(size). */
extern bool cuckoo_content_is_valid(const CuckooLayer *layer, bool is_set);

/* The number of entries, including the stash; and the number of copies that they stand for beyond the first of each. */
extern uint64_t cuckoo_entries(const CuckooLayer *layer);
extern uint64_t cuckoo_further_copies(const CuckooLayer *layer);

/* The number of copies of the class at a position: 0 .. CUCKOO_MAX_COUNT, or CUCKOO_PERMANENT. */
extern unsigned cuckoo_count(const CuckooLayer *layer, const CuckooPosition *position);

/* Remove one copy of the class at a position; false, and no change, if there is none or the class is permanent. */
extern bool cuckoo_remove(const CuckooLayer *layer, const CuckooPosition *position);

/* Count further copies of a class that has a counter, in a slot or in the stash. False, with no change, if it has none. */
extern bool cuckoo_count_up(const CuckooLayer *layer, const CuckooPosition *position, unsigned copies);

/*
 * The most windows that a search for a slot visits. A limit of 512 would leave some of ten million values without a slot, and
 * this limit none (test/bench/bench_load).
 */
#define CUCKOO_MAX_STEPS		4096

/*
 * Add one entry at a position, with a counter of 0. If moving other entries finds no slot for it either, it goes to the stash.
 * FILTER_FULL, with no change, if the stash is full.
 */
extern FilterStatus cuckoo_add(const CuckooLayer *layer, const CuckooPosition *position);

/*
 * Add many entries, given their hashes in ascending order. The result does not depend on how they are divided among calls,
 * provided that all hashes whose leading CUCKOO_RUN_BITS agree are passed in one. FILTER_FULL, after some may have been added,
 * if one finds no slot and the stash is full. Pauses.
 */
#define CUCKOO_RUN_BITS			6

extern FilterStatus cuckoo_add_in_order(const CuckooLayer *layer, const uint64_t *hashes, size_t count);

/* Merge the entries of each class into one, which counts them if the layer has counters. */
extern void cuckoo_merge_copies(const CuckooLayer *layer);

/* An estimate of the number of entries beyond the first of their class in one of every `step` slots. */
extern double cuckoo_sample_copies(const CuckooLayer *layer, uint32_t step);

/*
 * Whether source refines target, that is, whether the class of a value in source determines its class in target: source's
 * windows are a whole multiple of target's, and its fingerprints are no shorter. This depends on the geometries only.
 */
extern bool cuckoo_can_fold(const CuckooLayer *target, const CuckooLayer *source);

/*
 * Move up to `limit` entries from source to target, with their copies; requires cuckoo_can_fold. An entry stays in source if it
 * finds no slot, or if target cannot count its copies. If target has a counter for its class, the copies are counted there,
 * in any number; but not if target is so much smaller that most of the class would be other values. With as_set, copies of a
 * class that target has are dropped.
 */
extern void cuckoo_move(const CuckooLayer *target, const CuckooLayer *source, bool as_set, uint64_t limit);

/* The following functions use the slots alone of a layer without counters and without a stash, by code for this CPU. */

/* The function that looks up one hash. */
extern LayerLookup cuckoo_lookup(void);

/*
 * Write the indexes of the hashes that the layer contains, in ascending order, to `index`, which has room for `count`; returns
 * their number. Prefetches, but does not pause.
 */
extern size_t cuckoo_contained(const CuckooLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);

/* Add one entry for each hash, until one finds no slot; returns the number added. Prefetches. */
extern size_t cuckoo_add_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count);

/* Remove one entry for each hash, where possible; returns the number removed. Prefetches. */
extern size_t cuckoo_remove_run(const CuckooLayer *layer, const uint64_t *hashes, size_t count);

#endif
