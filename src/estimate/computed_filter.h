/*
 * Planner estimates for a filter that the query computes.
 */
#ifndef FILTER_ESTIMATE_COMPUTED_FILTER_H
#define FILTER_ESTIMATE_COMPUTED_FILTER_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/primnodes.h"

typedef struct ComputedFilter
{
	Const	   *constant;		/* the filter, if it turns out to be a constant; else null */
	double		values;			/* distinct values expected in any other filter; negative if nothing is known */
} ComputedFilter;

/* Estimate the filter that an expression returns. If root is null, only a constant is recognized. */
extern ComputedFilter computed_filter(PlannerInfo *root, Node *filter);

#endif
