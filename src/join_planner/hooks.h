/*
 * What the planner calls for a query, and for the order of its joins.
 */
#ifndef FILTER_JOIN_HOOKS_H
#define FILTER_JOIN_HOOKS_H

#include "postgres.h"

/* Called once, when joins are first to filter themselves. */
extern void runtime_filter_install_hooks(void);

#endif
