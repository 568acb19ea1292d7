/*
 * Show why joins have no runtime filters, by the option join_filters of EXPLAIN (since PostgreSQL 18) or by notices.
 */
#ifndef FILTER_JOIN_EXPLAIN_H
#define FILTER_JOIN_EXPLAIN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * If a setting asks for it, tell the client what was decided for the joins of a query that has been planned (`choices`, a list of
 * char *), and why joins have no filter. If `of_query` is not null, it is the obstacle of the whole query.
 */
extern void runtime_filter_report(PlannedStmt *statement, const char *of_query, List *choices);

extern void runtime_filter_explain_init(void);

#endif
