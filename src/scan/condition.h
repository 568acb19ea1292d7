/*
 * The conditions of a scan that a filter scan evaluates a page at a time: contains, of a filter that is constant
 * during the scan and a column of the table.
 */
#ifndef FILTER_SCAN_CONDITION_H
#define FILTER_SCAN_CONDITION_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "scan/row_filter.h"

typedef struct FilterCondition
{
	Expr	   *filter;
	AttrNumber	column;
	Oid			type;			/* of the key, and the collation to hash it under */
	Oid			collation;
} FilterCondition;

/* Recognize such a condition of a scan of one table; false for any other. */
extern bool filter_condition_find(FilterCondition *condition, Node *clause);

/* Its filter for the rows of a table, evaluated as an expression of the plan node; palloc'd. */
extern RowFilter *condition_filter_create(const FilterCondition *condition, PlanState *node, TupleDesc descriptor);

#endif
