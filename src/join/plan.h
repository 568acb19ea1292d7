/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans
 * of its other side reject rows that are not in it.
 *
 * The finished plan is changed: a node that makes the filter is put below the Hash node, and sequential scans become
 * filter scans. In what the planner chooses from, paths.h has hash joins at the cost that they will have by that.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H

/* Start to do so where the setting is on. Called once, when the library is loaded. */
extern void runtime_filter_init(void);

#endif
