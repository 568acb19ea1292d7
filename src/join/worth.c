#include "join/worth.h"

#include "compat.h"

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
join_outer_can_lose_rows(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI || type == JOIN_ANTI;
}

bool
join_inner_can_lose_rows(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_RIGHT || join_returns_inner_rows(type);
}

bool
join_inner_is_needed(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_SEMI;
}

bool
join_outer_is_needed(JoinType type)
{
	return type == JOIN_INNER || join_is_right_semi(type);
}

bool
join_filter_is_cheap(double keys, double probes)
{
	return keys * ROWS_PER_KEY <= probes;
}
