/*
 * The conditions of a scan that a filter scan evaluates a page at a time: contains, of a filter that is constant
 * during the scan and a column of the table.
 */
#ifndef FILTER_SCAN_CONDITION_H
#define FILTER_SCAN_CONDITION_H

#include "probe_api.h"
#include "scan/row_filter.h"

/* Recognize such a condition of a scan of one table; false for any other, and while the types' library is not loaded. */
extern bool filter_condition_find(ProbeCondition *condition, Node *clause);

/* Its filter for the rows of a table, evaluated as an expression of the plan node; palloc'd. */
extern RowFilter *condition_filter_create(const ProbeCondition *condition, PlanState *node, TupleDesc descriptor);

#endif
