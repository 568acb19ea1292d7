/*
 * Add runtime filters to the hash joins of a finished plan. A join makes a Bloom filter of the keys of its build side, and scans
 * on its probe side reject rows that are not in it.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H

#include "join_planner/walk.h"

typedef struct PlanChange
{
	PlanWalk	walk;
	bool		explains;		/* only find obstacles, and change nothing */
	int			filters;		/* the number of filters that have been made */
	const char *obstacle;		/* what keeps the join that is visited from a filter */
} PlanChange;

/* Take the wrappers of chosen filters out of a plan, and note the filters for plan_filters_make; or forget them. */
extern void plan_filters_unwrap(PlannedStmt *statement);
extern void plan_filters_forget(void);

/* Make the filters of a finished plan, in place. */
extern void plan_filters_make(PlannedStmt *statement);

/* Make a filter that one side of a join probes, or if `explains`, find out whether it can be made. If not, note the obstacle. */
extern bool plan_filter_of_side(PlanChange *change, HashJoin *join, bool probes_outer);

/* Whether these rows are too few to be filtered, which is noted as an obstacle. */
extern bool plan_has_few_rows(PlanChange *change, double rows);

#endif
