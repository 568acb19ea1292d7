/*
 * The probes of a node in EXPLAIN.
 */
#ifndef FILTER_SCAN_PROBE_EXPLAIN_H
#define FILTER_SCAN_PROBE_EXPLAIN_H

#include "postgres.h"

#include "compat.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include "scan/row_filter.h"
#include "scan/runtime_filter.h"

/*
 * Show a probe and, with ANALYZE, its counts, in the group "Probes". The text is that of a condition or, if `runtime` is not
 * null, of the columns with which this runtime filter is probed.
 */
extern void probe_explain(const char *text, const RuntimeProbePlan *runtime, const ProbeCounts *counts, ExplainState *es);

#endif
