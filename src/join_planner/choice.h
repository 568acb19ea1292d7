/*
 * The choice between PostgreSQL's plan for the joins of a query and the best one with runtime filters.
 */
#ifndef FILTER_JOIN_CHOICE_H
#define FILTER_JOIN_CHOICE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Called when PostgreSQL has searched for the order of joins, with the relation of all tables of the query: if a plan with filters
 * is chosen, its paths join those of the relation, or replace them.
 */
extern void join_choice_make(PlannerInfo *root, RelOptInfo *rel);

#endif
