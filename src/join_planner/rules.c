/*
 * When a filter can be used, and is worth making. Which rows a type of join drops, and what it does with those that it keeps, is
 * one table: paths are costed, and plans changed, by the same rules.
 */
#include "join_planner/rules.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "plan_nodes/settings.h"

/* If a filter is probed with this many times as many rows as it is made of, it is cheap. */
#define ROWS_PER_KEY	20.0

bool
join_rule(JoinType type, JoinRule rule)
{
	static const unsigned int rules[] = {
		/* A row without a match is in no result row, whichever side it is of. */
		[JOIN_INNER] = JOIN_DROPS_OUTER | JOIN_DROPS_INNER | JOIN_CAN_LOSE_INNER,
		/* Each outer row is returned, with nulls if its match is missing. */
		[JOIN_LEFT] = JOIN_DROPS_INNER | JOIN_PROBES_BOTH,
		/* The same of inner rows. Which of them have no match is noted in the hash table. */
		[JOIN_RIGHT] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER | JOIN_PROBES_BOTH | JOIN_HASHES_FIRST,
		/* Each row of both sides is returned. */
		[JOIN_FULL] = JOIN_HASHES_FIRST,
		/* Outer rows are returned that have a match. The same inner row may be that of several. */
		[JOIN_SEMI] = JOIN_DROPS_OUTER | JOIN_DROPS_INNER | JOIN_STOPS_AT_MATCH,
		/* Outer rows are returned that have none, or whose match is missing. */
		[JOIN_ANTI] = JOIN_DROPS_INNER | JOIN_PROBES_BOTH | JOIN_STOPS_AT_MATCH,
		/* Inner rows are returned that have a match. The same outer row may be that of several. */
		[JOIN_RIGHT_SEMI] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER | JOIN_PROBES_BOTH,
		/* Inner rows are returned that have none, as noted in the hash table. */
		[JOIN_RIGHT_ANTI] = JOIN_DROPS_OUTER | JOIN_CAN_LOSE_INNER | JOIN_PROBES_BOTH | JOIN_HASHES_FIRST,
	};

	return type < lengthof(rules) && (rules[type] & rule) != 0;
}

bool
join_hashes_first(JoinType type, Cost outer_startup, Cost inner_total, bool is_shared)
{
	/* As ExecHashJoinImpl. */
	return is_shared || join_rule(type, JOIN_HASHES_FIRST) || outer_startup >= inner_total;
}

double
join_match_fraction(JoinType type, bool inner_is_unique, double joined, double outer)
{
	if (type == JOIN_SEMI || (type == JOIN_INNER && inner_is_unique))
		return Min(joined / Max(outer, 1), 1);
	return -1;
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
