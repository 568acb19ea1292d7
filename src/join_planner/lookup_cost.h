/*
 * What the lookups of nested loops may cost.
 */
#ifndef FILTER_JOIN_LOOKUP_COST_H
#define FILTER_JOIN_LOOKUP_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * What the lookups of all nested loops of a path cost more than expected, if there are as many as there may be, and their pages have
 * their prices; negative if they cost less.
 */
extern Cost lookup_cost_fear(PlannerInfo *root, Path *path);

/* The same of the lookups of one nested loop, without those below it. */
extern Cost lookup_cost_fear_of_loop(PlannerInfo *root, const JoinPath *join);

/* What a lookup costs if it is one of so many; -1: the inner path of a nested loop does not look up rows by an index. */
extern Cost lookup_cost_in_loops(PlannerInfo *root, const Path *inner, double loops);

#endif
