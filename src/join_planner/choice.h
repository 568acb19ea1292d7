/*
 * For each query level, choose between PostgreSQL's plan for the joins and the best one with runtime filters.
 */
#ifndef FILTER_JOIN_CHOICE_H
#define FILTER_JOIN_CHOICE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Make the choice when PostgreSQL has searched for the order of joins, for the relation of all tables of the query. If a plan
 * with filters is chosen, its paths replace those of the relation.
 */
extern void join_choice_make(PlannerInfo *root, RelOptInfo *rel);

#endif
