/*
 * A filter prepared for operations on one value at a time: what each of them would find out about the filter and the CPU
 * is found out once. Most filters have one layer without wildcards; for these, an operation takes less time than its
 * counterpart in core/filter.h (test/peers measures it), with the same result.
 *
 * A prepared filter is a view of a Filter, which must outlive it. Prepare it again after the Filter was opened, or
 * changed by any other function that can add a layer, or mark it as crowded or fixed.
 */
#ifndef FILTER_PREPARE_H
#define FILTER_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/prepared.h"
#include "core/status.h"

/* The filter may have no image yet. */
extern void filter_prepare(PreparedFilter *prepared, Filter *filter);

/* filter_add, not unique. */
extern FilterStatus prepared_add_slowly(PreparedFilter *prepared, uint64_t hash, bool *changed);

static inline FilterStatus
prepared_add(PreparedFilter *prepared, uint64_t hash, bool *changed)
{
	if (!prepared->put(prepared, hash))
		return prepared_add_slowly(prepared, hash, changed);
	*changed = true;
	return FILTER_OK;
}

#endif
