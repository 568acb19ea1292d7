/*
 * Operations on a cuckoo layer without wildcards by many hashes. Each chooses, in its call, the code for the CPU. They are
 * compiled twice: for any CPU, and for one with instructions that shift by a variable number of bits, of which each
 * operation has ten.
 */
#ifndef FILTER_CUCKOO_KERNELS_H
#define FILTER_CUCKOO_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"
#include "core/cuckoo.h"

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

#endif
