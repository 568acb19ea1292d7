#include "join/plan.h"

#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "join/build.h"
#include "join/push.h"
#include "join/query.h"
#include "join/settings.h"
#include "scan/key_hash.h"
#include "scan/path.h"

/*
 * If a filter is probed with this many times as many rows as it is made of, it is made even if nearly all of them are
 * expected to match: it costs little, and the estimate may be wrong.
 */
#define ROWS_PER_KEY	20.0

typedef struct PlanChange
{
	PlannedStmt *statement;
	int			last_node;		/* the largest plan_node_id */
	Bitmapset  *constants;		/* the executor parameters that keep their value during the whole execution */
	int			filters;
} PlanChange;

/*
 * Walking the plans.
 */

typedef void (*PlanVisitor) (PlanChange *change, Plan *plan);

static void visit(PlanChange *change, Plan *plan, PlanVisitor visitor);

static void
visit_each(PlanChange *change, List *plans, PlanVisitor visitor)
{
	ListCell   *cell;

	foreach(cell, plans)
		visit(change, lfirst(cell), visitor);
}

/* Call the visitor for a plan and then for all below it, which are then those that the visitor has left there. */
static void
visit(PlanChange *change, Plan *plan, PlanVisitor visitor)
{
	if (plan == NULL)
		return;
	visitor(change, plan);
	visit(change, plan->lefttree, visitor);
	visit(change, plan->righttree, visitor);
	switch (nodeTag(plan))
	{
		case T_Append:
			visit_each(change, ((Append *) plan)->appendplans, visitor);
			break;
		case T_MergeAppend:
			visit_each(change, ((MergeAppend *) plan)->mergeplans, visitor);
			break;
		case T_BitmapAnd:
			visit_each(change, ((BitmapAnd *) plan)->bitmapplans, visitor);
			break;
		case T_BitmapOr:
			visit_each(change, ((BitmapOr *) plan)->bitmapplans, visitor);
			break;
		case T_SubqueryScan:
			visit(change, ((SubqueryScan *) plan)->subplan, visitor);
			break;
		case T_CustomScan:
			visit_each(change, ((CustomScan *) plan)->custom_plans, visitor);
			break;
		case T_ModifyTable:
			visit_each(change, modify_table_plans((ModifyTable *) plan), visitor);
			break;
		default:
			break;
	}
}

static void
visit_all(PlanChange *change, PlanVisitor visitor)
{
	visit(change, change->statement->planTree, visitor);
	visit_each(change, change->statement->subplans, visitor);
}

/*
 * Note the id of a node, and its parameters on which no keys depend: the results of sub-selects that are evaluated
 * once; the parameter by which EvalPlanQual makes the nodes of its own plan start again, where there are no filters;
 * and the one by which a Gather does so, whose processes then hash the same rows between them.
 */
static void
note_node(PlanChange *change, Plan *plan)
{
	ListCell   *cell;

	change->last_node = Max(change->last_node, plan->plan_node_id);
	if (IsA(plan, ModifyTable))
		change->constants = bms_add_member(change->constants, ((ModifyTable *) plan)->epqParam);
	else if (IsA(plan, LockRows))
		change->constants = bms_add_member(change->constants, ((LockRows *) plan)->epqParam);
	else if (IsA(plan, Gather) && ((Gather *) plan)->rescan_param >= 0)
		change->constants = bms_add_member(change->constants, ((Gather *) plan)->rescan_param);
	else if (IsA(plan, GatherMerge) && ((GatherMerge *) plan)->rescan_param >= 0)
		change->constants = bms_add_member(change->constants, ((GatherMerge *) plan)->rescan_param);
	foreach(cell, plan->initPlan)
	{
		SubPlan    *subselect = lfirst_node(SubPlan, cell);
		Plan	   *subplan = list_nth(change->statement->subplans, subselect->plan_id - 1);
		ListCell   *output;

		if (subselect->parParam != NIL || !bms_is_empty(subplan->extParam))
			continue;
		foreach(output, subselect->setParam)
			change->constants = bms_add_member(change->constants, lfirst_int(output));
	}
}

/*
 * The keys of a join.
 */

typedef struct BothKeys
{
	JoinKeys	outer;			/* as columns of the outer plan's output */
	JoinKeys	inner;			/* columns: expressions over the rows that are hashed */
	List	   *by_integer;
} BothKeys;

/* Whether values of either side can be hashed as integers. */
static bool
compares_integers(Oid operator, Oid outer_function, Oid inner_function)
{
	/* Other operators could have these functions, and an idea of their own of what is equal. */
	return operator < FirstNormalObjectId && key_hash_is_integer(outer_function) && key_hash_is_integer(inner_function);
}

