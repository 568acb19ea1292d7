/*
 * Filter scans in the planner.
 */
#ifndef FILTER_SCAN_PATH_H
#define FILTER_SCAN_PATH_H

#include "postgres.h"

#include "nodes/extensible.h"

#include "scan/runtime_probe.h"

/*
 * The plan has the conditions of condition.h in custom_exprs, in the order in which a sequential scan evaluates them, and
 * the others in its qual. The first list of custom_private has the probes of runtime filters (runtime_probe.h), and the
 * second one the number of rows that the scan is expected to read until a LIMIT ends it, or 0.
 */

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define FILTER_SCAN_NAME "CuckooFilterScan"

/* Whether a finished plan's scan can probe runtime filters: a filter scan, or a sequential one that can become one. */
extern bool filter_scan_can_probe(const Plan *scan, List *tables);

/* The rows and pages of a scan's table, as the planner estimates them. */
extern double scanned_table_rows(const Plan *scan, List *tables, BlockNumber *pages);

/* Add such a probe to the scan. */
extern void filter_scan_add_probe(Plan **scan, const RuntimeProbePlan *probe);

/* Start to offer filter scans, whose plans have these methods. */
extern void filter_scan_path_init(const CustomScanMethods *methods);

#endif
