/*
 * When a filter can be used, and is worth making. One table says which rows a type of join drops, and what it does with those
 * that it keeps; another one, which nodes let a filter from above pass. Paths are costed, and plans changed, by the same rules.
 */
#include "join_planner/rules.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "plan_nodes/settings.h"

/* If a filter is probed with this many times as many rows as it is made of, it is cheap. */
#define ROWS_PER_KEY	20.0

/* Setting up a probe in a scan takes as long as it may save with so many rows. */
#define FEWEST_ROWS		1000

bool
join_rule(JoinType type, JoinRule rule)
{
	static const unsigned int rules[] = {
		/* A row without a match is in no result row, whichever side it is of. */
		[JOIN_INNER] = JOIN_DROPS_OUTER | JOIN_DROPS_INNER | JOIN_CAN_LOSE_INNER,
		/* Each outer row is returned, with nulls if its match is missing. */
		[JOIN_LEFT] = JOIN_DROPS_INNER,
		/* The same of inner rows. Which of them have no match is noted in the hash table. */
		[JOIN_RIGHT] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER | JOIN_HASHES_FIRST,
		/* Each row of both sides is returned. */
		[JOIN_FULL] = JOIN_HASHES_FIRST,
		/* Outer rows are returned that have a match. The same inner row may be that of several. */
		[JOIN_SEMI] = JOIN_DROPS_OUTER | JOIN_DROPS_INNER | JOIN_STOPS_AT_MATCH,
		/* Outer rows are returned that have none, or whose match is missing. */
		[JOIN_ANTI] = JOIN_DROPS_INNER | JOIN_STOPS_AT_MATCH,
		/* Inner rows are returned that have a match. The same outer row may be that of several. */
		[JOIN_RIGHT_SEMI] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER,
		/* Inner rows are returned that have none, as noted in the hash table. */
		[JOIN_RIGHT_ANTI] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER | JOIN_HASHES_FIRST,
	};

	return type < lengthof(rules) && (rules[type] & rule) != 0;
}

bool
join_passes_filter(JoinType type, bool to_outer)
{
	return join_rule(type, to_outer ? JOIN_DROPS_INNER : JOIN_CAN_LOSE_INNER);
}

const NodeRule *
node_rule(NodeTag plan)
{
	static const NodeRule rules[] = {
		/* Custom scans of other extensions stop it, which is for the caller to see. */
		[T_SeqScan] = {.use = NODE_SCANS},
		[T_CustomScan] = {.use = NODE_SCANS},
		[T_IndexScan] = {.obstacle = "probe side is read by an index scan"},
		[T_IndexOnlyScan] = {.obstacle = "probe side is read by an index scan"},
		[T_BitmapHeapScan] = {.obstacle = "probe side is read by an index scan"},
		[T_ForeignScan] = {.obstacle = "probe side is a foreign table"},
		[T_CteScan] = {.obstacle = "probe side is a materialized WITH query"},
		/* Return the rows of their inputs one by one. */
		[T_Append] = {.use = NODE_PASSES},
		[T_MergeAppend] = {.use = NODE_PASSES},
		[T_Result] = {.use = NODE_PASSES},
		[T_SubqueryScan] = {.use = NODE_PASSES},
		/* Keep them, or collect them first. */
		[T_Material] = {.use = NODE_KEEPS},
		[T_Gather] = {.use = NODE_KEEPS},
		[T_GatherMerge] = {.use = NODE_KEEPS},
		[T_IncrementalSort] = {.use = NODE_KEEPS},
		[T_Sort] = {.use = NODE_KEEPS},
		[T_Hash] = {.use = NODE_KEEPS},
		/* Compute something from a group of rows. */
		[T_Agg] = {.use = NODE_GROUPS},
		[T_Group] = {.use = NODE_GROUPS},
		[T_Unique] = {.use = NODE_GROUPS},
		[T_WindowAgg] = {.use = NODE_GROUPS},
		/* The type of the join decides. */
		[T_HashJoin] = {.use = NODE_JOINS},
		[T_MergeJoin] = {.use = NODE_JOINS},
		[T_NestLoop] = {.use = NODE_JOINS},
		/* Another row would take the place of one that is missing. */
		[T_Limit] = {.use = NODE_STOPS, .obstacle = "probe side is below LIMIT"},
	};
	static const NodeRule unknown = {.use = NODE_STOPS};

	return plan < lengthof(rules) ? &rules[plan] : &unknown;
}

bool
node_reads_first(NodeTag plan, AggStrategy strategy)
{
	return plan == T_Sort || plan == T_Hash || (plan == T_Agg && (strategy == AGG_PLAIN || strategy == AGG_HASHED));
}

bool
join_hashes_first(JoinType type, Cost outer_startup, Cost inner_total, bool is_shared)
{
	/* As ExecHashJoinImpl. A type that returns outer rows without a match asks for one of them, whatever the costs are. */
	return is_shared || join_rule(type, JOIN_HASHES_FIRST) ||
		(join_rule(type, JOIN_DROPS_OUTER) && outer_startup >= inner_total);
}

double
join_match_fraction(JoinType type, bool inner_is_unique, double joined, double outer)
{
	if (type == JOIN_SEMI || (type == JOIN_INNER && inner_is_unique))
		return Min(joined / Max(outer, 1), 1);
	return -1;
}

bool
join_scan_probes(double rows)
{
	return rows >= Min(runtime_filter_min_rows, FEWEST_ROWS);
}

bool
join_keeps_rows(double rows, int width)
{
	/* As the planner estimates the memory for rows that a Materialize node keeps. */
	return rows * (MAXALIGN(width) + MAXALIGN(SizeofHeapTupleHeader)) <= work_mem * 1024.0;
}

bool
runtime_filter_pays(double keys, double probes, double passing, bool probes_outer)
{
	if (probes < runtime_filter_min_rows || probes <= 0)
		return false;
	return keys * ROWS_PER_KEY <= probes || (probes_outer && passing <= runtime_filter_max_match_fraction);
}
