/*
 * What a path costs if its scans probe filters of joins above it.
 */
#ifndef FILTER_JOIN_PATH_COST_H
#define FILTER_JOIN_PATH_COST_H

#include "join_planner/filter_path.h"

/*
 * The rows that scans below a path would probe with, for a filter of the path's columns; 0: no scan does. If `at_once`, those
 * are left out that a node above them reads all rows of before it returns one.
 */
extern double path_cost_probes(PlannerInfo *root, Path *path, List *keys, bool at_once);

/* Set the costs of a hash join to those with all filters in it. Its own is one of its inputs. */
extern void path_cost_set(PlannerInfo *root, HashPath *path, FilterPath *own);

#endif
