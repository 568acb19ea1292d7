/*
 * While the hooks of other extensions are called, a filter scan is a sequential scan with all of its conditions. Both kinds of
 * nodes begin with the same fields, so only these change, and change back. The nodes that make runtime filters are added
 * later, and the wrappers that hand filters over from paths to the plan are removed before.
 */
#include "scan_planner/shown_plan.h"

#include "optimizer/planner.h"

#include "compat.h"

void		(*shown_plan_unwrap) (PlannedStmt *statement) = NULL;

#if PG_VERSION_NUM >= 190000

#include "optimizer/extendplan.h"

static planner_shutdown_hook_type next_hook = NULL;
static int	extension = -1;

static void
show_plan(PlannerGlobal *glob, Query *parse, const char *query, PlannedStmt *statement)
{
	List	   *scans = GetPlannerGlobalExtensionState(glob, extension);
	ListCell   *cell;

	if (shown_plan_unwrap != NULL)
		shown_plan_unwrap(statement);
	if (next_hook == NULL)
		return;
	foreach(cell, scans)
	{
		CustomScan *scan = lfirst(cell);

		scan->scan.plan.qual = list_concat_copy(scan->custom_exprs, scan->scan.plan.qual);
		scan->scan.plan.type = T_SeqScan;
	}
	next_hook(glob, parse, query, statement);
	foreach(cell, scans)
	{
		CustomScan *scan = lfirst(cell);

		scan->scan.plan.qual = list_copy_tail(scan->scan.plan.qual, list_length(scan->custom_exprs));
		scan->scan.plan.type = T_CustomScan;
	}
}

void
shown_plan_install(void)
{
	extension = GetPlannerExtensionId("cuckoo_scan");
	next_hook = planner_shutdown_hook;
	planner_shutdown_hook = show_plan;
}

bool
shown_plan_is_ours(void)
{
	return planner_shutdown_hook == show_plan;
}

void
shown_plan_add_scan(PlannerInfo *root, CustomScan *scan)
{
	List	   *scans = GetPlannerGlobalExtensionState(root->glob, extension);

	SetPlannerGlobalExtensionState(root->glob, extension, lappend(scans, scan));
}

#endif
