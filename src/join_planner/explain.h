/*
 * The option join_filters of EXPLAIN, which exists since PostgreSQL 18: it shows why joins have no runtime filters.
 */
#ifndef FILTER_JOIN_EXPLAIN_H
#define FILTER_JOIN_EXPLAIN_H
#include "postgres.h"

/* Called once, when the library is loaded. */
extern void runtime_filter_explain_init(void);

#endif
