/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans
 * of its other side reject rows that are not in it.
 *
 * The finished plan is changed: a node that makes the filter is put below the Hash node, and sequential scans become
 * filter scans. In what the planner chooses from, paths.h has hash joins at the cost that they will have by that.
 */
#include "join_planner/plan.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "join_planner/filter_path.h"
#include "join_planner/paths.h"
#include "join_planner/push.h"
#include "join_planner/query.h"
#include "join_planner/search.h"
#include "join_planner/rules.h"
#include "plan_nodes/runtime_filter_plan.h"
#include "plan_nodes/settings.h"
#include "scan_planner/bounds.h"
#include "scan_planner/offer.h"
#include "scan_planner/path.h"
#include "scan_planner/shown_plan.h"

/*
 * A side that is read ahead is given up when it has this fraction of the rows that would be probed: far more than expected,
 * since it was expected to be cheap.
 */
#define MOST_READ_AHEAD	0.1

typedef struct PlanChange
{
	PlannedStmt *statement;
	Bitmapset  *constants;		/* the executor parameters that keep their value during the whole execution */
	Bitmapset  *gathers;		/* those by which a Gather makes nodes below it start again */
	Bitmapset  *run_once;		/* the ids of sub-selects that are evaluated once */
	bool		subselects_differ;	/* another one may have another value each time */
	int			filters;

	/* Of a plan that is explained: nothing is changed. */
	bool		explains;
	List	   *obstacles;		/* of JoinObstacle */

	/* Of the node that is visited. */
	bool		runs_again;		/* it may be executed more than once */
	ReadWhole	is_read_whole;
	const char *obstacle;		/* what keeps it, a join, from a filter */
} PlanChange;

/* A filter that a join may make. */
typedef struct JoinFilter
{
	HashJoin   *join;
	bool		probes_outer;

	/* If the planner has chosen the join with it. */
	bool		is_chosen;
	double		passing;		/* the fraction of rows that pass, as estimated */
	List	   *clauses;		/* the indexes of the clauses whose keys it has */
} JoinFilter;

/*
 * Walking the plans.
 */

typedef void (*PlanVisitor) (PlanChange *change, Plan *plan);

static bool
hashes_first(const HashJoin *join)
{
	return join_hashes_first(join->join.jointype, outerPlan(join)->startup_cost, innerPlan(join)->total_cost,
							 innerPlan(join)->parallel_aware);
}

/*
 * Whether a node reads all rows of its outer input: before it returns one, or because all of its own rows are read. A hash join
 * that asks for the first of them before it hashes its other side may find nothing there, and then end.
 */
static ReadWhole
reads_outer_whole(const Plan *plan, ReadWhole is_read_whole)
{
	switch (nodeTag(plan))
	{
		case T_Sort:
		case T_Hash:
		case T_ModifyTable:
			return READ_WHOLE;
		case T_Agg:
			return ((const Agg *) plan)->aggstrategy == AGG_PLAIN || ((const Agg *) plan)->aggstrategy == AGG_HASHED ?
				READ_WHOLE : is_read_whole;
		case T_HashJoin:
			return join_rule(((const Join *) plan)->jointype, JOIN_DROPS_OUTER) && !hashes_first((const HashJoin *) plan) ?
				READ_IN_PART : is_read_whole;
		case T_WindowAgg:
			return ((const WindowAgg *) plan)->runCondition == NIL ? is_read_whole : READ_IN_PART;
		case T_CustomScan:
			return is_runtime_filter(plan) ? is_read_whole : READ_IN_PART;
		case T_Limit:
		case T_MergeJoin:
		case T_MergeAppend:
		case T_IncrementalSort:
		case T_SetOp:
		case T_RecursiveUnion:
			return READ_IN_PART;
		default:
			return is_read_whole;
	}
}

/* The same of its inner input. */
static ReadWhole
reads_inner_whole(const Plan *plan, ReadWhole is_read_whole)
{
	return IsA(plan, NestLoop) && !((const Join *) plan)->inner_unique &&
		!join_rule(((const Join *) plan)->jointype, JOIN_STOPS_AT_MATCH) ? is_read_whole : READ_IN_PART;
}

/* The inputs of a node besides its outer and inner one. Below a kind of node that is not known here, there are no filters. */
static List *
other_inputs(const Plan *plan)
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

