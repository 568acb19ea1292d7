/*
 * The plan node that makes a join's filter: below the Hash node of the join, it passes the rows on, and hashes their
 * keys. It has seen them all when its input ends, which is before the join asks for the second row of its other side.
 *
 * In a parallel query, each process makes a filter of all rows for itself, as the join does. In a Parallel Hash, where
 * each process hashes some of the rows for all, they make one filter together.
 */
#ifndef FILTER_JOIN_BUILD_H
#define FILTER_JOIN_BUILD_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define JOIN_FILTER_NAME "CuckooJoinFilter"

/* What the plan node makes. */
typedef struct JoinFilterPlan
{
	int			number;			/* in EXPLAIN */
	int			param;			/* the executor parameter in which the scans find the filter */
	List	   *keys;			/* expressions over the rows */
	List	   *functions;		/* oids: the hash function of each */
	List	   *collations;		/* oids */
	List	   *by_integer;		/* see key_hash_init */
} JoinFilterPlan;

/* A finished plan node that passes the rows of a finished plan on. is_shared: the Hash node above is parallel-aware. */
extern Plan *join_filter_plan(Plan *input, int node_id, bool is_shared, const JoinFilterPlan *filter);

extern bool is_join_filter(const Plan *plan);

/* Register the node. Called once, when the library is loaded. */
extern void join_filter_build_init(void);

#endif
