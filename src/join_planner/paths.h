/*
 * The best plan with runtime filters for the joins of a query, beside the one that PostgreSQL finds.
 */
#ifndef FILTER_JOIN_PATHS_H
#define FILTER_JOIN_PATHS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "utils/hsearch.h"

/* A path, and what its lookups may cost more than PostgreSQL expects, or less: see lookup_cost.h. */
typedef struct CostedPath
{
	Path	   *path;			/* may be null */
	Cost		fear;
} CostedPath;

/* A run of the planner in which joins are noted. It may be within another one, which evaluates a function. */
typedef struct JoinPathsRun
{
	PlannerInfo *searched;		/* the query whose joins are noted, or null */
	List	   *joins;			/* of NotedJoin */
	double		trust;			/* the weight of what PostgreSQL expects of lookups: see join_paths_score */

	/* What has been found. */
	HTAB	   *relations;		/* of RelationPaths */
	List	   *keys;			/* of clauses: see join_keys_of_path */
	List	   *choices;		/* of char *: what was decided for each query level, to be reported */
} JoinPathsRun;

/* This run, or null if no joins are noted in it. */
extern JoinPathsRun *join_paths_run;

/*
 * By what paths of the query are compared: the geometric mean of the expected and the feared cost, so that a case in which a path
 * takes twice as long as another one weighs as much as one in which it takes half as long. The less of the tables shared buffers can
 * hold, the more the feared cost counts: PostgreSQL expects that pages which were read once stay in memory.
 */
extern Cost join_paths_score(Cost expected, Cost fear);

/* Note the joins that PostgreSQL regards in its search for this query. */
extern void join_paths_note(PlannerInfo *root);

/*
 * After this search: the cheapest whole and the cheapest partial path with filters, each of which may be null, for the relation of
 * all tables of the query. False if there is none, or, which is found out first, if reading a large table costs more than `most`.
 */
extern bool join_paths_find(PlannerInfo *root, RelOptInfo *rel, Cost most, CostedPath filtered[2]);

/* Install the hook that notes joins. */
extern void join_paths_install(void);

#endif
