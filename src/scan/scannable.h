/*
 * Which tables are scanned with filters: those that the query reads by a sequential scan, or could.
 *
 * Neither the kind of a table nor its access method tells this: another extension may take over the scan of an ordinary table
 * whose rows it keeps elsewhere, or forbid its sequential scan.
 */
#ifndef FILTER_SCAN_SCANNABLE_H
#define FILTER_SCAN_SCANNABLE_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * The sequential scan in a relation's list of paths, or the filter scan made of it; null if the relation must not be scanned
 * with filters. To be called after all other hooks that change the list.
 */
extern Path *scannable_path(const PlannerInfo *root, const RelOptInfo *rel, bool is_partial);

/* Whether a sequential scan in a finished plan can be replaced. */
extern bool scannable_in_plan(const PlannedStmt *statement, const Scan *scan);

#endif
