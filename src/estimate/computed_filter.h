/*
 * Planner estimates for a filter that the query computes or reads.
 */
#ifndef FILTER_ESTIMATE_COMPUTED_FILTER_H
#define FILTER_ESTIMATE_COMPUTED_FILTER_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/primnodes.h"

/* For a filter of one layer, at usual rates. */
#define USUAL_BYTES_PER_VALUE	1.3
#define USUAL_HEADER_BYTES		52.0

typedef struct ComputedFilter
{
	Const	   *constant;		/* the filter, if it turns out to be a constant; else null */
	double		values;			/* distinct values expected in any other filter; negative if nothing is known */
	bool		is_limit;		/* whether `values` is only an upper bound: there may be far fewer */
} ComputedFilter;

/* Estimate the filter that an expression returns. If root is null, only a constant is recognized. */
extern ComputedFilter computed_filter(PlannerInfo *root, Node *filter);

#endif
