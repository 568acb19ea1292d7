/*
 * The planner calls these hooks for a query, and for the order of its joins.
 */
#ifndef FILTER_JOIN_HOOKS_H
#define FILTER_JOIN_HOOKS_H

#include "postgres.h"

/* Install the hooks, at most once: each calls the hook that was installed before it. */
extern void runtime_filter_install_hooks(void);

#endif