/* Call the visitor for a plan and then for all below it, which are then those that the visitor has left there. */
static void
visit_plan(PlanChange *change, Plan *plan, bool runs_again, ReadWhole is_read_whole, PlanVisitor visitor)
{
	ListCell   *cell;

	if (plan == NULL)
		return;
	check_stack_depth();
	change->runs_again = runs_again;
	change->is_read_whole = is_read_whole;
	visitor(change, plan);
	visit_plan(change, plan->lefttree, runs_again, reads_outer_whole(plan, is_read_whole), visitor);
	foreach(cell, other_inputs(plan))
		visit_plan(change, lfirst(cell), runs_again, reads_outer_whole(plan, is_read_whole), visitor);
	visit_plan(change, plan->righttree, runs_again || IsA(plan, NestLoop) || IsA(plan, RecursiveUnion),
			   reads_inner_whole(plan, is_read_whole), visitor);
}

static void
visit_all(PlanChange *change, PlanVisitor visitor)
{
	ListCell   *cell;

	visit_plan(change, change->statement->planTree, false, READ_WHOLE_IF_RESULT_IS, visitor);
	/* Some of these return one row, and are not asked for more. */
	foreach(cell, change->statement->subplans)
		visit_plan(change, lfirst(cell), !bms_is_member(foreach_current_index(cell) + 1, change->run_once), READ_IN_PART,
				   visitor);
}

/*
 * Note the parameters of a node on which no keys depend: the results of sub-selects that are evaluated
 * once; and the parameter by which EvalPlanQual makes the nodes of its own plan start again, where there are no filters.
 * The parameter by which a Gather does so is another matter: all its processes together then have the same rows, but not
 * each of them.
 */
static void
note_node(PlanChange *change, Plan *plan)
{
	ListCell   *cell;

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
		change->run_once = bms_add_member(change->run_once, subselect->plan_id);
		foreach(output, subselect->setParam)
			change->constants = bms_add_member(change->constants, lfirst_int(output));
	}
}

/*
 * Whether a plan may return other rows when it is executed again, with the same parameters: it depends on another server, on a
 * sample, or on the order in which parallel workers return theirs. Of nodes of other extensions, nothing is known.
 */
static bool
rows_may_differ(const Plan *plan)
{
	ListCell   *cell;

	if (plan == NULL)
		return false;
	if (IsA(plan, ForeignScan) || IsA(plan, SampleScan) || IsA(plan, Gather) || IsA(plan, GatherMerge) ||
		(IsA(plan, CustomScan) && !is_runtime_filter(plan) && !filter_scan_is_plan(plan)))
		return true;
	foreach(cell, other_inputs(plan))
		if (rows_may_differ(lfirst(cell)))
			return true;
	return rows_may_differ(plan->lefttree) || rows_may_differ(plan->righttree);
}

static void
note_plan(PlanChange *change)
{
	ListCell   *cell;

	visit_all(change, note_node);
	foreach(cell, change->statement->subplans)
		if (!bms_is_member(foreach_current_index(cell) + 1, change->run_once) && rows_may_differ(lfirst(cell)))
			change->subselects_differ = true;
}

/* Of the plan that was finished last, and has not been changed yet: a list of JoinFilter. */
static List *chosen_filters = NIL;

static void
take_filter(HashJoin *join, Plan **side, bool probes_outer)
{
	JoinFilter *filter = palloc0(sizeof(JoinFilter));

	filter->join = join;
	filter->probes_outer = probes_outer;
	filter->is_chosen = filter_path_take_out(side, &filter->passing, &filter->clauses);
	if (filter->is_chosen)
		chosen_filters = lappend(chosen_filters, filter);
}

static void
take_filters_of_join(PlanChange *change, Plan *plan)
{
	(void) change;
	if (!IsA(plan, HashJoin))
		return;
	take_filter((HashJoin *) plan, &outerPlan(plan), false);
	take_filter((HashJoin *) plan, &outerPlan(innerPlan(plan)), true);
}

/* Take out of a plan what the paths of filters have become. */
static void
take_filters(PlannedStmt *statement)
{
	PlanChange	change = {.statement = statement};

	visit_all(&change, take_filters_of_join);
}

/*
 * Filters.
 */

/* Note why there is no filter: what is found last has been nearest to one. Returns false. */
static bool
not_made(PlanChange *change, const char *obstacle)
{
	change->obstacle = obstacle;
	return false;
}

static bool
has_few_rows(PlanChange *change, double rows)
{
	if (rows < runtime_filter_min_rows)
		change->obstacle = psprintf("fewer than %d rows", runtime_filter_min_rows);
	return rows < runtime_filter_min_rows;
}

