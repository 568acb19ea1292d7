/*
 * The bounds by which scans of partitions may be skipped.
 */
#ifndef FILTER_SCAN_BOUNDS_H
#define FILTER_SCAN_BOUNDS_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * The bounds by which a scan of a finished plan may skip its table: for RuntimeProbePlan.bounds. The keys of
 * both sides are those of join_key.h; the values of `probe` are columns of the scanned table.
 */
extern List *partition_bounds(const PlannedStmt *statement, const Plan *scan, const List *probe, const List *build);

#endif
