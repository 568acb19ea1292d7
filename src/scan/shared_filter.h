/*
 * The filter of a join above a Gather, for the scans below it.
 *
 * The filter belongs to the leader, and its address means nothing in a worker. When workers are about to be launched, the
 * leader copies what the filter is then into their shared memory. A worker finds the copy where a join of its own would have
 * put its filter: in the executor parameter. If the filter is not ready by then, workers scan without it.
 *
 * All scans below the Gather that probe the filter have one copy.
 */
#ifndef FILTER_SCAN_SHARED_FILTER_H
#define FILTER_SCAN_SHARED_FILTER_H

#include "postgres.h"

#include "access/parallel.h"
#include "nodes/execnodes.h"

#include "scan/runtime_filter.h"

/* Before the shared memory is allocated, once for each scan and filter. */
extern void shared_filter_estimate(ParallelContext *parallel);

/*
 * In the leader, before workers are launched for the first time, or again: give them the filter of a parameter, or none if it
 * is null. es_query_dsa is that of the Gather.
 */
extern void shared_filter_put(shm_toc *toc, int param, const EState *estate, const RuntimeFilter *filter);

/* In a worker: set the parameter, if there is a filter. */
extern void shared_filter_take(shm_toc *toc, int param, EState *estate);

#endif
