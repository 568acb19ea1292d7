/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans of
 * its other side reject rows that are not in it.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H

#include "join_planner/walk.h"

typedef struct PlanChange
{
	PlanWalk	walk;
	bool		explains;		/* nothing is changed */
	int			filters;		/* that have been made */
	const char *obstacle;		/* what keeps the join that is visited from a filter */
} PlanChange;

/* Take out of a plan what the paths of filters have become, to make them later; or do not make them after all. */
extern void plan_filters_take_out(PlannedStmt *statement);
extern void plan_filters_forget(void);

/* Make the filters of a finished plan, in place. */
extern void plan_filters_make(PlannedStmt *statement);

/* Make a filter that one side of a join probes, or find out whether it can be made. If it cannot, its obstacle is noted. */
extern bool plan_filter_of_side(PlanChange *change, HashJoin *join, bool probes_outer);

/* Whether these rows are too few to be filtered, which is noted as an obstacle. */
extern bool plan_has_few_rows(PlanChange *change, double rows);

#endif