/* Put the node that makes a filter above a plan, and probes of it into the scans. */
static void
place_filter(PlanChange *change, Plan **plan, bool is_shared, RuntimeFilterPlan *filter, List *targets)
{
	List	   *bounds = NIL;
	ListCell   *cell;

	filter->number = ++change->filters;
	filter->param = list_length(change->statement->paramExecTypes);
	change->statement->paramExecTypes = lappend_oid(change->statement->paramExecTypes, InvalidOid);

	/* The plan may be one of the scans. */
	foreach(cell, targets)
	{
		PushTarget *target = lfirst(cell);
		RuntimeProbePlan *probe = &target->probe;

		probe->number = filter->number;
		probe->param = filter->param;
		/* Rows of a group may differ in the order of the bounds. */
		if (!is_shared && !probe->all_or_nothing)
			probe->bounds = partition_bounds(change->statement, *target->scan, probe->keys, filter->keys);
		bounds = list_concat(bounds, probe->bounds);
		filter_scan_add_probe(target->scan, target->rows, probe);
	}
	/* The order is kept, at a cost, only if some scan can skip its table by it. */
	if (bounds == NIL)
		foreach(cell, filter->keys)
			((JoinKey *) lfirst(cell))->order = InvalidOid;
	*plan = runtime_filter_plan(*plan, is_shared, filter);
}

/*
 * The fraction of rows that pass, as estimated, or a negative number. The rows of the join say nothing of a filter that has
 * not all of its keys.
 */
static double
passing_fraction(const JoinFilter *filter, const BothKeys *keys)
{
	const Join *join = &filter->join->join;

	if (filter->is_chosen)
		return filter->passing;
	if (!filter->probes_outer || list_length(keys->clauses) < list_length(filter->join->hashkeys))
		return -1;
	return join_match_fraction(join->jointype, join->inner_unique, join->plan.plan_rows, outerPlan(join)->plan_rows);
}

/*
 * Whether the filter of some scans is made: the planner has chosen it, or it is worth making. Scans that are read before the
 * join has hashed anything do not count.
 */
static bool
is_worth_making(PlanChange *change, const JoinFilter *filter, const Plan *build, double probes, double passing)
{
	if (!filter->probes_outer && change->is_read_whole == READ_IN_PART)
		return not_made(change, "build side, which is not hashed, may not be read to its end");
	if (!filter->probes_outer && !join_keeps_rows(build->plan_rows, build->plan_width))
		return not_made(change, "build side, which is not hashed, exceeds work_mem");
	if (filter->is_chosen || runtime_filter_pays(build->plan_rows, probes, passing, filter->probes_outer))
		return true;
	if (has_few_rows(change, probes))
		return false;
	if (filter->probes_outer)
		return not_made(change, psprintf("expects %.0f%% of rows to match", 100 * passing));
	return not_made(change, psprintf("build side, which is not hashed, has %.0f%% of the rows of the probe side",
									 100 * build->plan_rows / probes));
}

static bool
make_filter(PlanChange *change, const JoinFilter *filter, const BothKeys *keys)
{
	Plan	   *join = &filter->join->join.plan;
	Plan	   *hash = innerPlan(join);
	bool		probes_outer = filter->probes_outer;
	Plan	  **build = probes_outer ? &outerPlan(hash) : &outerPlan(join);
	Push		push = {.statement = change->statement,.runs_again = change->runs_again,.obstacle = change->obstacle};
	RuntimeFilterPlan plan = {.reads_ahead = probes_outer ? READ_IN_PART : change->is_read_whole,.keys = keys->build};
	double		passing = passing_fraction(filter, keys);
	ListCell   *cell;

	if (keys->probe == NIL)
		return not_made(change, "key is not a column on the probe side, or is expensive on the build side");
	push.at_once = !probes_outer || !hashes_first(filter->join);
	push_into(&push, probes_outer ? &outerPlan(join) : &outerPlan(hash), keys->probe);
	change->obstacle = push.obstacle;
	if (push.targets == NIL || !is_worth_making(change, filter, *build, push.rows, passing))
		return false;
	if (change->explains)
		return true;
	plan.rows = (int) Min(ceil(MOST_READ_AHEAD * push.rows), READ_AHEAD_ROWS);
	place_filter(change, build, probes_outer && hash->parallel_aware, &plan, push.targets);
	/* Let EXPLAIN, and the sizes of hash tables, show the rows that remain. */
	foreach(cell, passing > 0 && passing < 1 ? push.passed : NIL)
	{
		Plan	   *passed = *(Plan **) lfirst(cell);

		passed->plan_rows = clamp_row_est(passed->plan_rows * passing);
	}
	return true;
}

