/*
 * Keys of probes in the planner: the column of a key, the number of its values, and the fraction of them that remains
 * after the query's joins.
 */
#ifndef FILTER_ESTIMATE_JOINED_KEY_H
#define FILTER_ESTIMATE_JOINED_KEY_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* For a column of a partition or other child, the column of the table named in the query; any other node unchanged. */
extern Node *key_of_table(PlannerInfo *root, Node *key);

/*
 * The number of distinct values of a key in the query's table, even if the key is a column of one partition. Negative
 * if the statistics do not provide it. relation is the varRelid of clause_selectivity.
 */
extern double key_distinct(PlannerInfo *root, Node *key, int relation);

/*
 * The fraction of a key's values that remain after the join on that key, or after the most selective one if there are
 * several. 0 if there is a join but no estimate for it, KEY_NOT_JOINED if there is no join. distinct is the result of
 * key_distinct. Joins of the outer queries count if the key is an output column of the subquery that root plans.
 */
#define KEY_NOT_JOINED	2.0

extern double key_joined_fraction(PlannerInfo *root, Node *key, double distinct);

/* The only base relation among relids, which may include outer joins; 0 if there is none or more than one. */
extern int	key_relation(PlannerInfo *root, Relids relids);

#endif
