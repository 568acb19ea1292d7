/*
 * The layers of a cuckoo filter: each copy of a value is in one of them.
 */
#ifndef FILTER_CUCKOO_FILTER_H
#define FILTER_CUCKOO_FILTER_H

#include "core/layers.h"

extern const FilterMethods cuckoo_filter_methods;

/* As filter_enlarge_newest, filter_remove and filter_count. */
extern FilterStatus cuckoo_filter_enlarge_newest(Filter *filter, double *bytes);
extern bool cuckoo_filter_remove(const Filter *filter, uint64_t hash);
extern unsigned cuckoo_filter_count(const Filter *filter, uint64_t hash);

#endif
