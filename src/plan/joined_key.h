/*
 * Keys in the planner: which column a key is, how many values it has, and how many of them the query's joins leave.
 */
#ifndef FILTER_PLAN_JOINED_KEY_H
#define FILTER_PLAN_JOINED_KEY_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* The column of the query's own table that a column of a partition or other child represents; any other node itself. */
extern Node *key_of_table(PlannerInfo *root, Node *key);

/*
 * The number of distinct values of a key in the query's own table, even if the key is a column of one partition. Negative
 * if the statistics do not tell. relation is the varRelid of clause_selectivity.
 */
extern double key_distinct(PlannerInfo *root, Node *key, int relation);

/*
 * The fraction of a key's values that remain after the joins on that key, or after the most selective one where there are
 * several. 0 where there is a join but no estimate of what it leaves, KEY_NOT_JOINED where there is none. distinct is that of
 * key_distinct. Joins of the outer queries count, if the key is an output column of the subquery that root plans.
 */
#define KEY_NOT_JOINED	2.0

extern double key_joined_fraction(PlannerInfo *root, Node *key, double distinct);

/* The only base relation among relids, which may have outer joins as well; 0 if there is none or several. */
extern int	key_relation(PlannerInfo *root, Relids relids);

#endif
