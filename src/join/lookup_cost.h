/*
 * What the lookups of nested loops cost, for the loops that there will be.
 */
#ifndef FILTER_JOIN_LOOKUP_COST_H
#define FILTER_JOIN_LOOKUP_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "utils/hsearch.h"

/* A path, its lookups taken for what they cost. */
typedef struct LookupCost
{
	Path	   *path;			/* the key in a hash table */
	Cost		added;			/* to the planner's cost */
	Cost		hidden;			/* part of it: what joins in the path cost more than their paths say */
	double		rows;			/* that there may be: at least those that the planner expects */
} LookupCost;

/* The cost of a path. `known` remembers those of the inputs of joins, for one run of the planner. */
extern LookupCost lookup_cost(HTAB *known, PlannerInfo *root, Path *path);

#endif
