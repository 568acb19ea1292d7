/*
 * Find the range of a key (KeyRange of scan_executor/runtime_filter.h) while its rows pass.
 */
#ifndef FILTER_JOIN_KEY_RANGE_H
#define FILTER_JOIN_KEY_RANGE_H

#include "scan_executor/runtime_filter.h"

/*
 * Create an empty range in a memory context. Null if the plan has no use for it, the key's type has no such order, or values are
 * too costly to compare.
 */
extern KeyRange *key_range_create(const JoinKey *key, MemoryContext parent);

extern void key_range_reset(KeyRange *range);

/* Add a value, which must not be null. It is copied. */
extern void key_range_add(KeyRange *range, Datum value);

#endif
