/*
 * The operations of cuckoo filters alone, besides those of core/filter.h.
 */
#ifndef FILTER_CUCKOO_FILTER_H
#define FILTER_CUCKOO_FILTER_H

#include "core/layers.h"

/*
 * Make the newest layer of a filter that is being made slightly larger, after its values did not fit.
 * Errors and *bytes as in filter_append_layer.
 */
extern FilterStatus filter_enlarge_newest(Filter *filter, double *bytes);

/* Remove one copy; false if none could be removed safely. */
extern bool filter_remove(const Filter *filter, uint64_t hash);

/* The same for many; returns how many copies were removed. Prefetches and pauses. */
extern size_t filter_remove_all(const Filter *filter, const uint64_t *hashes, size_t count);

/*
 * The number of copies of a value, never too low; a result n of CUCKOO_STICKY_COUNT or more means "at
 * least n". As in filter_contains, other values may be mistaken for this one.
 */
extern unsigned filter_count(const Filter *filter, uint64_t hash);

#endif
