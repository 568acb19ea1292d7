/*
 * Filters in the choice of a plan: hash joins whose scans probe a filter are offered to the planner, as paths that cost
 * less by what that saves.
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
