/*
 * The filter scan: a sequential scan of a table that has conditions such as bf_contains(filter, column).
 */
#ifndef FILTER_SCAN_SCAN_H
#define FILTER_SCAN_SCAN_H

#include "postgres.h"

#include "nodes/extensible.h"

/*
 * The plan has the conditions of condition.h in custom_exprs, in the order in which a sequential scan evaluates them, and
 * the others in its qual. The first list of custom_private has the probes of runtime filters (runtime_filter.h), the second
 * one those that come after these conditions, and the third one the number of rows that the scan is expected to read until a
 * LIMIT ends it, or 0.
 */
extern const CustomScanMethods filter_scan_methods;

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define FILTER_SCAN_NAME "CuckooFilterScan"

#endif
