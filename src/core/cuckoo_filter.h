/*
 * The layers of a cuckoo filter: each copy of a value is in one of them.
 */
#ifndef FILTER_CUCKOO_FILTER_H
#define FILTER_CUCKOO_FILTER_H

#include "core/layers.h"

extern const FilterMethods cuckoo_filter_methods;

/*
 * A small layer has spare slots and could hold more values than its rate allows, so it is full at its capacity. A
 * larger one is full when a value finds no place, which saves counting its entries. Its load is then at most 0.965, and
 * it was made for 0.91 or more (see highest_load), so it holds at most 6% more than its capacity. The layers' rates sum
 * to 1.4 times the requested one (see filter_layer_rate_fraction), so they stay within 1.5 times. If narrower slots at
 * a lower load were chosen, a layer can hold 20% more; then the rates of up to 14 layers are within 1.5 times.
 */
#define CUCKOO_SMALL_SLOTS 512

/*
 * Whether adding is a matter of finding a slot in a single layer: its entries need not be counted, and no wildcard may
 * cover a value.
 */
static inline bool
cuckoo_filter_adds_to_layer(const Filter *filter)
{
	return filter_is_plain(filter) && filter->room == 0 && filter->layer[0].size >= CUCKOO_SMALL_SLOTS / 2;
}

/* As filter_enlarge_newest, filter_remove, filter_remove_all without pauses, and filter_count. */
extern FilterStatus cuckoo_filter_enlarge_newest(Filter *filter, double *bytes);
extern bool cuckoo_filter_remove(const Filter *filter, uint64_t hash);
extern size_t cuckoo_filter_remove_all(const Filter *filter, const uint64_t *hashes, size_t count);
extern unsigned cuckoo_filter_count(const Filter *filter, uint64_t hash);

#endif
