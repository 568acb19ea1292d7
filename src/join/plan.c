#include "join/plan.h"

#include "postgres.h"

#include <math.h>

#include "optimizer/optimizer.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "join/node.h"
#include "join/keys.h"
#include "join/lookup.h"
#include "join/link.h"
#include "join/push.h"
#include "join/query.h"
#include "join/settings.h"
#include "scan/path.h"

/*
 * If a filter is probed with this many times as many rows as it is made of, it is made even if nearly all of them are
 * expected to match: it costs little, and the estimate may be wrong.
 */
#define ROWS_PER_KEY	20.0

/*
 * The rows of a table that can be scanned in the time that an index takes to look up one: 4 if the table is in the caches of
 * the CPU, and 50 if it has a million rows (docs/performance.md compares an index with no filter). Scanning a small table
 * takes little time in any case.
 */
#define ROWS_PER_LOOKUP	40.0
#define ROWS_PER_CACHED_LOOKUP	4.0
#define CACHED_ROWS		1e5

typedef struct PlanChange
{
	PlannedStmt *statement;
	int			last_node;		/* the largest plan_node_id */
	Bitmapset  *constants;		/* the executor parameters that keep their value during the whole execution */
	Bitmapset  *gathers;		/* those by which a Gather makes nodes below it start again */
	int			filters;
} PlanChange;

/*
 * Walking the plans.
 */

typedef void (*PlanVisitor) (PlanChange *change, Plan *plan);

static void visit_plan(PlanChange *change, Plan *plan, PlanVisitor visitor);

static void
visit_each(PlanChange *change, List *plans, PlanVisitor visitor)
{
	ListCell   *cell;

	foreach(cell, plans)
		visit_plan(change, lfirst(cell), visitor);
}

/* Call the visitor for a plan and then for all below it, which are then those that the visitor has left there. */
static void
visit_plan(PlanChange *change, Plan *plan, PlanVisitor visitor)
{
	if (plan == NULL)
		return;
	visitor(change, plan);
	visit_plan(change, plan->lefttree, visitor);
	visit_plan(change, plan->righttree, visitor);
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
			visit_plan(change, ((SubqueryScan *) plan)->subplan, visitor);
			break;
		case T_CustomScan:
			visit_each(change, ((CustomScan *) plan)->custom_plans, visitor);
			break;
		default:
			break;
	}
}

static void
visit_all(PlanChange *change, PlanVisitor visitor)
{
	visit_plan(change, change->statement->planTree, visitor);
	visit_each(change, change->statement->subplans, visitor);
}

/*
 * Note the id of a node, and its parameters on which no keys depend: the results of sub-selects that are evaluated
 * once; and the parameter by which EvalPlanQual makes the nodes of its own plan start again, where there are no filters.
 * The parameter by which a Gather does so is another matter: all its processes together then have the same rows, but not
 * each of them.
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
		change->gathers = bms_add_member(change->gathers, ((Gather *) plan)->rescan_param);
	else if (IsA(plan, GatherMerge) && ((GatherMerge *) plan)->rescan_param >= 0)
		change->gathers = bms_add_member(change->gathers, ((GatherMerge *) plan)->rescan_param);
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
 * Filters.
 */

/* Whether the join drops the rows of its outer side that have no match. */
static bool
drops_outer(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_SEMI || type == JOIN_RIGHT || join_returns_inner_rows(type);
}

/* The same for those that it hashes. */
static bool
drops_inner(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI || type == JOIN_ANTI;
}

static double
rows_of_scans(List *targets)
{
	double		rows = 0;
	ListCell   *cell;

	foreach(cell, targets)
		rows += (*((PushTarget *) lfirst(cell))->scan)->plan_rows;
	return rows;
}

/*
 * The number of lookups that take as long as reading all keys of the table. A query that ends before, because of a LIMIT for
 * example, is as fast as without a filter; one that ends just then takes no more than twice as long.
 */
static double
lookups_worth(double rows)
{
	return rows / Min(Max(rows / CACHED_ROWS, 1.0) * ROWS_PER_CACHED_LOOKUP, ROWS_PER_LOOKUP);
}

static int
number_of_rows(double rows)
{
	return rows < INT_MAX ? (int) ceil(rows) : INT_MAX;
}

/*
 * The number of rows that the scans read before it pays to read the other side ahead, at a cost. The join reads all that it
 * hashes, even if a LIMIT ends the query soon afterwards. So the query takes no more than twice as long if the other side
 * costs no more than these scans, or if they have cost as much.
 */
static int
rows_before_reading(List *targets, Cost cost, List *tables)
{
	double		rows = 0;
	Cost		all = 0;
	BlockNumber pages;
	ListCell   *cell;

	foreach(cell, targets)
	{
		const Plan *scan = *((PushTarget *) lfirst(cell))->scan;

		rows += scanned_table_rows(scan, tables, &pages);
		all += scan->total_cost;
	}
	return cost <= all ? 0 : number_of_rows(rows * cost / all);
}

/* Whether a filter of the rows that are hashed is worth making, by estimate. */
static bool
hashed_side_pays(const HashJoin *join, double scanned)
{
	double		keys = innerPlan(join)->plan_rows;

	if (scanned < join_filter_min_rows)
		return false;
	/* If keys can be duplicates, or inner rows are returned, the rows of the join do not say how many match. */
	if (keys * ROWS_PER_KEY <= scanned || !(join->join.inner_unique || join->join.jointype == JOIN_SEMI) ||
		(join->join.jointype != JOIN_INNER && join->join.jointype != JOIN_SEMI))
		return true;
	return join->join.plan.plan_rows <= join_filter_max_matches * outerPlan(join)->plan_rows;
}

