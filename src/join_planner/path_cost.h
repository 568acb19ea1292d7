/*
 * Cost a hash join whose path contains runtime filters.
 */
#ifndef FILTER_JOIN_PATH_COST_H
#define FILTER_JOIN_PATH_COST_H

#include "join_planner/filter_path.h"

/* Set the costs of a hash join to those under all filters in its path. Its own filter is `own`, one of its inputs. */
extern void path_cost_set(PlannerInfo *root, HashPath *path, FilterPath *own);

#endif
