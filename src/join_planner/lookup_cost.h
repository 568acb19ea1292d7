/*
 * Estimate what the lookups of nested loops may cost beyond the planner's expectation.
 */
#ifndef FILTER_JOIN_LOOKUP_COST_H
#define FILTER_JOIN_LOOKUP_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * The cost that the lookups of all nested loops of a path have beyond the expected one, if there are as many as there may be, and
 * their pages cost less in memory than elsewhere; negative if the lookups cost less than expected.
 */
extern Cost lookup_cost_fear(PlannerInfo *root, Path *path);

/* Return the same as lookup_cost_fear for one nested loop, without the nested loops below it. */
extern Cost lookup_cost_fear_of_loop(PlannerInfo *root, const JoinPath *join);

/* The cost of a lookup that is one of this many; -1: the inner path of a nested loop does not look up rows by an index. */
extern Cost lookup_cost_in_loops(PlannerInfo *root, const Path *inner, double loops);

#endif
