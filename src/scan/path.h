/*
 * Filter scans in the planner.
 */
#ifndef FILTER_SCAN_PATH_H
#define FILTER_SCAN_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "scan/runtime_filter.h"

/* Whether a path is a filter scan. */
extern bool filter_scan_is_path(const Path *path);

/* Whether a finished plan is one. */
extern bool filter_scan_is_plan(const Plan *plan);

/* Whether a finished plan's scan can probe runtime filters: a filter scan, or a sequential one that can become one. */
extern bool filter_scan_can_probe(const Plan *scan, const PlannedStmt *statement);

/* The rows of a scan's table, as the planner estimates them. */
extern double scanned_table_rows(const Plan *scan, List *tables);

/* Add such a probe to the scan of a table with this number of rows. Decides whether it is late. */
extern void filter_scan_add_probe(Plan **scan, double rows, RuntimeProbePlan *probe);

/* Called once, when the library is loaded. */
extern void filter_scan_init(void);

/*
 * Offer filter scans to the planner. Called whenever a query is planned that may have one: libraries that were loaded before the
 * first one have installed their hooks by then, which ours are to be above.
 */
extern void filter_scan_install_hooks(void);

#endif
