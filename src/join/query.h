/*
 * Queries in which joins may make filters.
 */
#ifndef FILTER_JOIN_QUERY_H
#define FILTER_JOIN_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "join/obstacle.h"

/*
 * OBSTACLE_NONE if a filter can only make the query faster. The planner has not changed the query yet. Not if it has no join,
 * or has
 *
 * - volatile functions, other than in its own output: they would be called for fewer rows;
 * - conditions of row security, or security barriers: the number of rejected rows would show something of those rows
 *   that they hide; so would functions in FROM that are written in SQL, since the planner replaces them by their query;
 * - subqueries that lock rows, and thus may return other rows when they are executed again.
 */
extern Obstacle query_obstacle(Query *query);

#endif
