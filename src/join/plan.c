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
#include "scan/filter_rows.h"
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

/* The rows that a filter is probed with: those of the table, if a scan probes before it evaluates its conditions. */
static double
rows_of_scan(const PushTarget *target, List *tables)
{
	BlockNumber pages;

	return target->by_row ? (*target->scan)->plan_rows : scanned_table_rows(*target->scan, tables, &pages);
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

/*
 * Whether a filter saves no more than lookups in the join's hash table. That is up to a fifth of the time of a query; a node
 * for each row that is not needed takes 2 to 6% of it. So then the join is also believed if it expects that most rows match;
 * but if the filter is cheap to make, not of WITH queries and functions, for whose columns there are no statistics.
 */
static bool
saves_lookups_only(List *targets, bool is_cheap)
{
	ListCell   *cell;

	foreach(cell, targets)
	{
		const PushTarget *target = lfirst(cell);

		const Plan *scan = is_filter_rows(*target->scan) ? outerPlan(*target->scan) : *target->scan;

		if (!target->by_row || !target->feeds_join || (is_cheap && (IsA(scan, CteScan) || IsA(scan, FunctionScan))))
			return false;
	}
	return true;
}

/* Whether the filter of one side is worth making, by estimate. */
static bool
pays(const HashJoin *join, bool probes_outer, List *targets, double scanned)
{
	double		keys = (probes_outer ? innerPlan(join) : outerPlan(join))->plan_rows;
	bool		is_cheap = join_filter_is_cheap(keys, scanned);

	if (scanned < join_filter_min_rows)
		return false;
	if (probes_outer && saves_lookups_only(targets, is_cheap) &&
		join->join.plan.plan_rows > join_filter_max_match_fraction * outerPlan(join)->plan_rows)
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

/*
 * A hash join asks its outer side for a row before it hashes the other side, if the planner expects that to cost less, since
 * there may be no row. If this row is the result of all rows of a scan, that would scan before there is a filter; and a scan
 * that has begun leaves out no pages.
 */
static void
hash_first(HashJoin *join, List *targets, bool skips)
{
	Plan	   *hash = innerPlan(join);
	ListCell   *cell;

	foreach(cell, targets)
		if (skips || !((PushTarget *) lfirst(cell))->feeds_join)
			hash->total_cost = Min(hash->total_cost, outerPlan(join)->startup_cost);
}

/*
 * A scan can leave something out if it knows the keys in their order. They keep it only if there is such a scan. Returns
 * whether there is.
 */
static bool
keep_order_of_keys(const PlanChange *change, List *made, List *targets)
{
	bool		found = false;
	ListCell   *cell,
			   *target;

	foreach(cell, made)
	{
		JoinKey    *key = lfirst(cell);
		int			ways = 0;

		foreach(target, targets)
		{
			const PushTarget *to = lfirst(target);
			const JoinKey *probed = list_nth(to->keys, foreach_current_index(cell));

			if (ways == 0 && OidIsValid(key->order) && OidIsValid(probed->order))
				ways = scan_skip_ways(*to->scan, change->statement->rtable, castNode(Var, probed->value)->varattno);
		}
		if (ways == 0)
			key->order = InvalidOid;
		found = found || ways != 0;
	}
	return found;
}

/* Put the node that makes a filter above a plan, and probes of it into the scans; returns whether one can leave anything out. */
static bool
place_filter(PlanChange *change, Plan **plan, bool is_shared, JoinFilterPlan *filter, List *targets)
{
	RuntimeProbePlan probe;
	bool		skips;
	ListCell   *cell;

	probe.number = filter->number = ++change->filters;
	change->statement->paramExecTypes = lappend_oid(change->statement->paramExecTypes, InvalidOid);
	probe.param = filter->param = list_length(change->statement->paramExecTypes) - 1;

	skips = keep_order_of_keys(change, filter->keys, targets) && !is_shared;
	/* The plan may be one of the scans. */
	foreach(cell, targets)
	{
		PushTarget *target = lfirst(cell);

		probe.feeds_join = target->feeds_join;
		probe.below_gather = target->below_gather;
		probe.keys = target->keys;
		if (target->by_row)
			filter_rows_add_probe(target->scan, &probe, &change->last_node);
		else
			filter_scan_add_probe(target->scan, &probe);
	}
	if (filter->table != NULL)
		filter->table->plan_node_id = ++change->last_node;
	*plan = join_filter_plan(*plan, ++change->last_node, is_shared, filter);
	return skips;
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
	bool		skips;

	if (keys->probed == NIL)
		return false;
	targets = push_targets(probed, keys->probed, tables, &passed);
	if (filter.reads_ahead)
	{
		filter.read_after = rows_before_reading(targets, outerPlan(join)->total_cost, tables);
		/* Too late for workers. */
		if (filter.read_after > 0)
			targets = push_targets_of_leader(targets);
	}
	if (targets == NIL || (chosen == NULL && !pays(join, probes_outer, targets, rows_of_scans(targets, tables))))
		return false;
	skips = place_filter(change, made, probes_outer && hash->parallel_aware, &filter, targets);
	if (passing > 0 && passing < 1)
		reduce_rows(passed, passing);
	if (probes_outer)
		hash_first(join, targets, skips);
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
	/* Workers would be too early. */
	targets = push_targets_of_leader(push_targets(&outerPlan(join), lookup.keys.probed, change->statement->rtable, &passed));
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
