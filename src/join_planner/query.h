/*
 * Find out which queries may have runtime filters in their joins.
 */
#ifndef FILTER_JOIN_QUERY_H
#define FILTER_JOIN_QUERY_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Why the joins of a query make no filters; null if a filter can only make the query faster. The planner must not have changed
 * the query yet. Joins make no filters if these are turned off, or if the query has no join, or has
 *
 * - volatile functions, other than in its own output: they would be called for fewer rows;
 * - conditions of row security, or security barriers: the number of rejected rows would show something of the rows that they
 *   hide; or a function in FROM that the planner may replace by its query;
 * - subqueries that lock rows, and thus may return other rows when they are executed again.
 */
extern const char *query_obstacle(Query *query);

/*
 * Whether a query may be executed again with other parameters: it, or a query that contains it, depends on a row of an outer
 * query, or is recursive. In the finished plan, sides that do not change can still have filters.
 */
extern bool query_changes_when_repeated(PlannerInfo *root);

/*
 * Whether an expression of a query depends on a parameter that can change from one execution of the query to the next. The result
 * of a sub-select that depends on none does not change. In the finished plan, walk.c finds out exactly.
 */
extern bool query_expression_changes(PlannerInfo *root, Node *expression);

/* Whether the nodes above a join of a query read all of its rows. In the finished plan, walk.c finds out exactly. */
extern bool query_is_read_whole(const PlannerInfo *root, const RelOptInfo *rel);

#endif
