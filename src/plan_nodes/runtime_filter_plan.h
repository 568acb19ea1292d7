/*
 * The plan node that makes a join's filter: it passes rows on, and hashes their keys.
 */
#ifndef FILTER_PLAN_RUNTIME_FILTER_PLAN_H
#define FILTER_PLAN_RUNTIME_FILTER_PLAN_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "plan_nodes/join_key.h"

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define RUNTIME_FILTER_NAME "CuckooRuntimeFilter"

/* Whether a node returns all of its rows, once it is executed. */
typedef enum ReadWhole
{
	READ_IN_PART,
	READ_WHOLE_IF_RESULT_IS,	/* if whoever executes the statement fetches all rows of its result */
	READ_WHOLE
} ReadWhole;

/* The number of rows that are kept at most, whatever the plan says: a list has room for them. */
#define READ_AHEAD_ROWS		(1 << 25)

/* What the plan node makes. */
typedef struct RuntimeFilterPlan
{
	int			number;			/* in EXPLAIN */
	int			param;			/* the executor parameter in which the scans find the filter */
	ReadWhole	reads_ahead;	/* on the outer side of the join; below its Hash, READ_IN_PART */
	int			rows;			/* that are read ahead at most */
	List	   *keys;			/* of the rows: of join_key.h */
} RuntimeFilterPlan;

/* A finished plan node that passes the rows of a finished plan on. is_shared: the Hash node above is parallel-aware. */
extern Plan *runtime_filter_plan(Plan *input, bool is_shared, const RuntimeFilterPlan *filter);

/* What such a node makes. */
extern void runtime_filter_from_plan(RuntimeFilterPlan *filter, const CustomScan *plan);

extern bool is_runtime_filter(const Plan *plan);

/* Of the executor. */
extern const CustomScanMethods runtime_filter_methods;

#endif