/* The same for a filter of the other side, whose rows are kept. */
static bool
other_side_pays(const HashJoin *join, double scanned)
{
	return scanned >= join_filter_min_rows && outerPlan(join)->plan_rows * ROWS_PER_KEY <= scanned;
}

/* Put the node that makes a filter above a plan, and probes of the filter into the scans. */
static void
place_filter(PlanChange *change, Plan **plan, bool is_shared, JoinFilterPlan *filter, List *targets)
{
	RuntimeProbePlan probe;
	ListCell   *cell;

	probe.number = filter->number = ++change->filters;
	change->statement->paramExecTypes = lappend_oid(change->statement->paramExecTypes, InvalidOid);
	probe.param = filter->param = list_length(change->statement->paramExecTypes) - 1;

	/* The plan may be one of the scans. */
	foreach(cell, targets)
	{
		PushTarget *target = lfirst(cell);

		probe.keys = target->keys;
		filter_scan_add_probe(target->scan, &probe);
	}
	if (filter->table != NULL)
		filter->table->plan_node_id = ++change->last_node;
	*plan = join_filter_plan(*plan, ++change->last_node, is_shared, filter);
}

static bool
make_filter(PlanChange *change, HashJoin *join, bool probes_outer, const BothKeys *keys)
{
	Plan	   *hash = innerPlan(join);
	Plan	  **made = probes_outer ? &outerPlan(hash) : &outerPlan(join);
	Plan	  **probed = probes_outer ? &outerPlan(join) : &outerPlan(hash);
	JoinFilterPlan filter = {.reads_ahead = !probes_outer,.keys = keys->made};
	List	   *targets;

	if (keys->probed == NIL)
		return false;
	targets = push_targets(probed, keys->probed, change->statement->rtable);
	if (targets == NIL || !(probes_outer ? hashed_side_pays : other_side_pays) (join, rows_of_scans(targets)))
		return false;
	if (filter.reads_ahead)
		filter.read_after = rows_before_reading(targets, outerPlan(join)->total_cost, change->statement->rtable);
	place_filter(change, made, probes_outer && hash->parallel_aware, &filter, targets);
	return true;
}

static bool
make_filter_of_side(PlanChange *change, HashJoin *join, bool probes_outer)
{
	BothKeys	keys = join_keys_of(join, probes_outer);

	if (make_filter(change, join, probes_outer, &keys))
		return true;
	/* The keys may come from different tables. */
	for (int i = 0; i < list_length(keys.probed); i++)
	{
		BothKeys	one = join_keys_single(&keys, i);

		if (make_filter(change, join, probes_outer, &one))
			return true;
	}
	return false;
}

/*
 * Nodes between a scan and a join may keep rows from one execution to the next, and so may the join itself. So the
 * filter must have the same keys whenever it is made: none that depend on a parameter that changes.
 *
 * If the side that is not hashed is by far the smaller one, the filter is made of it. In a Parallel Hash, a process has
 * not all rows of that side.
 */
static void
visit_hash_join(PlanChange *change, HashJoin *join)
{
	if (drops_inner(join->join.jointype) && !innerPlan(join)->parallel_aware &&
		bms_is_subset(outerPlan(join)->extParam, change->constants) && make_filter_of_side(change, join, false))
		return;
	if (drops_outer(join->join.jointype) &&
		bms_is_subset(innerPlan(join)->extParam, bms_union(change->constants, change->gathers)))
		make_filter_of_side(change, join, true);
}

/*
 * A filter for a nested loop that looks up rows, which saves the lookups of rows that do not exist. One takes as long as
 * scanning tens of rows.
 */
static void
visit_nested_loop(PlanChange *change, NestLoop *join)
{
	double		lookups = outerPlan(join)->plan_rows;
	Lookup		lookup;
	JoinFilterPlan filter = {.reads_ahead = true};
	List	   *targets;
	double		scanned;
	double		cost;

	if ((join->join.jointype != JOIN_INNER && join->join.jointype != JOIN_SEMI) ||
		join->join.plan.plan_rows > join_filter_max_matches * lookups ||
		!lookup_of(join, change->statement->rtable, &lookup))
		return;
	targets = push_targets(&outerPlan(join), lookup.keys.probed, change->statement->rtable);
	scanned = rows_of_scans(targets);
	cost = lookup.table_rows * lookup.row_cost / cpu_tuple_cost;
	if (targets == NIL || scanned < join_filter_min_rows || lookup.table_rows * ROWS_PER_KEY > scanned ||
		cost > lookups * ROWS_PER_LOOKUP)
		return;
	filter.read_after = number_of_rows(lookups_worth(cost));
	filter.keys = lookup.keys.made;
	filter.table = lookup.scan;
	place_filter(change, &outerPlan(join), false, &filter, targets);
}

static void
visit_join(PlanChange *change, Plan *plan)
{
	if (IsA(plan, HashJoin))
		visit_hash_join(change, (HashJoin *) plan);
	else if (IsA(plan, NestLoop))
		visit_nested_loop(change, (NestLoop *) plan);
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
	join_filter_node_init();
	join_link_init();
	next_hook = planner_hook;
	planner_hook = plan_query;
}
