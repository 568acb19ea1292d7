/*
 * The node that makes a join's filter is added to a plan after setrefs.c, so it refers to the columns of its input by
 * OUTER_VAR.
 */
#include "plan_nodes/runtime_filter_plan.h"

#include "nodes/makefuncs.h"

/*
 * The plan_node_id of a filter's node is this plus the filter's number: larger than any that the planner gives. Workers find
 * their shared memory by it, so no other node of the plan may have the same.
 */
#define NODE_ID			(1 << 30)

/* The columns of a plan, as the target list of a node above it that passes its rows on. */
static List *
columns_of_input(const Plan *input)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, input->targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst_node(TargetEntry, cell));

		entry->expr = (Expr *) makeVarFromTargetEntry(OUTER_VAR, lfirst(cell));
		columns = lappend(columns, entry);
	}
	return columns;
}

Plan *
runtime_filter_plan(Plan *input, bool is_shared, RuntimeFilterPlan *filter)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *plan = &scan->scan.plan;

	*plan = *input;
	plan->type = T_CustomScan;
	plan->parallel_aware = is_shared;
	plan->plan_node_id = NODE_ID + filter->number;
	plan->targetlist = columns_of_input(input);
	plan->qual = NIL;
	plan->initPlan = NIL;
	plan->lefttree = input;
	plan->righttree = NULL;
	scan->custom_private = list_make1(copyObject(filter));
	scan->methods = &runtime_filter_methods;
	return plan;
}

bool
is_runtime_filter(const Plan *plan)
{
	return IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == &runtime_filter_methods;
}
