/*
 * Which tables are scanned with filters: those that the query reads by a sequential scan, or could.
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
 * Of a relation whose list of paths is finished: its sequential scan, or the filter scan made of that; null if the table must not
 * be scanned with filters. The planner may have dropped the scan from the list, because another path is better.
 */
extern Path *filter_scan_sequential_path(PlannerInfo *root, RelOptInfo *rel, bool is_partial);

/* Whether a finished plan's scan can probe runtime filters: a filter scan, or a sequential one that can become one. */
extern bool filter_scan_can_probe(const Plan *scan, const PlannedStmt *statement);

/*
 * The same before the plan is made: whether a table of the query, or one of its partitions, is of a kind whose scans can. Other
 * extensions may still replace them.
 */
extern bool filter_scan_can_read(PlannerInfo *root, Index table);

/* Called once, when the library is loaded. */
extern void filter_scan_init(void);

/*
 * Offer filter scans to the planner. Called whenever a query is planned that may have one: libraries that were loaded before the
 * first one have installed their hooks by then, which ours are to be above.
 */
extern void filter_scan_install_hooks(void);

#endif
