/*
 * Tables are scanned with filters if the query reads them by a sequential scan, or could.
 *
 * Neither the kind of a table nor its access method tells this: another extension may take over the scan of an ordinary table
 * whose rows it keeps elsewhere, or forbid its sequential scan.
 */
#ifndef FILTER_SCAN_OFFER_H
#define FILTER_SCAN_OFFER_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * The sequential scan of a relation whose list of paths is finished, or the filter scan made of it; null if the table must not
 * be scanned with filters. The planner may have dropped the scan from the list, because another path is better.
 */
extern Path *filter_scan_sequential_path(PlannerInfo *root, RelOptInfo *rel, bool is_partial);

/* Whether a finished plan's scan can probe runtime filters: a filter scan, or a sequential one that can become one. */
extern bool filter_scan_can_probe(const Plan *scan, const PlannedStmt *statement);

/*
 * Before the plan is made, whether a table of the query, or one of its partitions, is of a kind whose scans can probe runtime
 * filters. Other extensions may still replace them.
 */
extern bool filter_scan_can_read(PlannerInfo *root, Index table);

extern void filter_scan_init(void);

/*
 * Offer filter scans to the planner. This is called whenever a query is planned that may have one: libraries that were loaded
 * before the first one have installed their hooks by then, and ours must be above these.
 */
extern void filter_scan_install_hooks(void);

#endif
