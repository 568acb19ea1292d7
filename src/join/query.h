/*
 * Queries in which joins may make filters.
 */
#ifndef FILTER_JOIN_QUERY_H
#define FILTER_JOIN_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"

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

#endif
