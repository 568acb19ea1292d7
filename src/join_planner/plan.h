/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans of
 * its other side reject rows that are not in it.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H
#include "postgres.h"

#include "nodes/plannodes.h"

/* What keeps a join from a runtime filter. */
typedef struct JoinObstacle
{
	const Plan *join;
	const char *text;			/* ends "... has no runtime filter: " */
	Bitmapset  *tables[2];		/* the range table indexes of what is scanned on the outer and the inner side */
} JoinObstacle;

/* Of all joins of a finished plan without a filter: a list of JoinObstacle. The plan stays as it is. */
extern List *runtime_filter_obstacles(PlannedStmt *statement);

/* Called once, when joins are first to filter themselves. */
extern void runtime_filter_install_hooks(void);

#endif
