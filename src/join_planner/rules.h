/*
 * The rules by which a filter of one side of a join, probed in the scans of the other, can be used, and is worth making. Paths
 * and finished plans ask the same ones.
 */
#ifndef FILTER_JOIN_RULES_H
#define FILTER_JOIN_RULES_H

#include "postgres.h"

#include "nodes/nodes.h"

/* What types of joins do with the rows of their sides. */
typedef enum JoinRule
{
	/* Drops rows of its outer side that have no match, so it can make a filter of its inner side. Other types return these. */
	JOIN_DROPS_OUTER = 1,
	/* The same of its inner side; and a row that its outer side loses changes no result row but those made of it. */
	JOIN_DROPS_INNER = 2,
	/* A row that its inner side loses changes no result row but those made of it. */
	JOIN_CAN_LOSE_INNER = 4,
	/* A hash join never asks for a row of the outer side before it has hashed the inner one. */
	JOIN_HASHES_FIRST = 8,
	/* Looks for only one match of a row of the outer side. */
	JOIN_STOPS_AT_MATCH = 16
} JoinRule;

/* Whether a rule holds for a type of join. None does for JOIN_UNIQUE_*, which the planner has for itself. */
extern bool join_rule(JoinType type, JoinRule rule);

/* Whether a filter from above can be probed below one side of a join, for the keys of that side. */
extern bool join_passes_filter(JoinType type, bool to_outer);

/* What becomes of a filter from above at a kind of node: see push.c. */
typedef enum NodeUse
{
	NODE_STOPS,					/* it goes no further */
	NODE_SCANS,					/* it is probed, if the table is one that filter scans read */
	NODE_PASSES,				/* it goes on: each row of the input stands for itself */
	NODE_KEEPS,					/* the same, but rows are kept, or few of them are returned */
	NODE_GROUPS,				/* it goes on if its keys are among the columns by which rows are grouped */
	NODE_JOINS					/* the type of the join decides */
} NodeUse;

typedef struct NodeRule
{
	NodeUse		use;
	const char *obstacle;		/* why a filter stops here */
} NodeRule;

/* The rule for a kind of plan node, which is the pathtype of its path. Of kinds that are not known here, a filter stops. */
extern const NodeRule *node_rule(NodeTag plan);

/* Whether a kind of node, which is also the pathtype of its path, reads all rows of its input before it returns one. */
extern bool node_reads_first(NodeTag plan, AggStrategy strategy);

/*
 * Whether a hash join has hashed its inner side before it asks for a row of the outer one. If not, what the scans of the outer
 * side have read for that row was read without a filter.
 */
extern bool join_hashes_first(JoinType type, Cost outer_startup, Cost inner_total, bool is_shared);

/*
 * The fraction of the rows of the outer side that have a match, by the rows of the join; negative if these say nothing of it,
 * since a row may have several matches.
 */
extern double join_match_fraction(JoinType type, bool inner_is_unique, double joined, double outer);

/*
 * Whether a scan of a table with so many rows saves more by a filter than it takes to set up the probe. Of a table with many small
 * partitions, no scan does.
 */
extern bool join_scan_probes(double rows);

/* Whether the rows of the outer side of a join, which are read ahead, are expected to fit in work_mem. */
extern bool join_keeps_rows(double rows, int width);

/*
 * Whether a filter is worth making, by estimates: of its keys, of the rows that probe it, and of the fraction of these that
 * pass. A cheap one, which has few keys for so many rows, is, even if nearly all rows are expected to match, since that may be
 * wrong. One of the outer side, which is read ahead, must be cheap.
 */
extern bool runtime_filter_pays(double keys, double probes, double passing, bool probes_outer);

#endif
