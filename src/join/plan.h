/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans of
 * its other side reject rows that are not in it.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

#include "join/obstacle.h"

/* Why no join of a query has a filter; OBSTACLE_NONE if some may have one. The planner has not changed the query yet. */
extern Obstacle runtime_filter_query_obstacle(Query *query);

/* Why joins of a finished plan have no filter: a list of JoinObstacle. The plan stays as it is. */
extern List *runtime_filter_obstacles(PlannedStmt *statement);

/* Called once, when joins are first to filter themselves. */
extern void runtime_filter_install_hooks(void);

#endif
