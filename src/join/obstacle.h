/*
 * Why a join has no runtime filter: what keeps it from one, as a text that ends "... has no runtime filter: ".
 */
#ifndef FILTER_JOIN_OBSTACLE_H
#define FILTER_JOIN_OBSTACLE_H

#include "postgres.h"

#include "nodes/plannodes.h"

typedef struct JoinObstacle
{
	const Plan *join;
	const char *text;			/* null: none is known */
	double		number;			/* if the text contains a format for one */
	Bitmapset  *tables[2];		/* the range table indexes of what is scanned on the outer and the inner side */
} JoinObstacle;

extern char *obstacle_text(const JoinObstacle *obstacle);

/* Tell the client: of each of a list of JoinObstacle; or only of the whole query, if that has an obstacle. */
extern void obstacles_report(const PlannedStmt *statement, const char *of_query, const List *of_joins);

#endif
