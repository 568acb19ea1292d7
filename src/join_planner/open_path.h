/*
 * Find paths of tables and subqueries that are open to filters from above.
 */
#ifndef FILTER_JOIN_OPEN_PATH_H
#define FILTER_JOIN_OPEN_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* A path of a table or subquery whose scans read whole tables; null if there is none. */
extern Path *open_path_of(PlannerInfo *root, RelOptInfo *rel, bool is_partial);

/* The cheapest path of a relation without parameters, or null. */
extern Path *cheapest_path_of(const RelOptInfo *rel, bool is_partial);

#endif
