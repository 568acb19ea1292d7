/*
 * Prefetching the rows that a hash join looks up.
 *
 * A hash join looks up one row at a time, and waits for memory twice: for the bucket, and for the row in it. A scan has
 * all rows of a page that passed its filters, so it can begin to load for all of them what the join will read.
 *
 * No result depends on it.
 */
#ifndef FILTER_SCAN_MATCH_PREFETCH_H
#define FILTER_SCAN_MATCH_PREFETCH_H

#include "scan/rows.h"
#include "scan/runtime_probe.h"

/* From now on, prefetch for this join, which looks up the rows as soon as the scan returns them; if its keys allow that. */
extern void match_prefetch_begin(RuntimeProbe *probe, HashJoinState *join);

/*
 * For the join of the probe, if it has one, and rows that the scan will return next. Prefetches a part of the next page, too,
 * while it waits.
 */
extern void match_prefetch(RuntimeProbe *probe, PageRows *rows);

#endif
