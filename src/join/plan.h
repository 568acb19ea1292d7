/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans of
 * its other side reject rows that are not in it.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Why joins of a finished plan have no filter: a list of JoinObstacle (obstacle.h). The plan stays as it is. */
extern List *runtime_filter_obstacles(PlannedStmt *statement);

/* Called once, when joins are first to filter themselves. */
extern void runtime_filter_install_hooks(void);

#endif
