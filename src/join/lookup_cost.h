/*
 * What the lookups of nested loops cost, for the loops that there will be.
 */
#ifndef FILTER_JOIN_LOOKUP_COST_H
#define FILTER_JOIN_LOOKUP_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * What a path costs more than the planner expects, since its lookups share fewer pages, and since the costs of joins in it were
 * hidden.
 */
extern Cost lookup_cost_added(PlannerInfo *root, Path *path);

/* Whether a path takes far longer if a join has a few rows more than the planner expects: a nested loop has no lookup. */
extern bool lookup_cost_is_uncertain(Path *path);

#endif
