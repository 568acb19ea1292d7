/*
 * What a path costs if its scans probe filters of joins above it.
 */
#ifndef FILTER_JOIN_PATH_COST_H
#define FILTER_JOIN_PATH_COST_H

#include "join/filter_path.h"

/*
 * The rows that scans below a path would probe with, for a filter of the path's columns; 0: no scan does. If `at_once`, those
 * are left out that a node above them reads all rows of before it returns one.
 */
extern double path_cost_probes(Path *path, List *keys, bool at_once);

/* Whether a path is a JoinPath. */
extern bool path_cost_is_join(const Path *path);

/* The input of a node that passes rows on, or null. */
extern Path *path_cost_input(Path *path);

/* What is left of a path's cost, at least, if filters reject all rows: the pages of its tables are still read. */
extern Cost path_cost_least(Path *path);

/* What a join costs; if it has a filter, what path_cost_set has set, even if that was changed since. */
extern Cost path_cost_of_join(const JoinPath *join);

/* Set the costs of a hash join with a filter (an input is a FilterPath) to those with all filters in it. */
extern void path_cost_set(HashPath *path);

#endif
