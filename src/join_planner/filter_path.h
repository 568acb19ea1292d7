/*
 * A FilterPath carries a join's filter from the path into the plan: it wraps the side of the hash join of whose rows the filter
 * is made. In the plan, plan.c removes it, and decides whether the filter can be made.
 */
#ifndef FILTER_JOIN_FILTER_PATH_H
#define FILTER_JOIN_FILTER_PATH_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "plan_nodes/plan_structs.h"

/* A filter that scans below a path probe. */
typedef struct PathFilter
{
	List	   *keys;			/* of JoinKey: columns of one table or subquery */
	List	   *clauses;		/* the indexes of the hash clauses that the keys are from */
	double		passing;
	bool		at_once;		/* some rows are probed before the filter is made */
} PathFilter;

typedef struct FilterPath
{
	CustomPath	custom;			/* its only child is the build side */
	PathFilter	filter;			/* its keys are columns of the probe side */
	Cost		own_cost;		/* of the join without its filter and without its inputs */
} FilterPath;

/* Wrap a path, to be an input of a hash join. */
extern FilterPath *filter_path_create(Path *side, PathFilter filter);

/* Cast a path to a FilterPath; null if it is none. */
extern FilterPath *filter_path_of(Path *path);

extern bool path_is_join(const Path *path);

/* The input of a path whose node passes rows on; null for other paths. */
extern Path *path_input(Path *path);

/*
 * If a plan was made of a FilterPath, replace it by the plan of the wrapped side, and return the filter. Return null for another
 * plan.
 */
extern const ChosenFilterPlan *filter_path_unwrap(Plan **plan);

#endif
