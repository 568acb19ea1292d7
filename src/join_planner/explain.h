/*
 * Why joins have no runtime filters: shown by the option join_filters of EXPLAIN (since PostgreSQL 18), or reported.
 */
#ifndef FILTER_JOIN_EXPLAIN_H
#define FILTER_JOIN_EXPLAIN_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * Called when a query has been planned, with what was decided for its joins (a list of char *): tells the client, if a setting asks
 * for it, and why joins have no filter; or that no join has, if the whole query has an obstacle.
 */
extern void runtime_filter_report(PlannedStmt *statement, const char *of_query, List *choices);

/* Called once, when the library is loaded. */
extern void runtime_filter_explain_init(void);

#endif
