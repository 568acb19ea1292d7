/*
 * A filter scan evaluates some conditions, such as filter @> column, a page at a time: contains, of a filter that is constant
 * during the scan and a column of the table.
 */
#ifndef FILTER_SCAN_CONDITION_H
#define FILTER_SCAN_CONDITION_H

#include "probe_api.h"
#include "scan_executor/row_filter.h"

/* The filter of a condition for the rows of a table, evaluated as an expression of the plan node; palloc'd. */
extern RowFilter *condition_probe_create(const ProbeCondition *condition, PlanState *node, TupleDesc descriptor);

#endif
