/*
 * A filter must have the same keys whenever it is made, and a side is read ahead only if it would have been read anyway. The
 * nodes above a node tell whether it is executed again and read to its end; the whole plan tells which parameters keep their
 * value.
 */
#include "join_planner/walk.h"

#include "miscadmin.h"
#include "optimizer/clauses.h"

#include "join_planner/rules.h"
#include "scan_planner/path.h"

bool
walk_hashes_first(const HashJoin *join)
{
	return join_hashes_first(join->join.jointype, outerPlan(join)->startup_cost, innerPlan(join)->total_cost,
							 innerPlan(join)->parallel_aware);
}

bool
walk_reads_first(const Plan *plan)
{
	return node_reads_first(nodeTag(plan), IsA(plan, Agg) ? ((const Agg *) plan)->aggstrategy : AGG_SORTED);
}

/* How far a node reads an input, given how far its own rows are read. */
static ReadWhole
how_far_is_read(const Plan *plan, const Plan *input, ReadWhole own)
{
	const Join *join = (const Join *) plan;

	if (walk_reads_first(plan))
		return READ_WHOLE;
	switch (nodeTag(plan))
	{
		case T_ModifyTable:
			return READ_WHOLE;
		case T_NestLoop:
			return input == outerPlan(plan) || !(join->inner_unique || join_rule(join->jointype, JOIN_STOPS_AT_MATCH)) ?
				own : READ_IN_PART;
		case T_HashJoin:
			/* If the join asks for an outer row before it hashes the inner side, it may find none, and end. */
			return input == outerPlan(plan) && !(join_rule(join->jointype, JOIN_DROPS_OUTER) && !walk_hashes_first((const HashJoin *) plan)) ?
				own : READ_IN_PART;
		case T_WindowAgg:
			return ((const WindowAgg *) plan)->runCondition == NIL ? own : READ_IN_PART;
		case T_CustomScan:
			return is_runtime_filter(plan) ? own : READ_IN_PART;
		case T_Agg:
		case T_Append:
		case T_Gather:
		case T_GatherMerge:
		case T_Group:
		case T_LockRows:
		case T_Material:
		case T_Memoize:
		case T_ProjectSet:
		case T_Result:
		case T_SubqueryScan:
		case T_Unique:
			return own;
		default:
			return READ_IN_PART;
	}
}

List *
walk_other_inputs(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			return ((const Append *) plan)->appendplans;
		case T_MergeAppend:
			return ((const MergeAppend *) plan)->mergeplans;
		case T_SubqueryScan:
			return list_make1(((const SubqueryScan *) plan)->subplan);
		case T_CustomScan:
			return ((const CustomScan *) plan)->custom_plans;
		default:
			return NIL;
	}
}

static void
visit_node(PlanWalk *walk, Plan *plan, bool runs_again, ReadWhole is_read_whole, PlanVisitor visitor)
{
	ListCell   *cell;

	if (plan == NULL)
		return;
	check_stack_depth();
	walk->runs_again = runs_again;
	walk->is_read_whole = is_read_whole;
	visitor(walk, plan);
	visit_node(walk, plan->lefttree, runs_again, how_far_is_read(plan, plan->lefttree, is_read_whole), visitor);
	foreach(cell, walk_other_inputs(plan))
		visit_node(walk, lfirst(cell), runs_again, how_far_is_read(plan, lfirst(cell), is_read_whole), visitor);
	visit_node(walk, plan->righttree, runs_again || IsA(plan, NestLoop) || IsA(plan, RecursiveUnion),
			   how_far_is_read(plan, plan->righttree, is_read_whole), visitor);
}

void
walk_plan(PlanWalk *walk, PlanVisitor visitor)
{
	ListCell   *cell;

	visit_node(walk, walk->statement->planTree, false, READ_WHOLE_IF_RESULT_IS, visitor);
	/* Some sub-selects return one row, and are not asked for more. */
	foreach(cell, walk->statement->subplans)
		visit_node(walk, lfirst(cell), !bms_is_member(foreach_current_index(cell) + 1, walk->run_once), READ_IN_PART,
				   visitor);
}

