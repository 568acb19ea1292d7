/*
 * Lookups in a cuckoo layer, additions that move no entry, and removals. They are inline because they take a few nanoseconds,
 * so the cost of a call would be noticeable, and because each variant of a caller must compile them for the instructions of
 * its CPU. Unless stated otherwise, none has a branch that depends on which slot is free or matches, since it could not be
 * predicted.
 */
#ifndef FILTER_CUCKOO_INLINE_H
#define FILTER_CUCKOO_INLINE_H

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/cuckoo.h"

static inline uint64_t
cuckoo_slot_mask(const CuckooLayer *layer)
{
	return layer->lowest_bits - 2;
}

/* At least 57 bits of the slots, beginning with a given bit. */
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
 * Whether a slot has an entry of this window. False for an empty slot, and for an entry that only a damaged image can have. A
 * search moves neither.
 */
static inline bool
cuckoo_is_entry_of_window(const CuckooLayer *layer, uint32_t entry, uint32_t window)
{
	return window < layer->windows && entry > 1;
}

/* The half and the window that the entry in a slot of a page belongs to; false if the slot is empty or damaged. */
static inline bool
cuckoo_window_of_entry(const CuckooLayer *layer, uint32_t slot, uint32_t entry, uint32_t *half, uint32_t *window)
{
	*half = slot > layer->windows;
	*window = slot - *half * (layer->windows + 1) - (entry & 1);
	return cuckoo_is_entry_of_window(layer, entry, *window);
}

FILTER_ALWAYS_INLINE CuckooPosition
cuckoo_position(const CuckooLayer *layer, uint64_t hash)
{
	CuckooPosition position;
	uint64_t	in_page;		/* the remainder of the scaling to pages, so both are monotonic in the hash */
	uint64_t	page = multiply_wide(hash, layer->pages, &in_page);

	position.first_bit = page * layer->page_bits;
	position.window[0] = (uint32_t) multiply_high(in_page, layer->windows);
	/* The leading bits make a shorter fingerprint of a value a prefix of a longer one: see folded_position. */
	position.fingerprint = (uint32_t) hash >> layer->fingerprint_shift;
	position.fingerprint += position.fingerprint == 0;
	position.window[1] = cuckoo_other_window(layer, position.window[0], position.fingerprint);
	return position;
}

static inline uint64_t
cuckoo_window_bit(const CuckooLayer *layer, const CuckooPosition *position, uint32_t half)
{
	return position->first_bit + half * layer->half_bits + (uint64_t) position->window[half] * layer->slot_bits;
}

/* The byte offset of a window in the layer. The window lies within CUCKOO_WINDOW_BYTES from there. */
static inline uint64_t
cuckoo_window_offset(const CuckooLayer *layer, const CuckooPosition *position, uint32_t half)
{
	return cuckoo_window_bit(layer, position, half) >> 3;
}

/* Prefetch a window of a position. is_far must be a constant: whether the layer has FILTER_FAR_BYTES or more. */
FILTER_ALWAYS_INLINE void
cuckoo_prefetch_window(const CuckooLayer *layer, bool is_far, const CuckooPosition *position, uint32_t half)
{
	const uint8_t *window = layer->slots + cuckoo_window_offset(layer, position, half);

	/*
	 * A ninth of the windows are on two cache lines, so the second line must be prefetched, too. A branch is cheaper than a
	 * second prefetch of the same line in a large filter, but not in a small one.
	 */
	filter_prefetch_from(is_far, window);
	if (!is_far || (uintptr_t) window % FILTER_CACHE_LINE_BYTES > FILTER_CACHE_LINE_BYTES - CUCKOO_WINDOW_BYTES)
		filter_prefetch_from(is_far, window + CUCKOO_WINDOW_BYTES - 1);
}

/* Prefetch both windows of a hash; returns its position. */
FILTER_ALWAYS_INLINE CuckooPosition
cuckoo_prefetch(const CuckooLayer *layer, bool is_far, uint64_t hash)
{
	CuckooPosition position = cuckoo_position(layer, hash);

	cuckoo_prefetch_window(layer, is_far, &position, 0);
	cuckoo_prefetch_window(layer, is_far, &position, 1);
	return position;
}

/* The entries of a class in both slots of a window. */
static inline uint64_t
cuckoo_entries_of_class(const CuckooLayer *layer, const CuckooPosition *position)
{
	/* The offset is set in both slots of the product, but must not be in the first. */
	return ((uint64_t) position->fingerprint << 1 | 1) * layer->lowest_bits - 1;
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

/* Whether one of two windows has an entry of a class: a slot that XOR makes zero is one. */
FILTER_ALWAYS_INLINE bool
cuckoo_either_contains(const CuckooLayer *layer, const CuckooPosition *position, uint64_t lower, uint64_t upper)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, position);

	return (cuckoo_first_zero_slot(layer, lower ^ entries) | cuckoo_first_zero_slot(layer, upper ^ entries)) != 0;
}

