#include "join/plan.h"

#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "optimizer/optimizer.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "join/filter_path.h"
#include "join/keys.h"
#include "join/lookup.h"
#include "join/node.h"
#include "join/paths.h"
#include "join/push.h"
#include "join/query.h"
#include "join/worth.h"
#include "scan/path.h"
#include "scan/skip.h"

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
	List	   *chosen;			/* of ChosenFilter */
	int			filters;
} PlanChange;

/* A filter with which the planner has chosen a join. */
typedef struct ChosenFilter
{
	const HashJoin *join;
	bool		probes_outer;
	double		passing;		/* the fraction of rows that pass, as estimated */
} ChosenFilter;

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

static void
take_filter(PlanChange *change, const HashJoin *join, Plan **side, bool probes_outer)
{
	ChosenFilter filter = {.join = join, .probes_outer = probes_outer, .passing = 1};

	if (!filter_path_take_out(side, &filter.passing))
		return;
	change->chosen = lappend(change->chosen, palloc(sizeof(ChosenFilter)));
	*(ChosenFilter *) llast(change->chosen) = filter;
}

/* Take out of the plan what the paths of filters have become. */
static void
take_filters(PlanChange *change, Plan *plan)
{
	if (!IsA(plan, HashJoin))
		return;
	take_filter(change, (const HashJoin *) plan, &outerPlan(plan), false);
	take_filter(change, (const HashJoin *) plan, &outerPlan(innerPlan(plan)), true);
}

/*
 * Filters.
 */

/* The rows that a filter is probed with: those of the table, since a scan probes before it evaluates its conditions. */
static double
rows_of_scan(const PushTarget *target, List *tables)
{
	BlockNumber pages;

	return scanned_table_rows(*target->scan, tables, &pages);
}

static double
rows_of_scans(List *targets, List *tables)
{
	double		rows = 0;
	ListCell   *cell;

	foreach(cell, targets)
		rows += rows_of_scan(lfirst(cell), tables);
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
	ListCell   *cell;

	foreach(cell, targets)
	{
		const PushTarget *target = lfirst(cell);

		rows += rows_of_scan(target, tables);
		all += (*target->scan)->total_cost;
	}
	return cost <= all ? 0 : number_of_rows(rows * cost / all);
}

/*
 * The fraction of the rows of one side that have a match, as estimated. If keys can be duplicates, or rows without a match
 * are returned, the rows of the join do not say how many match: 0.
 */
static double
match_fraction(const HashJoin *join, bool probes_outer)
{
	const Plan *probed = probes_outer ? outerPlan(join) : innerPlan(join);

	if (!probes_outer || !(join->join.inner_unique || join->join.jointype == JOIN_SEMI) ||
		(join->join.jointype != JOIN_INNER && join->join.jointype != JOIN_SEMI))
		return 0;
	return join->join.plan.plan_rows / Max(probed->plan_rows, 1);
}

/* Whether the filter of one side is worth making, by estimate. */
static bool
pays(const HashJoin *join, bool probes_outer, double scanned)
{
	double		keys = (probes_outer ? innerPlan(join) : outerPlan(join))->plan_rows;
	bool		is_cheap = join_filter_is_cheap(keys, scanned);

	if (scanned < join_filter_min_rows)
		return false;
	if (is_cheap)
		return true;
	return probes_outer && match_fraction(join, true) <= join_filter_max_match_fraction;
}

/* Let EXPLAIN, and the sizes of hash tables, show the rows that remain. */
static void
reduce_rows(List *passed, double passing)
{
	ListCell   *cell;

	foreach(cell, passed)
	{
		Plan	   *plan = *(Plan **) lfirst(cell);

		plan->plan_rows = clamp_row_est(plan->plan_rows * passing);
	}
}

/* The keys on the side that makes a filter keep their order only if some scan can skip its table by it. */
static void
keep_order_of_keys(const List *made, const List *bounds)
{
	ListCell   *cell;

	foreach(cell, made)
	{
		bool		found = false;

		for (int i = 0; i < list_length(bounds); i += 3)
			found = found || (int) list_nth_oid(bounds, i) == foreach_current_index(cell);
		if (!found)
			((JoinKey *) lfirst(cell))->order = InvalidOid;
	}
}

/* Put the node that makes a filter above a plan, and probes of it into the scans. */
static void
place_filter(PlanChange *change, Plan **plan, bool is_shared, JoinFilterPlan *filter, List *targets)
{
	RuntimeProbePlan probe;
	List	   *bounds = NIL;
	ListCell   *cell;

	probe.number = filter->number = ++change->filters;
	change->statement->paramExecTypes = lappend_oid(change->statement->paramExecTypes, InvalidOid);
	probe.param = filter->param = list_length(change->statement->paramExecTypes) - 1;

	/* The plan may be one of the scans. */
	foreach(cell, targets)
	{
		PushTarget *target = lfirst(cell);

		probe.feeds_join = target->feeds_join;
		probe.all_or_nothing = target->all_or_nothing;
		probe.keys = target->keys;
		probe.bounds = is_shared ? NIL : skip_bounds(change->statement, *target->scan, probe.keys, filter->keys);
		bounds = list_concat(bounds, probe.bounds);
		filter_scan_add_probe(target->scan, &probe);
	}
	keep_order_of_keys(filter->keys, bounds);
	if (filter->table != NULL)
		filter->table->plan_node_id = ++change->last_node;
	*plan = join_filter_plan(*plan, ++change->last_node, is_shared, filter);
}

