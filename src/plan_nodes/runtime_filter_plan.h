/*
 * The plan node that makes a join's filter passes rows on, and hashes their keys.
 */
#ifndef FILTER_PLAN_RUNTIME_FILTER_PLAN_H
#define FILTER_PLAN_RUNTIME_FILTER_PLAN_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "plan_nodes/plan_structs.h"

/* EXPLAIN shows this name, and parallel workers find the node by it. */
#define RUNTIME_FILTER_NAME "CuckooRuntimeFilter"

/* Create a finished plan node that passes the rows of a finished plan on. is_shared: the Hash node above is parallel-aware. */
extern Plan *runtime_filter_plan(Plan *input, bool is_shared, RuntimeFilterPlan *filter);

extern bool is_runtime_filter(const Plan *plan);

/* The executor defines these. */
extern const CustomScanMethods runtime_filter_methods;

#endif
