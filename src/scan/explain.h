/*
 * What EXPLAIN shows of the probes of a filter scan.
 */
#ifndef FILTER_SCAN_EXPLAIN_H
#define FILTER_SCAN_EXPLAIN_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "compat.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include "scan/probe_page.h"

/*
 * The conditions and the runtime filters and, with ANALYZE, their counts: totals of all loops and all processes.
 */
extern void explain_probes(PlanState *node, List *conditions, List *runtime_probes, const ProbeCounts *counts,
						   List *ancestors, ExplainState *es);

#endif
