/*
 * The plan node that makes a join's filter: it passes rows on, and hashes their keys.
 */
#ifndef FILTER_PLAN_RUNTIME_FILTER_PLAN_H
#define FILTER_PLAN_RUNTIME_FILTER_PLAN_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "plan_nodes/plan_structs.h"

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define RUNTIME_FILTER_NAME "CuckooRuntimeFilter"

/* A finished plan node that passes the rows of a finished plan on. is_shared: the Hash node above is parallel-aware. */
extern Plan *runtime_filter_plan(Plan *input, bool is_shared, RuntimeFilterPlan *filter);

extern bool is_runtime_filter(const Plan *plan);

/* Of the executor. */
extern const CustomScanMethods runtime_filter_methods;

#endif
