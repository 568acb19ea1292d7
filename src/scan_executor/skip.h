/*
 * Partitions that a scan skips because none of the keys of a runtime filter is within their bounds.
 *
 * A filter knows all of its keys, or the least and the greatest one (KeyRange of scan_executor/runtime_filter.h). Which partitions
 * these are in is found by the search that PostgreSQL's own run-time pruning uses, in the bounds of a partitioned table that
 * is in the query: it has been locked, and nothing else is. So a partition is skipped where PostgreSQL would prune it if the
 * join were with constants, whatever the snapshot.
 */
#ifndef FILTER_SCAN_SKIP_H
#define FILTER_SCAN_SKIP_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "scan_executor/row_filter.h"

/* In a scan, of the table in this execution; at first, all is false. */
typedef struct SkipState
{
	bool		decided;		/* by all filters */
	bool		skips;			/* no more pages are scanned */
} SkipState;

/*
 * Whether no row is left that can match, by some runtime filters, which are probed as the RuntimeProbePlans say. Called before each
 * page: filters may become ready while the table is scanned.
 */
extern bool skip_rest(SkipState *state, const List *probes, RowFilter *const *filters);

#endif