/* The keys of a join that are columns of its outer side, and whose operator can be relied on. */
static BothKeys
keys_of_join(const HashJoin *join)
{
	const Hash *hash = (const Hash *) innerPlan(join);
	BothKeys	keys = {.by_integer = NIL};
	ListCell   *outer,
			   *inner,
			   *operator,
			   *collation;

	forfour(outer, join->hashkeys, inner, hash->hashkeys, operator, join->hashoperators, collation, join->hashcollations)
	{
		Node	   *column = lfirst(outer);
		RegProcedure outer_function,
					inner_function;

		while (IsA(column, RelabelType))
			column = (Node *) ((RelabelType *) column)->arg;
		if (!IsA(column, Var) || ((Var *) column)->varno != OUTER_VAR || contain_subplans(lfirst(inner)) ||
			!op_strict(lfirst_oid(operator)) ||
			!get_op_hash_functions(lfirst_oid(operator), &outer_function, &inner_function))
			continue;
		keys.outer.columns = lappend(keys.outer.columns, column);
		keys.outer.functions = lappend_oid(keys.outer.functions, outer_function);
		keys.outer.collations = lappend_oid(keys.outer.collations, lfirst_oid(collation));
		keys.inner.columns = lappend(keys.inner.columns, lfirst(inner));
		keys.inner.functions = lappend_oid(keys.inner.functions, inner_function);
		keys.inner.collations = lappend_oid(keys.inner.collations, lfirst_oid(collation));
		keys.by_integer = lappend_int(keys.by_integer,
									  compares_integers(lfirst_oid(operator), outer_function, inner_function));
	}
	return keys;
}

static BothKeys
single_key(const BothKeys *keys, int index)
{
	BothKeys	one;

	one.outer.columns = list_make1(list_nth(keys->outer.columns, index));
	one.outer.functions = list_make1_oid(list_nth_oid(keys->outer.functions, index));
	one.outer.collations = list_make1_oid(list_nth_oid(keys->outer.collations, index));
	one.inner.columns = list_make1(list_nth(keys->inner.columns, index));
	one.inner.functions = list_make1_oid(list_nth_oid(keys->inner.functions, index));
	one.inner.collations = list_make1_oid(list_nth_oid(keys->inner.collations, index));
	one.by_integer = list_make1_int(list_nth_int(keys->by_integer, index));
	return one;
}

/*
 * Filters.
 */

/* Whether the join drops the rows of its outer side that have no match. */
static bool
drops_unmatched(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_SEMI || type == JOIN_RIGHT || join_returns_inner_rows(type);
}

/* Whether a filter is worth making, by estimate. */
static bool
pays(const HashJoin *join, List *targets)
{
	double		keys = innerPlan(join)->plan_rows;
	double		scanned = 0;
	ListCell   *cell;

	foreach(cell, targets)
		scanned += (*((PushTarget *) lfirst(cell))->scan)->plan_rows;
	if (scanned < join_filter_min_rows)
		return false;
	/* If keys can be duplicates, or inner rows are returned, the rows of the join do not say how many match. */
	if (keys * ROWS_PER_KEY <= scanned || !(join->join.inner_unique || join->join.jointype == JOIN_SEMI) ||
		(join->join.jointype != JOIN_INNER && join->join.jointype != JOIN_SEMI))
		return true;
	return join->join.plan.plan_rows <= join_filter_max_matches * outerPlan(join)->plan_rows;
}

static bool
make_filter(PlanChange *change, HashJoin *join, const BothKeys *keys)
{
	List	   *targets;
	ListCell   *cell;
	Plan	   *hash = innerPlan(join);
	JoinFilterPlan filter;
	RuntimeProbePlan probe;

	if (keys->outer.columns == NIL)
		return false;
	targets = push_targets(&outerPlan(join), &keys->outer, change->statement->rtable);
	if (targets == NIL || !pays(join, targets))
		return false;

	probe.number = filter.number = ++change->filters;
	change->statement->paramExecTypes = lappend_oid(change->statement->paramExecTypes, InvalidOid);
	probe.param = filter.param = list_length(change->statement->paramExecTypes) - 1;
	probe.by_integer = filter.by_integer = keys->by_integer;
	filter.keys = keys->inner.columns;
	filter.functions = keys->inner.functions;
	filter.collations = keys->inner.collations;
	outerPlan(hash) = join_filter_plan(outerPlan(hash), ++change->last_node, hash->parallel_aware, &filter);

	probe.functions = keys->outer.functions;
	probe.collations = keys->outer.collations;
	foreach(cell, targets)
	{
		PushTarget *target = lfirst(cell);

		probe.columns = target->columns;
		filter_scan_add_probe(target->scan, &probe);
	}
	return true;
}

/*
 * Nodes between a scan and a join may keep rows from one execution to the next, and so may the join itself. So the
 * filter must have the same keys whenever it is made: none that depend on a parameter that changes.
 */
static void
visit_join(PlanChange *change, Plan *plan)
{
	HashJoin   *join = (HashJoin *) plan;
	BothKeys	keys;

	if (!IsA(plan, HashJoin) || !drops_unmatched(join->join.jointype) ||
		!bms_is_subset(innerPlan(plan)->extParam, change->constants))
		return;
	keys = keys_of_join(join);
	if (make_filter(change, join, &keys))
		return;
	/* The keys may come from different tables. */
	for (int i = 0; i < list_length(keys.outer.columns); i++)
	{
		BothKeys	one = single_key(&keys, i);

		if (make_filter(change, join, &one))
			return;
	}
}

static planner_hook_type next_hook = NULL;

static PlannedStmt *
plan_query(FILTER_PLANNER_PARAMETERS)
{
	bool		makes_filters = join_filter_enabled && query_allows_join_filters(parse);
	PlannedStmt *statement = next_hook != NULL ? next_hook(FILTER_PLANNER_ARGUMENTS) :
		standard_planner(FILTER_PLANNER_ARGUMENTS);
	PlanChange	change = {.statement = statement};

	if (makes_filters)
	{
		visit_all(&change, note_node);
		visit_all(&change, visit_join);
	}
	return statement;
}

void
join_filter_init(void)
{
	join_filter_define_settings();
	join_filter_build_init();
	next_hook = planner_hook;
	planner_hook = plan_query;
}
