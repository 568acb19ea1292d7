/*
 * What the lookups of nested loops cost, for the loops that there will be.
 */
#ifndef FILTER_JOIN_LOOKUP_COST_H
#define FILTER_JOIN_LOOKUP_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * What a nested loop's own lookups cost more than the planner charges for them, or less; 0 for other paths, and for one that costs
 * more than its rival whatever its lookups cost.
 */
extern Cost lookup_cost_correction(PlannerInfo *root, Path *path, Cost rival);

/* What a lookup costs if it is one of so many; -1: the inner path of a nested loop does not look up rows by an index. */
extern Cost lookup_cost_in_loops(PlannerInfo *root, const Path *inner, double loops);

#endif