/*
 * Whether a join may make a filter of a side. Nodes between a scan and the join may keep rows from one execution to the next,
 * and so may the join itself. So the filter must have the same keys whenever it is made: none that depend on a parameter that
 * changes, or on anything else by which another execution may return other rows. A scan whose rows are divided among processes
 * depends on a parameter of its Gather.
 */
static bool
can_make_filter(PlanChange *change, const JoinFilter *filter, const Bitmapset *constants)
{
	const Plan *build = filter->probes_outer ? innerPlan(filter->join) : outerPlan(filter->join);

	if (!join_rule(filter->join->join.jointype, filter->probes_outer ? JOIN_DROPS_OUTER : JOIN_DROPS_INNER))
		return not_made(change, "keeps rows of the probe side that have no match");
	if (!bms_is_subset(build->extParam, constants))
		return not_made(change, "build side depends on an outer query or join, or is divided among workers");
	/* Nobody but nodeToString knows all expressions of all nodes. */
	if (change->runs_again &&
		(rows_may_differ(build) || (change->subselects_differ && strstr(nodeToString(build), "{SUBPLAN ") != NULL)))
		return not_made(change, "build side may have other rows when it is read again");
	return true;
}

/* Of the keys with which the planner has chosen the filter; otherwise, of all keys or else of one. */
static bool
make_any_filter(PlanChange *change, const JoinFilter *filter)
{
	const Bitmapset *constants = filter->probes_outer ? bms_union(change->constants, change->gathers) : change->constants;
	BothKeys	keys;

	if (!can_make_filter(change, filter, constants))
		return false;
	keys = join_keys_of(filter->join, filter->probes_outer, constants);
	if (filter->is_chosen)
	{
		keys = join_keys_of_clauses(&keys, filter->clauses);
		return list_length(keys.clauses) == list_length(filter->clauses) && make_filter(change, filter, &keys);
	}
	if (make_filter(change, filter, &keys))
		return true;
	/* The keys may come from different tables. */
	for (int i = 0; list_length(keys.clauses) > 1 && i < list_length(keys.clauses); i++)
	{
		BothKeys	one = join_keys_of_clauses(&keys, list_make1_int(list_nth_int(keys.clauses, i)));

		if (make_filter(change, filter, &one))
			return true;
	}
	return false;
}

static bool
make_filter_of_side(PlanChange *change, HashJoin *join, bool probes_outer)
{
	JoinFilter	filter = {.join = join,.probes_outer = probes_outer};

	return make_any_filter(change, &filter);
}

/*
 * If the side that is not hashed is by far the smaller one, the filter is made of it.
 *
 * A filter with which the planner has chosen the join can be impossible for what the join has become part of: a node above
 * that may stop reading it, or executes it again. That is rare, and not worth planning the query once more.
 */
static void
visit_join(PlanChange *change, Plan *plan)
{
	ListCell   *cell;

	if (!IsA(plan, HashJoin))
		return;
	foreach(cell, chosen_filters)
	{
		const JoinFilter *chosen = lfirst(cell);

		if (&chosen->join->join.plan != plan)
			continue;
		change->obstacle = "a key is not one of the finished plan";
		if (make_any_filter(change, chosen))
			return;
		ereport(DEBUG1, (errmsg_internal("chosen runtime filter was not made: %s", change->obstacle)));
	}
	if (!make_filter_of_side(change, (HashJoin *) plan, false))
		make_filter_of_side(change, (HashJoin *) plan, true);
}

/*
 * Explaining.
 */

/* Whether one of the inputs of a join makes a filter. */
static bool
has_filter(const Plan *join)
{
	return is_runtime_filter(outerPlan(join)) || (IsA(innerPlan(join), Hash) && is_runtime_filter(outerPlan(innerPlan(join))));
}

/*
 * The rows of the largest input of a side: those of a sequentially scanned table, or, unless only_tables, what another scan
 * returns. Notes what is scanned.
 */
