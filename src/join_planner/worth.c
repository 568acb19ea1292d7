#include "join_planner/worth.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "plan_nodes/settings.h"

/* If a filter is probed with this many times as many rows as it is made of, it is cheap. */
#define ROWS_PER_KEY	20.0

bool
join_drops_outer(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_SEMI || type == JOIN_RIGHT || join_returns_inner_rows(type);
}

bool
join_drops_inner(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI || type == JOIN_ANTI;
}

bool
join_keeps_outer(JoinType type)
{
	return type == JOIN_LEFT || type == JOIN_ANTI || type == JOIN_FULL;
}

bool
join_inner_can_lose_rows(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_RIGHT || join_returns_inner_rows(type);
}

bool
join_hashes_first(JoinType type, Cost outer_startup, Cost inner_total, bool is_shared)
{
	/* As ExecHashJoinImpl. */
	return is_shared || type == JOIN_RIGHT || (join_returns_inner_rows(type) && !join_is_right_semi(type)) ||
		outer_startup >= inner_total;
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
