/*
 * The plan node that makes a join's filter: it passes rows on, and hashes their keys.
 */
#ifndef FILTER_JOIN_NODE_H
#define FILTER_JOIN_NODE_H

#include "postgres.h"

#include "join/read_ahead.h"
#include "scan/join_key.h"

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define RUNTIME_FILTER_NAME "CuckooRuntimeFilter"

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

extern bool is_runtime_filter(const Plan *plan);

/* Define the node. Called once, when the library is loaded. */
extern void runtime_filter_node_init(void);

/* Install the node's hook. Called once, when joins are first to filter themselves. */
extern void runtime_filter_node_install(void);

#endif
