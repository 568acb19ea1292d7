/*
 * Filters in the choice of a plan: hash joins whose scans probe a filter are offered to the planner, as paths that cost
 * less by what that saves. plan.c makes the filters, in the finished plan.
 *
 * The planner builds joins up from their inputs, and keeps only the cheapest of each. A join that will be cheap because of
 * a filter from above, which is not known yet, would be lost. So the best one of sequential scans and hash joins is kept,
 * too, and offered as an input.
 */
#ifndef FILTER_JOIN_PATHS_H
#define FILTER_JOIN_PATHS_H

#include "postgres.h"

/*
 * Begin a run of the planner in which paths are offered, or are not. It may be within another one, which evaluates a
 * function. Returns the state of that, with which this one must be ended, also after an error.
 */
typedef struct JoinPathsRun JoinPathsRun;

extern JoinPathsRun *join_paths_begin(bool offers);
extern void join_paths_end(JoinPathsRun *outer);

/* Install the hook. Called once, when joins are first to filter themselves. */
extern void join_paths_install(void);

#endif
