/*
 * Filters in the choice of a plan: hash joins whose scans probe a filter are offered to the planner, as paths that cost
 * less by what that saves.
 */
#ifndef FILTER_JOIN_PATHS_H
#define FILTER_JOIN_PATHS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "utils/hsearch.h"

/* A run of the planner in which paths are offered. It may be within another one, which evaluates a function. */
typedef struct JoinPathsRun
{
	PlannerInfo *searched;		/* the query to whose joins paths are offered, or null */

	/* What has been found. */
	HTAB	   *relations;		/* of RelationPaths */
	List	   *keys;			/* of clauses: see join_keys_of_path */
} JoinPathsRun;

/* This run, or null if no paths are offered in it. */
extern JoinPathsRun *join_paths_run;

/* The cheapest join with a filter that has been found for a relation of this query; or null. */
extern HashPath *join_paths_filtered(PlannerInfo *root, RelOptInfo *rel, bool is_partial);

/* Install the hook that finds them. If `at_once`, they join the paths of their relation as soon as they are found. */
extern void join_paths_install(bool at_once);

#endif
