/*
 * Operations on a cuckoo filter of a single layer without wildcards, which most of them are. They are compiled twice:
 * for any CPU, and for one with instructions that shift by a variable number of bits, of which each operation has ten.
 */
#ifndef FILTER_CUCKOO_SINGLE_H
#define FILTER_CUCKOO_SINGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/prepared.h"

/* Whether the functions below can be called for a cuckoo filter. */
static inline bool
cuckoo_is_single(const Filter *filter)
{
	return filter->layers == 1 && !filter->crowded;
}

/* Set the function of a prepared filter, whose layer is set. */
extern void cuckoo_single_prepare(PreparedFilter *prepared);

/* filter_contains_run and filter_contained. Both prefetch. */
extern size_t cuckoo_single_contains_run(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted);
extern size_t cuckoo_single_contained(const Filter *filter, const uint64_t *hashes, size_t count, uint32_t *index);

/* Add one entry for each hash, until one finds no slot; returns how many that were. Prefetches. */
extern size_t cuckoo_single_add_run(const Filter *filter, const uint64_t *hashes, size_t count, bool *changed);

/* Remove one entry for each hash, where that is possible; returns how many that were. Prefetches. */
extern size_t cuckoo_single_remove_run(const Filter *filter, const uint64_t *hashes, size_t count);

#endif