static double
note_inputs(const PlanChange *change, const Plan *plan, bool only_tables, Bitmapset **tables)
{
	double		rows = 0;
	ListCell   *cell;

	if (plan == NULL)
		return 0;
	if (nodeTag(plan) >= T_SeqScan && nodeTag(plan) <= T_CustomScan && !IsA(plan, SubqueryScan) &&
		((const Scan *) plan)->scanrelid > 0)
	{
		*tables = bms_add_member(*tables, (int) ((const Scan *) plan)->scanrelid);
		if (IsA(plan, SeqScan) || filter_scan_is_plan(plan))
			rows = scanned_table_rows(plan, change->statement->rtable);
		else if (!only_tables)
			rows = plan->plan_rows;
	}
	foreach(cell, other_inputs(plan))
		rows += note_inputs(change, lfirst(cell), only_tables, tables);
	rows = Max(rows, note_inputs(change, plan->lefttree, only_tables, tables));
	return Max(rows, note_inputs(change, plan->righttree, only_tables, tables));
}

/* What the side of a join with the larger input lacks for a filter. */
static void
explain_join(PlanChange *change, Plan *plan)
{
	JoinObstacle *obstacle = palloc0(sizeof(JoinObstacle));
	double		outer,
				inner;

	if (!(IsA(plan, HashJoin) || IsA(plan, MergeJoin) || IsA(plan, NestLoop)) || has_filter(plan))
		return;
	outer = note_inputs(change, outerPlan(plan), IsA(plan, NestLoop), &obstacle->tables[0]);
	inner = note_inputs(change, innerPlan(plan), IsA(plan, NestLoop), &obstacle->tables[1]);
	if (has_few_rows(change, Max(outer, inner)))
	{
		/* Nested loops over few rows are no joins that could better be hashed. */
		if (IsA(plan, NestLoop))
			return;
	}
	else if (!IsA(plan, HashJoin))
		change->obstacle = "only hash joins build filters";
	else if (make_filter_of_side(change, (HashJoin *) plan, outer >= inner))
		change->obstacle = "planned while filters were off, or for a query that they could change";
	obstacle->join = plan;
	obstacle->text = change->obstacle;
	change->obstacles = lappend(change->obstacles, obstacle);
}

List *
runtime_filter_obstacles(PlannedStmt *statement)
{
	PlanChange	change = {.statement = statement,.explains = true};

	note_plan(&change);
	visit_all(&change, explain_join);
	return change.obstacles;
}

/* The names that a side's tables have in the query, each once: all partitions have that of their table. */
static char *
names_of(const PlannedStmt *statement, const Bitmapset *tables)
{
	StringInfoData names;
	const char *last = "";
	int			table = -1;

	initStringInfo(&names);
	while ((table = bms_next_member(tables, table)) >= 0)
	{
		const char *name = rt_fetch(table, statement->rtable)->eref->aliasname;

		if (strcmp(name, last) != 0)
			appendStringInfo(&names, "%s%s", *last == '\0' ? "" : ", ", name);
		last = name;
	}
	return names.data;
}

/* Tell the client why joins have no filter; or that no join has, if the whole query has an obstacle. */
static void
report_obstacles(PlannedStmt *statement, const char *of_query)
{
	List	   *of_joins = runtime_filter_obstacles(statement);
	ListCell   *cell;

	if (of_query != NULL && of_joins != NIL)
		ereport(NOTICE, (errmsg("query has no runtime filters: %s", of_query)));
	foreach(cell, of_query == NULL ? of_joins : NIL)
	{
		const JoinObstacle *join = lfirst(cell);

		ereport(NOTICE,
				(errmsg("join of %s and %s has no runtime filter: %s", names_of(statement, join->tables[0]),
						names_of(statement, join->tables[1]), join->text)));
	}
}

/*
 * The planner's hook.
 */

/* Make the filters of a finished plan, in place. */
static void
make_filters(PlannedStmt *statement)
{
	PlanChange	change = {.statement = statement};

	take_filters(statement);
	note_plan(&change);
	visit_all(&change, visit_join);
	chosen_filters = NIL;
}

static planner_hook_type next_hook = NULL;

static PlannedStmt *
plan_query(FILTER_PLANNER_PARAMETERS)
{
	const char *obstacle = query_obstacle(parse);
	bool		makes_filters = obstacle == NULL;
	PlannedStmt *volatile statement = NULL;
	JoinPathsRun *outer_run;

	if (makes_filters)
		filter_scan_install_hooks();
	outer_run = join_paths_begin(makes_filters && runtime_filter_costs && shown_plan_is_ours());
	chosen_filters = NIL;
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
		make_filters(statement);
	if (runtime_filter_explain)
		report_obstacles(statement, obstacle);
	return statement;
}

void
runtime_filter_install_hooks(void)
{
	join_search_install();
	next_hook = planner_hook;
	planner_hook = plan_query;
	shown_plan_take_out = take_filters;
}
