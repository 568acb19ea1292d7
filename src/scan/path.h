/*
 * Filter scans in the planner.
 */
#ifndef FILTER_SCAN_PATH_H
#define FILTER_SCAN_PATH_H

#include "postgres.h"

#include "nodes/extensible.h"

/*
 * The plan has all conditions of the scan in custom_exprs, in the order in which a sequential scan evaluates them, and
 * in custom_private, for each of them, whether it is a condition of condition.h. Its qual has the other conditions.
 */

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define FILTER_SCAN_NAME "CuckooFilterScan"

/* Start to offer filter scans, whose plans have these methods. */
extern void filter_scan_path_init(const CustomScanMethods *methods);

#endif
