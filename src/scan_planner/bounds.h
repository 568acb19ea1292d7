/*
 * The bounds by which scans of partitions may be skipped.
 */
#ifndef FILTER_SCAN_BOUNDS_H
#define FILTER_SCAN_BOUNDS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "plan_nodes/plan_structs.h"

/*
 * For the index of each table, its link to the table that it is a partition or child of, or null. The list is made once for
 * all partitions, which may be many.
 */
extern const AppendRelInfo **append_parents(const PlannedStmt *statement);

/*
 * The bounds by which a scan of a finished plan may skip its table, for RuntimeProbePlan.bounds. The lists are of JoinKey; the
 * values of `probe` are columns of the scanned table.
 */
extern List *partition_bounds(const PlannedStmt *statement, const AppendRelInfo **parents, const Plan *scan, const List *probe,
							  const List *build);

#endif