/*
 * Note the parameters that keep their value: the results of sub-selects that are evaluated once; and the parameter by which
 * EvalPlanQual makes the nodes of its own plan start again, where there are no filters. The parameter by which a Gather does so
 * is noted apart: all its processes together then have the same rows, but not each of them.
 */
static void
note_node(PlanWalk *walk, Plan *plan)
{
	ListCell   *cell;

	if (IsA(plan, ModifyTable))
		walk->constants = bms_add_member(walk->constants, ((ModifyTable *) plan)->epqParam);
	else if (IsA(plan, LockRows))
		walk->constants = bms_add_member(walk->constants, ((LockRows *) plan)->epqParam);
	else if (IsA(plan, Gather) && ((Gather *) plan)->rescan_param >= 0)
		walk->gathers = bms_add_member(walk->gathers, ((Gather *) plan)->rescan_param);
	else if (IsA(plan, GatherMerge) && ((GatherMerge *) plan)->rescan_param >= 0)
		walk->gathers = bms_add_member(walk->gathers, ((GatherMerge *) plan)->rescan_param);
	foreach(cell, plan->initPlan)
	{
		SubPlan    *subselect = lfirst_node(SubPlan, cell);
		Plan	   *subplan = list_nth(walk->statement->subplans, subselect->plan_id - 1);
		ListCell   *output;

		if (subselect->parParam != NIL || !bms_is_empty(subplan->extParam))
			continue;
		walk->run_once = bms_add_member(walk->run_once, subselect->plan_id);
		foreach(output, subselect->setParam)
			walk->constants = bms_add_member(walk->constants, lfirst_int(output));
	}
}

/* Whether a node may evaluate a sub-select for each of its rows. Unlisted kinds of nodes may. */
static bool
may_have_subselect(const Plan *plan)
{
	List	   *others = NIL;

	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_SubqueryScan:
		case T_Append:
		case T_Material:
		case T_Sort:
		case T_Agg:
			break;
		case T_CustomScan:
			others = ((const CustomScan *) plan)->custom_exprs;
			break;
		case T_Hash:
			others = ((const Hash *) plan)->hashkeys;
			break;
		case T_HashJoin:
			others = list_make2(((const Join *) plan)->joinqual, ((const HashJoin *) plan)->hashclauses);
			break;
		default:
			return true;
	}
	return contain_subplans((Node *) list_make3(plan->targetlist, plan->qual, others));
}

/*
 * Rows may differ if they depend on another server, on a sample, on the order in which parallel workers return theirs, or if
 * `subselects_differ`, on a sub-select. Nothing is known about nodes of other extensions.
 */
static bool
rows_may_differ(const Plan *plan, bool subselects_differ)
{
	ListCell   *cell;

	if (plan == NULL)
		return false;
	if (IsA(plan, ForeignScan) || IsA(plan, SampleScan) || IsA(plan, Gather) || IsA(plan, GatherMerge) ||
		(IsA(plan, CustomScan) && !is_runtime_filter(plan) && !filter_scan_is_plan(plan)))
		return true;
	if (subselects_differ && may_have_subselect(plan))
		return true;
	foreach(cell, walk_other_inputs(plan))
		if (rows_may_differ(lfirst(cell), subselects_differ))
			return true;
	return rows_may_differ(plan->lefttree, subselects_differ) || rows_may_differ(plan->righttree, subselects_differ);
}

void
walk_note_plan(PlanWalk *walk)
{
	ListCell   *cell;

	walk_plan(walk, note_node);
	foreach(cell, walk->statement->subplans)
		if (!bms_is_member(foreach_current_index(cell) + 1, walk->run_once) && rows_may_differ(lfirst(cell), false))
			walk->subselects_differ = true;
}

bool
walk_rows_may_differ(const PlanWalk *walk, const Plan *plan)
{
	return rows_may_differ(plan, walk->subselects_differ);
}
