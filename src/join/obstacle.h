/*
 * Why a join has no runtime filter, in words that lead to the cure.
 */
#ifndef FILTER_JOIN_OBSTACLE_H
#define FILTER_JOIN_OBSTACLE_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Of what is found at several tables, sides or keys of a join, the greatest is nearest to a filter. */
typedef enum Obstacle
{
	OBSTACLE_NONE,

	/* Of the whole query. */
	FILTERS_ARE_OFF,
	QUERY_HAS_NO_JOIN,
	QUERY_IS_VOLATILE,
	QUERY_LOCKS_ROWS,
	QUERY_HIDES_ROWS,
	QUERY_INLINES_FUNCTION,

	/* Of a join and a side of it, in the order in which they are looked for. */
	NO_HASH_JOIN,
	JOIN_KEEPS_OUTER,
	JOIN_KEEPS_INNER,
	BUILD_HAS_PARAMETER,
	BUILD_IS_SHARED,
	BUILD_MAY_DIFFER,
	KEY_IS_NO_COLUMN,
	KEY_IS_EXPENSIVE,

	/* Of a node between the join and a scan. */
	PROBE_IS_OTHER,
	PROBE_IS_CHANGED,
	PROBE_IS_INDEX_SCAN,
	PROBE_IS_FOREIGN,
	PROBE_IS_CTE,
	PROBE_IS_BELOW_LIMIT,
	PROBE_IS_BELOW_GATHER,
	PROBE_IS_GROUPED,
	PROBE_IS_KEPT,
	PROBE_IS_EARLY,

	/* Of what a filter is worth. */
	BUILD_READ_IN_PART,
	BUILD_EXCEEDS_MEMORY,
	BUILD_HAS_MANY_ROWS,
	PROBE_HAS_FEW_ROWS,
	MANY_ROWS_MATCH
} Obstacle;

typedef struct JoinObstacle
{
	const Plan *join;
	Obstacle	obstacle;
	double		number;			/* that its text has, if it has one */
	Bitmapset  *tables[2];		/* the range table indexes of what is scanned on the outer and the inner side */
} JoinObstacle;

extern char *obstacle_text(Obstacle obstacle, double number);

/* What a node is to a filter that cannot be pushed into it. */
extern Obstacle obstacle_of_node(const Plan *plan);

/* Tell the client why joins of a plan have no filters: a list of JoinObstacle. */
extern void obstacles_report(const PlannedStmt *statement, Obstacle of_query, const List *of_joins);

#endif
