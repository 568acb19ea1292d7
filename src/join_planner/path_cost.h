/*
 * What a path costs if its scans probe filters of joins above it.
 */
#ifndef FILTER_JOIN_PATH_COST_H
#define FILTER_JOIN_PATH_COST_H

#include "join_planner/filter_path.h"

/* Set the costs of a hash join to those with all filters in it. Its own is one of its inputs. */
extern void path_cost_set(PlannerInfo *root, HashPath *path, FilterPath *own);

#endif
