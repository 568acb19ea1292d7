/*
 * Queries in which joins may make filters.
 */
#ifndef FILTER_JOIN_QUERY_H
#define FILTER_JOIN_QUERY_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Why the joins of a query make no filters; null if a filter can only make the query faster. The planner has not changed it yet.
 * They do not if they are turned off, or if the query has no join, or has
 *
 * - volatile functions, other than in its own output: they would be called for fewer rows;
 * - conditions of row security, or security barriers: the number of rejected rows would show something of those rows
 *   that they hide; so would functions in FROM that are written in SQL, since the planner replaces them by their query;
 * - subqueries that lock rows, and thus may return other rows when they are executed again.
 */
extern const char *query_obstacle(Query *query);

/*
 * Whether a query that is planned is executed again with other parameters: it, or one that it is part of, depends on a row of an
 * outer query, or is recursive. In the finished plan, it can still get filters, of sides that do not change.
 */
extern bool query_changes_when_repeated(PlannerInfo *root);

/*
 * Whether an expression of a query depends on a parameter that can change from one execution of the query to the next: others than
 * the results of sub-selects that depend on none. In the finished plan, walk.c finds out exactly.
 */
extern bool query_expression_changes(PlannerInfo *root, Node *expression);

/* Whether what is above a join of a query reads all of its rows. walk.c knows what does. */
extern bool query_is_read_whole(const PlannerInfo *root, const RelOptInfo *rel);

#endif
