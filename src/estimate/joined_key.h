/*
 * What the planner knows of the key of a probe: its column, the number of its values, and whether the query joins on it.
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
 * Whether the query joins the key's table with another one on equality with that key, so that the join removes rows, or
 * compares the key with a constant. Joins of the outer queries count if the key is an output column of the subquery that
 * root plans.
 */
extern bool key_is_joined(PlannerInfo *root, Node *key);

/* A base relation of the query; null if it has none with this number. */
extern RelOptInfo *relation_of(PlannerInfo *root, int relation);

/* The number of the only base relation among relids, which may include outer joins; 0 if there is none or more than one. */
extern int	key_relation(PlannerInfo *root, Relids relids);

#endif
