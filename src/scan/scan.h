/*
 * The filter scan: a sequential scan of a table that has conditions such as bf_contains(filter, column).
 *
 * A function that is called for one row at a time waits for memory in every probe. The filter scan instead takes all
 * rows of a page of the table, reads their keys, hashes them, prefetches what the probes will touch, and then probes.
 * Only rows that all filters let pass become rows of the executor, where the remaining conditions are evaluated.
 */
#ifndef FILTER_SCAN_SCAN_H
#define FILTER_SCAN_SCAN_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "scan/runtime_probe.h"

/* Offer filter scans to the planner. Called once, when the library is loaded. */
extern void filter_scan_init(void);

/* The probe of the runtime filter with this parameter; null if the node has none, or is no filter scan. */
extern RuntimeProbe *filter_scan_find_probe(PlanState *node, int param);

#endif
