/*
 * Adding to a cuckoo layer where both windows of a value are full: other entries have to move.
 */
#ifndef FILTER_CUCKOO_SEARCH_H
#define FILTER_CUCKOO_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cuckoo.h"
#include "core/status.h"

/*
 * Add an entry at a place without a free slot: find the shortest sequence of moves that ends in a free slot or in the
 * slot of a covered entry. The result depends only on the slots, so it is the same everywhere. FILTER_FULL if a search
 * of at most max_steps (2 .. CUCKOO_MAX_STEPS) finds none; the layer is then unchanged. is_cached: whether the page is
 * likely to be in the cache. Takes up 33 kB of the stack.
 */
extern FilterStatus cuckoo_add_by_search(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps,
										 bool is_cached);

#endif
