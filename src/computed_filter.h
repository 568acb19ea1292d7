/*
 * What the planner can find out about a filter that the query computes or reads.
 */
#ifndef FILTER_COMPUTED_FILTER_H
#define FILTER_COMPUTED_FILTER_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/primnodes.h"

#define USUAL_BYTES_PER_VALUE	1.3		/* of a filter at usual rates */

typedef struct ComputedFilter
{
	Const	   *constant;		/* the filter, if it is a constant in the end; else null */
	double		values;			/* distinct values expected in any other filter; negative if nothing is known */
} ComputedFilter;

/* root may be null: then only a constant is recognised. */
extern ComputedFilter computed_filter(PlannerInfo *root, Node *filter);

#endif
