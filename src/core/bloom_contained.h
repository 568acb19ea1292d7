/*
 * Which of many hashes a Bloom layer contains.
 */
#ifndef FILTER_BLOOM_CONTAINED_H
#define FILTER_BLOOM_CONTAINED_H

#include <stddef.h>
#include <stdint.h>

#include "core/bloom.h"

/*
 * Write the indexes of the hashes that the layer contains, in ascending order; returns their number. `index` has room
 * for `count`. Prefetches, but does not pause. No branch depends on which hashes are contained, since that could not be
 * predicted where both answers are frequent.
 */
extern size_t bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);

#endif
