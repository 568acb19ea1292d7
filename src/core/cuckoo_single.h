/*
 * Operations on a cuckoo filter of a single layer without wildcards, which most of them are. They are compiled twice:
 * for any CPU, and for one with instructions that shift by a variable number of bits, of which each operation has ten.
 */
#ifndef FILTER_CUCKOO_SINGLE_H
#define FILTER_CUCKOO_SINGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image.h"

/* Whether the functions below can be called for a cuckoo filter. */
static inline bool
cuckoo_is_single(const Filter *filter)
{
	return filter->layers == 1 && !filter->crowded;
}

/* filter_contains, filter_contains_run and filter_contained. The last two prefetch. */
extern bool cuckoo_single_contains(const Filter *filter, uint64_t hash);
extern size_t cuckoo_single_contains_run(const Filter *filter, const uint64_t *hashes, size_t count, bool wanted);
extern size_t cuckoo_single_contained(const Filter *filter, const uint64_t *hashes, size_t count, uint32_t *index);

/* Add one entry if its place has a free slot, which a sticky class never has; false if not. */
extern bool cuckoo_single_put(const Filter *filter, uint64_t hash);

/* Add one entry for each hash, until one finds no slot; returns how many that were. Prefetches. */
extern size_t cuckoo_single_add_run(const Filter *filter, const uint64_t *hashes, size_t count, bool *changed);

/* filter_remove. */
extern bool cuckoo_single_remove(const Filter *filter, uint64_t hash);

#endif
