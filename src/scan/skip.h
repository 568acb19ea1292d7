/*
 * What a scan can leave out because of the filters of joins: all of its table, or pages of it.
 *
 * A filter knows the least and the greatest value of each of its keys, or all of them (scan/key_range.h). If the bounds of a
 * partition, or a CHECK constraint, say that no row of the table has such a key, no row matches. A BRIN index says it of
 * ranges of pages. Both are left out only where operators of one btree family, for the very types and the collation of
 * column and keys, prove it.
 */
#ifndef FILTER_SCAN_SKIP_H
#define FILTER_SCAN_SKIP_H

#include "postgres.h"

#include "nodes/plannodes.h"
#include "utils/rel.h"

#include "scan/join_key.h"
#include "scan/key_range.h"

/* Ways of leaving something out. */
#define SKIP_BY_BOUNDS	1		/* of the partition */
#define SKIP_BY_CHECK	2
#define SKIP_BY_PAGES	4		/* not of all of the table: see matching_pages.h */

/* In EXPLAIN. */
extern const char *skip_way_name(int way);

/* Those that a table has, for a column, if keys are given for it. It is locked. */
extern int	skip_ways(Relation table, AttrNumber column);

/* The same of a finished plan's scan. `tables` is the range table. */
extern int	scan_skip_ways(const Plan *scan, List *tables, AttrNumber column);

/*
 * Whether no row of the table has one of the keys, for which `ways` has SKIP_BY_BOUNDS or SKIP_BY_CHECK: keys of join_key.h
 * whose values are columns of the table, and as many ranges, which may be null. Returns the way by which that is known, or 0.
 */
extern int	skip_table(Relation table, int ways, const List *keys, KeyRange *const *ranges);

#endif
