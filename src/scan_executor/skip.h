/*
 * A scan skips a partition if none of the keys of a runtime filter is within its bounds.
 *
 * A filter knows all of its keys, or the least and the greatest one (KeyRange of scan_executor/runtime_filter.h). The
 * partitions of these are found by the search that PostgreSQL's own run-time pruning uses, in the bounds of a partitioned
 * table that is in the query: it has been locked, and nothing else is. A partition is therefore skipped where PostgreSQL would
 * prune it if the join were with constants, whatever the snapshot.
 */
#ifndef FILTER_SCAN_SKIP_H
#define FILTER_SCAN_SKIP_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "scan_executor/row_filter.h"

/* The state of a scan's table in this execution; at first, all is false. */
typedef struct SkipState
{
	bool		decided;		/* whether all filters have been asked */
	bool		skips;			/* whether to scan no more pages */
} SkipState;

/*
 * Whether no row is left that can match, by the runtime filters that the RuntimeProbePlans probe. A scan asks before each
 * page, since filters may become ready while it runs.
 */
extern bool skip_rest(SkipState *state, const List *probes, RowFilter *const *row_filters);

#endif
