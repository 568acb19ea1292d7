/*
 * Filters in the choice of a plan: hash joins whose scans probe a filter are offered to the planner, as paths that cost
 * less by what that saves.
 */
#ifndef FILTER_JOIN_PATHS_H
#define FILTER_JOIN_PATHS_H
#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Begin a run of the planner in which paths are offered, or are not. It may be within another one, which evaluates a
 * function. Returns the state of that, with which this one must be ended, also after an error.
 */
typedef struct JoinPathsRun JoinPathsRun;

extern JoinPathsRun *join_paths_begin(bool offers);
extern void join_paths_end(JoinPathsRun *outer);

/* Whether paths are offered in this run, to any query; offer them to this one, or to none. Returns that before. */
extern bool join_paths_are_offered(void);
extern PlannerInfo *join_paths_offer(PlannerInfo *root);

/* The cheapest join with a filter that has been found for a relation of this query; or null. */
extern HashPath *join_paths_filtered(PlannerInfo *root, RelOptInfo *rel, bool is_partial);

/* Install the hook that finds them. If `at_once`, they join the paths of their relation as soon as they are found. */
extern void join_paths_install(bool at_once);

#endif
