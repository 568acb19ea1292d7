/*
 * Two tables contain the rules: which rows a type of join drops, and what it does with the others; and which nodes let a filter
 * from above pass. Paths are costed and plans changed by the same rules, so that no plan is chosen for a filter that then cannot
 * be made.
 */
#include "join_planner/rules.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "plan_nodes/settings.h"

/* A filter is cheap if at least this many rows probe it per key. */
#define ROWS_PER_KEY	20.0

/* Setting up a probe takes as long as it may save in a scan of this many rows. */
#define FEWEST_ROWS		1000

bool
join_rule(JoinType type, JoinRule rule)
{
	static const unsigned int rules[] = {
		/* A row without a match is in no result row, whichever side it is of. */
		[JOIN_INNER] = JOIN_DROPS_OUTER | JOIN_DROPS_INNER | JOIN_CAN_LOSE_INNER,
		/* Each outer row is returned, with nulls if its match is missing. */
		[JOIN_LEFT] = JOIN_DROPS_INNER,
		/* Each inner row is returned, with nulls if its match is missing. The hash table notes which inner rows have a match. */
		[JOIN_RIGHT] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER | JOIN_HASHES_FIRST,
		/* Each row of both sides is returned. */
		[JOIN_FULL] = JOIN_HASHES_FIRST,
		/* Outer rows with a match are returned. Several of them may have the same match. */
		[JOIN_SEMI] = JOIN_DROPS_OUTER | JOIN_DROPS_INNER | JOIN_STOPS_AT_MATCH,
		/* Outer rows that have no match, or whose match is missing, are returned. */
		[JOIN_ANTI] = JOIN_DROPS_INNER | JOIN_STOPS_AT_MATCH,
		/* Inner rows with a match are returned. Several of them may have the same match. */
		[JOIN_RIGHT_SEMI] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER,
		/* Inner rows that have no match are returned, as noted in the hash table. */
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
		/* The caller must see whether a custom scan is of another extension, which stops the filter. */
		[T_SeqScan] = {.use = NODE_SCANS},
		[T_CustomScan] = {.use = NODE_SCANS},
		[T_IndexScan] = {.obstacle = "probe side is read by an index scan"},
		[T_IndexOnlyScan] = {.obstacle = "probe side is read by an index scan"},
		[T_BitmapHeapScan] = {.obstacle = "probe side is read by an index scan"},
		[T_ForeignScan] = {.obstacle = "probe side is a foreign table"},
		[T_CteScan] = {.obstacle = "probe side is a materialized WITH query"},
		/* These nodes return the rows of their inputs one by one. */
		[T_Append] = {.use = NODE_PASSES},
		[T_MergeAppend] = {.use = NODE_PASSES},
		[T_Result] = {.use = NODE_PASSES},
		[T_SubqueryScan] = {.use = NODE_PASSES},
		/* These nodes keep the rows of their input, or collect them first. */
		[T_Material] = {.use = NODE_KEEPS},
		[T_Gather] = {.use = NODE_KEEPS},
		[T_GatherMerge] = {.use = NODE_KEEPS},
		[T_IncrementalSort] = {.use = NODE_KEEPS},
		[T_Sort] = {.use = NODE_KEEPS},
		[T_Hash] = {.use = NODE_KEEPS},
		/* These nodes compute something from a group of rows. */
		[T_Agg] = {.use = NODE_GROUPS},
		[T_Group] = {.use = NODE_GROUPS},
		[T_Unique] = {.use = NODE_GROUPS},
		[T_WindowAgg] = {.use = NODE_GROUPS},
		/* The type of the join decides. */
		[T_HashJoin] = {.use = NODE_JOINS},
		[T_MergeJoin] = {.use = NODE_JOINS},
		[T_NestLoop] = {.use = NODE_JOINS},
		/* LIMIT returns another row instead of one that is missing. */
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
	/* ExecHashJoinImpl decides so: a join that returns outer rows without a match first asks for one, whatever the costs are. */
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
	/* relation_byte_size of costsize.c estimates in this way what a Materialize node keeps. */
	return rows * (MAXALIGN(width) + MAXALIGN(SizeofHeapTupleHeader)) <= work_mem * 1024.0;
}

bool
runtime_filter_pays(double keys, double probed_rows, double passing, bool probes_outer)
{
	if (probed_rows < runtime_filter_min_rows || probed_rows <= 0)
		return false;
	return keys * ROWS_PER_KEY <= probed_rows || (probes_outer && passing <= runtime_filter_max_match_fraction);
}