FILTER_ALWAYS_INLINE bool
cuckoo_position_contains(const CuckooLayer *layer, const CuckooPosition *position)
{
	return cuckoo_either_contains(layer, position, cuckoo_load_bits(layer, cuckoo_window_bit(layer, position, 0)),
								  cuckoo_load_bits(layer, cuckoo_window_bit(layer, position, 1)));
}

/* Whether a layer has the class of a position, given the bytes of the two windows. */
static inline bool
cuckoo_windows_contain(const CuckooLayer *layer, const CuckooPosition *position, const uint8_t *const windows[2])
{
	return cuckoo_either_contains(layer, position, load_le64(windows[0]) >> (cuckoo_window_bit(layer, position, 0) & 7),
								  load_le64(windows[1]) >> (cuckoo_window_bit(layer, position, 1) & 7));
}

/* Whether the slots have the class of a hash. */
static inline bool
cuckoo_contains(const CuckooLayer *layer, uint64_t hash)
{
	CuckooPosition position = cuckoo_position(layer, hash);

	return cuckoo_position_contains(layer, &position);
}

/* Which slots of a position have an entry of its class: bits 0 and 1 for the lower window, 2 and 3 for the upper one. */
static inline unsigned
cuckoo_matches(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, position);
	unsigned	matches = 0;

	for (uint32_t half = 0; half < 2; half++)
	{
		uint64_t	window = cuckoo_load_bits(layer, cuckoo_window_bit(layer, position, half));
		uint64_t	found = cuckoo_zero_slots(layer, window ^ entries);

		matches |= (unsigned) (found >> (layer->slot_bits - 1) & 1) << (2 * half);
		matches |= (unsigned) (found >> (2 * layer->slot_bits - 1)) << (2 * half + 1);
	}
	return matches;
}

/* The index in the layer of one of the four slots of a position, which are numbered as in cuckoo_matches. */
static inline uint64_t
cuckoo_slot_of_position(const CuckooLayer *layer, const CuckooPosition *position, uint32_t slot)
{
	return position->first_bit / layer->slot_bits +
		cuckoo_window_slot(layer, slot / 2, position->window[slot / 2]) + slot % 2;
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

/* The entry of a position, shifted to the slot of a window that cuckoo_first_zero_slot returned as `free`. 0 if that is 0. */
static inline uint64_t
cuckoo_entry_for_slot(const CuckooLayer *layer, const CuckooPosition *position, uint64_t free)
{
	return cuckoo_entries_of_class(layer, position) & cuckoo_first_slot_mask(layer, free);
}

/* Store an entry in a window that begins at a bit. Its slot must be free. */
static inline void
cuckoo_store_in_window(const CuckooLayer *layer, uint64_t bit, uint64_t entry)
{
	uint8_t    *bytes = layer->slots + (bit >> 3);

	store_le64(bytes, load_le64(bytes) | entry << (bit & 7));
}

/*
 * The first slot of a position that has an entry, in the lower window if there is one, as cuckoo_first_zero_slot returns it; 0 if
 * there is none. `entries`: the entry in both slots of a window, 0 for a free slot. *bit: where the window begins.
 */
FILTER_ALWAYS_INLINE uint64_t
cuckoo_find_slot(const CuckooLayer *layer, const CuckooPosition *position, uint64_t entries, uint64_t *bit)
{
	uint64_t	lower = cuckoo_window_bit(layer, position, 0);
	uint64_t	upper = cuckoo_window_bit(layer, position, 1);
	uint64_t	lower_found = cuckoo_first_zero_slot(layer, cuckoo_load_bits(layer, lower) ^ entries);
	uint64_t	upper_found = cuckoo_first_zero_slot(layer, cuckoo_load_bits(layer, upper) ^ entries);
	uint64_t	use_upper = 0 - (uint64_t) (lower_found == 0);

	*bit = lower ^ ((lower ^ upper) & use_upper);
	return lower_found | (upper_found & use_upper);
}

/* Add one entry in a free slot of its position; false if there is none. */
FILTER_ALWAYS_INLINE bool
cuckoo_put(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint64_t	bit;
	uint64_t	free = cuckoo_find_slot(layer, position, 0, &bit);

	if (free == 0)
		return false;
	cuckoo_store_in_window(layer, bit, cuckoo_entry_for_slot(layer, position, free));
	return true;
}

/*
 * Remove one entry at a position, whatever its counter; false if there is none. A removal waits for both windows. If they are not
 * cached, its speed depends on how many removals a CPU core executes at once, and thus on its number of instructions.
 */
FILTER_ALWAYS_INLINE bool
cuckoo_remove_entry(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint64_t	entries = cuckoo_entries_of_class(layer, position);
	uint64_t	bit;
	uint64_t	found = cuckoo_find_slot(layer, position, entries, &bit);
	uint8_t    *bytes = layer->slots + (bit >> 3);

	if (found == 0)
		return false;
	store_le64(bytes, load_le64(bytes) ^ (entries & cuckoo_first_slot_mask(layer, found)) << (bit & 7));
	return true;
}

#endif
