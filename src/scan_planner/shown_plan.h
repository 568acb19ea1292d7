/*
 * Since 19, other extensions see a plan when planning ends, by planner_shutdown_hook. They only know PostgreSQL's nodes.
 * pg_plan_advice, for example, describes the scans and joins, and raises an error if the side of a join is an unknown node.
 */
#ifndef FILTER_SCAN_SHOWN_PLAN_H
#define FILTER_SCAN_SHOWN_PLAN_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#if PG_VERSION_NUM >= 190000
/* Install the hook, above those that are installed already. */
extern void shown_plan_install(void);

/* Whether no hook has been installed above it since. If one has, no node of ours may be in a plan when planning ends. */
extern bool shown_plan_is_ours(void);

/* Show a filter scan as the sequential scan that it replaces. */
extern void shown_plan_add_scan(PlannerInfo *root, CustomScan *scan);
#else
#define shown_plan_install() ((void) 0)
#define shown_plan_is_ours() true
#define shown_plan_add_scan(root, scan) ((void) (root), (void) (scan))
#endif

/*
 * This is called with the plan before the other hooks, if it is not null, and removes the nodes that no finished plan may
 * have.
 */
extern void (*shown_plan_unwrap) (PlannedStmt *statement);

#endif
