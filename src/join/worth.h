/*
 * When a filter of one side of a join, probed in the scans of the other, can be used, and is worth making.
 */
#ifndef FILTER_JOIN_WORTH_H
#define FILTER_JOIN_WORTH_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Whether a join of this type drops the rows of its outer side that have no match; and those of its inner side. */
extern bool join_drops_outer(JoinType type);
extern bool join_drops_inner(JoinType type);

/* Whether a row of the outer input that is dropped changes no result row but those made of it; and one of the inner input. */
extern bool join_outer_can_lose_rows(JoinType type);
extern bool join_inner_can_lose_rows(JoinType type);

/* Whether a row of the outer side is dropped if its partner in the inner side is missing; and the other way round. */
extern bool join_inner_is_needed(JoinType type);
extern bool join_outer_is_needed(JoinType type);

/*
 * Whether making the filter costs so little that it is made even if nearly all rows are expected to match, since the
 * estimate may be wrong: it has few keys for the number of rows that are probed.
 */
extern bool join_filter_is_cheap(double keys, double probes);

#endif
