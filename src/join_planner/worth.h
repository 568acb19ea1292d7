/*
 * When a filter of one side of a join, probed in the scans of the other, can be used, and is worth making.
 */
#ifndef FILTER_JOIN_WORTH_H
#define FILTER_JOIN_WORTH_H
#include "postgres.h"

#include "nodes/nodes.h"

/*
 * Whether a join of this type drops the rows of its outer side that have no match; and those of its inner side. If it drops
 * those of the inner side, a row that the outer side loses changes no result row but those made of it.
 */
extern bool join_drops_outer(JoinType type);
extern bool join_drops_inner(JoinType type);

/* Whether it returns rows of its outer side that have no match, and thus reads these even if the inner side is empty. */
extern bool join_keeps_outer(JoinType type);

/* Whether a row that the inner side loses changes no result row but those made of it. */
extern bool join_inner_can_lose_rows(JoinType type);

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

/* Whether the rows of the outer side of a join, which are read ahead, are expected to fit in work_mem. */
extern bool join_keeps_rows(double rows, int width);

/*
 * Whether a filter is worth making, by estimates: of its keys, of the rows that probe it, and of the fraction of these that
 * pass. A cheap one, which has few keys for so many rows, is, even if nearly all rows are expected to match, since that may be
 * wrong. One of the outer side, which is read ahead, must be cheap.
 */
extern bool runtime_filter_pays(double keys, double probes, double passing, bool probes_outer);

#endif
