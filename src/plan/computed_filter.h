/*
 * Planner estimates for a filter that the query computes or reads.
 */
#ifndef FILTER_PLAN_COMPUTED_FILTER_H
#define FILTER_PLAN_COMPUTED_FILTER_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/primnodes.h"

/* Of a filter of one layer, at usual rates. */
#define USUAL_BYTES_PER_VALUE	1.3
#define USUAL_HEADER_BYTES		52.0

typedef struct ComputedFilter
{
	Const	   *constant;		/* the filter, if it turns out to be a constant; else null */
	double		values;			/* distinct values expected in any other filter; negative if nothing is known */
	bool		is_limit;		/* `values` is an upper bound: there may be far fewer */
} ComputedFilter;

/* root may be null: then only a constant is recognised. */
extern ComputedFilter computed_filter(PlannerInfo *root, Node *filter);

#endif
