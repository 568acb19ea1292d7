#include "join/link.h"

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "compat.h"
#include "join/node.h"
#include "join/settings.h"
#include "scan/match_prefetch.h"
#include "scan/scan.h"

static void tell_scans(PlanState *node, HashJoinState *join, int param);

static void
tell_each(PlanState **nodes, int count, HashJoinState *join, int param)
{
	for (int i = 0; i < count; i++)
		tell_scans(nodes[i], join, param);
}

/* Tell the scans that probe the join's filter. Nodes that keep rows, or return few of them, are not passed through. */
static void
tell_scans(PlanState *node, HashJoinState *join, int param)
{
	RuntimeProbe *probe;

	if (node == NULL)
		return;
	switch (nodeTag(node))
	{
		case T_CustomScanState:
			probe = filter_scan_find_probe(node, param);
			if (probe != NULL)
				match_prefetch_begin(probe, join);
			break;
		case T_HashJoinState:
		case T_NestLoopState:
		case T_ResultState:
			tell_scans(outerPlanState(node), join, param);
			break;
		case T_SubqueryScanState:
			tell_scans(((SubqueryScanState *) node)->subplan, join, param);
			break;
		case T_AppendState:
			tell_each(((AppendState *) node)->appendplans, ((AppendState *) node)->as_nplans, join, param);
			break;
		default:
			break;
	}
}

static bool
link_join(PlanState *node, void *context)
{
	if (IsA(node, HashJoinState))
	{
		HashJoinState *join = (HashJoinState *) node;
		int			param;

		if (is_join_filter_state(outerPlanState(innerPlanState(join)), &param))
			tell_scans(outerPlanState(join), join, param);
	}
	return planstate_tree_walker(node, link_join, context);
}

static ExecutorStart_hook_type next_hook = NULL;

static void
start_query(QueryDesc *query, int flags)
{
	if (next_hook != NULL)
		next_hook(query, flags);
	else
		standard_ExecutorStart(query, flags);
	if (join_filter_enabled && query->planstate != NULL)
		link_join(query->planstate, NULL);
}

void
join_link_init(void)
{
	next_hook = ExecutorStart_hook;
	ExecutorStart_hook = start_query;
}
