/*
 * The stash of a cuckoo layer, which holds the classes that found no slot.
 *
 * It consists of u64 words at any alignment: the number used, then a word for each class, in ascending order, then zeroes.
 *
 *     (page * windows + lower window) << (slot_bits + 3) | fingerprint << 4 | counter
 *
 * A layer that fits an image has so few windows that a word is less than 2^61. Where a layer has no stash, these functions
 * take it for one that is empty and full.
 */
#ifndef FILTER_CUCKOO_STASH_H
#define FILTER_CUCKOO_STASH_H

#include "core/cuckoo_inline.h"

/* The number of classes; and the word of the class with an index. */
extern uint32_t cuckoo_stash_used(const CuckooLayer *layer);
extern uint64_t cuckoo_stash_get(const CuckooLayer *layer, uint32_t index);
extern void cuckoo_stash_set(const CuckooLayer *layer, uint32_t index, uint64_t word);

/* Whether the stash has the class at a position; *index is set to its index, or to where it would be inserted. */
extern bool cuckoo_stash_find(const CuckooLayer *layer, const CuckooPosition *position, uint32_t *index);

/* Insert the class at a position, or count another copy if it is there. False, with no change, if the stash is full. */
extern bool cuckoo_stash_add(const CuckooLayer *layer, const CuckooPosition *position);

extern void cuckoo_stash_remove(const CuckooLayer *layer, uint32_t index);

/* Remove all but the first `used` classes. */
extern void cuckoo_stash_truncate(const CuckooLayer *layer, uint32_t used);

/* Whether it has room for as many classes as it says; and whether additions can have made all of its content. */
extern bool cuckoo_stash_is_complete(const CuckooLayer *layer);
extern bool cuckoo_stash_is_valid(const CuckooLayer *layer, bool is_set);

/* Whether the layer has a class, in slots or in the stash. */
static inline bool
cuckoo_has_class(const CuckooLayer *layer, const CuckooPosition *position)
{
	uint32_t	index;

	return cuckoo_position_contains(layer, position) || (layer->stash_capacity > 0 && cuckoo_stash_find(layer, position, &index));
}

#endif