/* `chosen` is null if the planner has not chosen the join with this filter. */
static bool
make_filter(PlanChange *change, HashJoin *join, bool probes_outer, const BothKeys *keys, const ChosenFilter *chosen)
{
	Plan	   *hash = innerPlan(join);
	Plan	  **made = probes_outer ? &outerPlan(hash) : &outerPlan(join);
	Plan	  **probed = probes_outer ? &outerPlan(join) : &outerPlan(hash);
	List	   *tables = change->statement->rtable;
	JoinFilterPlan filter = {.reads_ahead = !probes_outer,.keys = keys->made};
	List	   *passed = NIL;
	List	   *targets;
	double		passing = chosen != NULL ? chosen->passing : match_fraction(join, probes_outer);

	if (keys->probed == NIL)
		return false;
	targets = push_targets(probed, keys->probed, tables, &passed);
	if (filter.reads_ahead)
		filter.read_after = rows_before_reading(targets, outerPlan(join)->total_cost, tables);
	if (targets == NIL || (chosen == NULL && !pays(join, probes_outer, rows_of_scans(targets, tables))))
		return false;
	place_filter(change, made, probes_outer && hash->parallel_aware, &filter, targets);
	if (passing > 0 && passing < 1)
		reduce_rows(passed, passing);
	return true;
}

static bool
make_filter_of_side(PlanChange *change, HashJoin *join, bool probes_outer, const ChosenFilter *chosen)
{
	const Bitmapset *constants = probes_outer ? bms_union(change->constants, change->gathers) : change->constants;
	const Plan *made = probes_outer ? innerPlan(join) : outerPlan(join);
	BothKeys	keys;

	/*
	 * Nodes between a scan and a join may keep rows from one execution to the next, and so may the join itself. So the
	 * filter must have the same keys whenever it is made: none that depend on a parameter that changes. In a Parallel Hash, a
	 * process has not all rows of the outer side.
	 */
	if (!(probes_outer ? join_drops_outer : join_drops_inner) (join->join.jointype) ||
		!bms_is_subset(made->extParam, constants) || (!probes_outer && innerPlan(join)->parallel_aware))
		return false;
	keys = join_keys_of(join, probes_outer, constants);
	if (make_filter(change, join, probes_outer, &keys, chosen))
		return true;
	/* The keys may come from different tables. */
	for (int i = 0; i < list_length(keys.probed); i++)
	{
		BothKeys	one = join_keys_single(&keys, i);

		if (make_filter(change, join, probes_outer, &one, chosen))
			return true;
	}
	return false;
}

static const ChosenFilter *
chosen_filter(const PlanChange *change, const HashJoin *join)
{
	ListCell   *cell;

	foreach(cell, change->chosen)
		if (((ChosenFilter *) lfirst(cell))->join == join)
			return lfirst(cell);
	return NULL;
}

/* If the side that is not hashed is by far the smaller one, the filter is made of it. */
static void
visit_hash_join(PlanChange *change, HashJoin *join)
{
	const ChosenFilter *chosen = chosen_filter(change, join);

	if (chosen != NULL && make_filter_of_side(change, join, chosen->probes_outer, chosen))
		return;
	if (!make_filter_of_side(change, join, false, NULL))
		make_filter_of_side(change, join, true, NULL);
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
	List	   *passed = NIL;
	List	   *targets;
	double		scanned;
	double		cost;

	if ((join->join.jointype != JOIN_INNER && join->join.jointype != JOIN_SEMI) ||
		join->join.plan.plan_rows > join_filter_max_match_fraction * lookups ||
		!lookup_of(join, change->statement->rtable, &lookup))
		return;
	targets = push_targets(&outerPlan(join), lookup.keys.probed, change->statement->rtable, &passed);
	scanned = rows_of_scans(targets, change->statement->rtable);
	cost = lookup.table_rows * lookup.row_cost / cpu_tuple_cost;
	if (targets == NIL || scanned < join_filter_min_rows || !join_filter_is_cheap(lookup.table_rows, scanned) ||
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
	HTAB	   *outer_run = join_paths_begin(makes_filters && join_filter_costs);
	PlannedStmt *volatile statement = NULL;
	PlanChange	change = {.filters = 0};

	PG_TRY();
	{
		statement = next_hook != NULL ? next_hook(FILTER_PLANNER_ARGUMENTS) : standard_planner(FILTER_PLANNER_ARGUMENTS);
	}
	PG_FINALLY();
	{
		join_paths_end(outer_run);
	}
	PG_END_TRY();
	if (makes_filters)
	{
		change.statement = statement;
		visit_all(&change, take_filters);
		visit_all(&change, note_node);
		visit_all(&change, visit_join);
	}
	return statement;
}

void
join_filter_init(void)
{
	join_filter_node_init();
	join_paths_init();
	next_hook = planner_hook;
	planner_hook = plan_query;
}
