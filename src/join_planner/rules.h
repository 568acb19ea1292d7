/*
 * These rules say whether a filter of one side of a join can be probed in the scans of the other, and is worth making.
 */
#ifndef FILTER_JOIN_RULES_H
#define FILTER_JOIN_RULES_H

#include "postgres.h"

#include "nodes/nodes.h"

typedef enum JoinRule
{
	/* The join drops outer rows that have no match, so it can make a filter of its inner side. */
	JOIN_DROPS_OUTER = 1,
	/* The join drops inner rows that have no match, and a missing outer row changes no result row but its own. */
	JOIN_DROPS_INNER = 2,
	/* A missing inner row changes no result row but its own. */
	JOIN_CAN_LOSE_INNER = 4,
	/* A hash join never asks for an outer row before it has hashed the inner side. */
	JOIN_HASHES_FIRST = 8,
	/* The join looks for only one match of an outer row. */
	JOIN_STOPS_AT_MATCH = 16
} JoinRule;

/* Whether a rule holds for a type of join. None does for JOIN_UNIQUE_*, which only the planner uses. */
extern bool join_rule(JoinType type, JoinRule rule);

/* Whether a filter from above can be probed below one side of a join, for the keys of that side. */
extern bool join_passes_filter(JoinType type, bool to_outer);

/* What becomes of a filter from above at a kind of node: see push.c. */
typedef enum NodeUse
{
	NODE_STOPS,					/* it goes no further */
	NODE_SCANS,					/* it is probed, if the table is one that filter scans read */
	NODE_PASSES,				/* it goes on: each row of the input stands for itself */
	NODE_KEEPS,					/* it goes on, but the node keeps rows, or returns few of them */
	NODE_GROUPS,				/* it goes on if its keys are among the columns by which rows are grouped */
	NODE_JOINS					/* the type of the join decides */
} NodeUse;

typedef struct NodeRule
{
	NodeUse		use;
	const char *obstacle;		/* why a filter stops here */
} NodeRule;

/* The rule for a kind of plan node, which is the pathtype of its path. A filter stops at kinds that have none. */
extern const NodeRule *node_rule(NodeTag plan);

/* Whether a kind of node, which is also the pathtype of its path, reads all rows of its input before it returns one. */
extern bool node_reads_first(NodeTag plan, AggStrategy strategy);

/*
 * Whether a hash join has hashed its inner side before it asks for a row of the outer one. If not, what the scans of the outer
 * side have read for that row was read without a filter.
 */
extern bool join_hashes_first(JoinType type, Cost outer_startup, Cost inner_total, bool is_shared);

/* The fraction of outer rows that have a match, by the rows of the join; negative: unknown, since a row may have several. */
extern double join_match_fraction(JoinType type, bool inner_is_unique, double joined, double outer);

/* Whether a scan of this many rows saves more by a filter than it takes to set up the probe. Small partitions do not. */
extern bool join_scan_probes(double rows);

/* Whether the rows of the outer side of a join, which are read ahead, are expected to fit in work_mem. */
extern bool join_keeps_rows(double rows, int width);

/*
 * Whether a filter is worth making, by the estimated numbers of its keys and of the rows that probe it, and the fraction of rows
 * that pass. A cheap filter, which has few keys for so many rows, pays even if nearly all rows are expected to match, since the
 * estimate may be wrong. A filter of the outer side, which is read ahead, must be cheap.
 */
extern bool runtime_filter_pays(double keys, double probed_rows, double passing, bool probes_outer);

#endif
