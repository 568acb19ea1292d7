/*
 * A join's filter in a path: the side of a hash join whose rows it is made of, wrapped, so that the filter gets from the
 * path into the plan. There, plan.c takes it out, and decides whether the filter can be made.
 */
#ifndef FILTER_JOIN_FILTER_PATH_H
#define FILTER_JOIN_FILTER_PATH_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "plan_nodes/plan_structs.h"

/* A filter that scans below a path probe; the fraction of rows that pass is an estimate. */
typedef struct PathFilter
{
	List	   *keys;			/* of JoinKey: columns of one table or subquery */
	List	   *clauses;		/* the indexes of the hash clauses that they are from */
	double		passing;
	bool		at_once;		/* some rows are probed before the filter is made */
} PathFilter;

typedef struct FilterPath
{
	CustomPath	custom;			/* its only child is the side */
	PathFilter	filter;			/* its keys are of the other side */
	Cost		own_cost;		/* of the join without its filter, and without what its sides cost */
} FilterPath;

/* A wrapped path, to be an input of a hash join. */
extern FilterPath *filter_path_create(Path *side, PathFilter filter);

/* The path as such a one, or null. */
extern FilterPath *filter_path_of(Path *path);

/* Whether a path is a JoinPath. */
extern bool path_is_join(const Path *path);

/* The input of a node that passes rows on, or null. */
extern Path *path_input(Path *path);

/* The plan that such a path became is replaced by that of the side; returns its filter, or null for another plan. */
extern const ChosenFilterPlan *filter_path_take_out(Plan **plan);

#endif
