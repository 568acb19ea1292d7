/*
 * The plan node that makes a join's filter: it passes rows on, and hashes their keys.
 *
 * Below the Hash node of the join, it has seen all rows when its input ends, which is before the join asks for the second
 * row of its other side.
 *
 * On the other side, it reads ahead: when a scan of the rows that are to be hashed asks for the filter, and that pays, it
 * reads all of its input, and keeps the rows. If they take too much memory, it gives up: there is no filter, and it reads
 * the rest when the join asks for it.
 *
 * Above the outer side of a nested loop that looks up rows, it passes the rows of the outer side on. When many of them have
 * been looked up, it reads the keys from a plan of their own.
 *
 * In a parallel query, each process makes a filter of all rows for itself, as the join does. In a Parallel Hash, where
 * each process hashes some of the rows for all, they make one filter together.
 */
#ifndef FILTER_JOIN_NODE_H
#define FILTER_JOIN_NODE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "scan/join_key.h"

/* Settings. */
extern bool join_filter_enabled;
extern bool join_filter_costs;	/* whether the planner regards filters */
extern int	join_filter_min_rows;	/* of the scan, as estimated */
extern double join_filter_max_match_fraction;	/* a fraction of the scanned rows */
extern int	join_filter_max_memory;		/* kilobytes */

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define JOIN_FILTER_NAME "CuckooJoinFilter"

/* What the plan node makes. */
typedef struct JoinFilterPlan
{
	int			number;			/* in EXPLAIN */
	int			param;			/* the executor parameter in which the scans find the filter */
	bool		reads_ahead;
	int			read_after;		/* rows that are looked up, or else scanned, before it pays to read ahead */
	Plan	   *table;			/* has the keys, as INNER_VAR, if the input has not; or null */
	List	   *keys;			/* of the rows: of join_key.h */
} JoinFilterPlan;

/* A finished plan node that passes the rows of a finished plan on. is_shared: the Hash node above is parallel-aware. */
extern Plan *join_filter_plan(Plan *input, int node_id, bool is_shared, const JoinFilterPlan *filter);

extern bool is_join_filter(const Plan *plan);

/* Define the node and its settings. Called once, when the library is loaded. */
extern void join_filter_node_init(void);

#endif
