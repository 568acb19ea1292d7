/*
 * Find the best plan with runtime filters for the joins of a query, beside the one that PostgreSQL finds.
 */
#ifndef FILTER_JOIN_PATHS_H
#define FILTER_JOIN_PATHS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "utils/hsearch.h"

/* A path, and the cost of its lookups beyond the expected one: see lookup_cost.h. */
typedef struct CostedPath
{
	Path	   *path;			/* may be null */
	Cost		fear;
} CostedPath;

/* A run of the planner in which joins are noted. Runs nest if the planner evaluates a function. */
typedef struct JoinPathsRun
{
	PlannerInfo *searched;		/* the query whose joins are noted, or null */
	List	   *joins;			/* of NotedJoin */
	double		trust;			/* the weight of what PostgreSQL expects of lookups: see join_paths_score */

	HTAB	   *relations;		/* of RelationPaths */
	List	   *keys;			/* of clauses: see join_keys_of_path */
	List	   *choices;		/* of char *: what was decided for each query level, to be reported */
} JoinPathsRun;

/* The present run, or null if no joins are noted in it. */
extern JoinPathsRun *join_paths_run;

/*
 * The score by which paths are compared is a weighted geometric mean of the expected and the feared cost: that a path takes twice
 * as long as another one in one case weighs as much as that it takes half as long in the other. The less of the tables shared
 * buffers can hold, the more the feared cost counts: PostgreSQL expects that pages which were read once stay in memory.
 */
extern Cost join_paths_score(Cost expected, Cost fear);

/* Begin to note the joins that PostgreSQL considers in its search for this query; false if no table of it may get a filter. */
extern bool join_paths_note(PlannerInfo *root);

/*
 * After PostgreSQL's search, find the cheapest whole and the cheapest partial path with filters for the relation of all tables of
 * the query. Either may be null. False if both are, or, which is checked first, if no large table costs at most `most` to read.
 */
extern bool join_paths_find(PlannerInfo *root, RelOptInfo *rel, Cost most, CostedPath filtered[2]);

/* Install the hook that notes joins. */
extern void join_paths_install(void);

#endif
