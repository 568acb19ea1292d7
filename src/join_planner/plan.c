/*
 * A node that makes the filter is inserted above the build side, and the sequential scans that probe it become filter scans.
 * paths.c has costed the hash joins that the planner chose as they will be after that.
 */
#include "join_planner/plan.h"

#include <math.h>

#include "optimizer/optimizer.h"

#include "join_planner/filter_path.h"
#include "join_planner/push.h"
#include "join_planner/rules.h"
#include "plan_nodes/settings.h"
#include "scan_planner/bounds.h"
#include "scan_planner/path.h"

/* Reading ahead ends without a filter at this fraction of the rows to be probed: far more than expected of a cheap filter. */
#define MOST_READ_AHEAD	0.1

/* The obstacle that the planner cannot know when it chooses: a node above the join, which is planned later, executes it again. */
static const char *const rows_may_differ = "build side may have other rows when it is read again";

/* The level of the message that a chosen filter cannot be made: an error where tests run. */
static int
not_made_level(const char *obstacle)
{
#ifdef USE_ASSERT_CHECKING
	if (obstacle != rows_may_differ)
		return ERROR;
#endif
	return DEBUG1;
}

typedef struct JoinFilter
{
	HashJoin   *join;
	bool		probes_outer;
	const ChosenFilterPlan *chosen; /* if the planner has chosen the join with this filter; or null */
} JoinFilter;

/* The filters (JoinFilter) that the planner has chosen for the plan that it finished last, until they are made. */
static List *chosen_filters = NIL;

static void
unwrap_side(HashJoin *join, Plan **side, bool probes_outer)
{
	const ChosenFilterPlan *chosen = filter_path_unwrap(side);
	JoinFilter *join_filter;

	if (chosen == NULL)
		return;
	join_filter = palloc(sizeof(JoinFilter));
	*join_filter = (JoinFilter) {.join = join,.probes_outer = probes_outer,.chosen = chosen};
	chosen_filters = lappend(chosen_filters, join_filter);
}

static void
unwrap_join(PlanWalk *walk, Plan *plan)
{
	if (!IsA(plan, HashJoin))
		return;
	walk->has_hash_join = true;
	unwrap_side((HashJoin *) plan, &outerPlan(plan), false);
	unwrap_side((HashJoin *) plan, &outerPlan(innerPlan(plan)), true);
}

void
plan_filters_unwrap(PlannedStmt *statement)
{
	PlanWalk	walk = {.statement = statement};

	walk_plan(&walk, unwrap_join);
}

void
plan_filters_forget(void)
{
	chosen_filters = NIL;
}

/* Note why there is no filter, and return false. Only the last obstacle is kept, since it is the one nearest to a filter. */
static bool
not_made(PlanChange *change, const char *obstacle)
{
	change->obstacle = obstacle;
	return false;
}

bool
plan_has_few_rows(PlanChange *change, double rows)
{
	if (rows < runtime_filter_min_rows)
		change->obstacle = psprintf("fewer than %d rows", runtime_filter_min_rows);
	return rows < runtime_filter_min_rows;
}

/* Put the node that makes a filter above a plan, and its probes into the scans. */
static void
add_filter_node(PlanChange *change, Plan **plan, bool is_shared, RuntimeFilterPlan *filter_plan, List *targets)
{
	const AppendRelInfo **parents = append_parents(change->walk.statement);
	List	   *bounds = NIL;
	ListCell   *cell;

	filter_plan->number = ++change->filters;
	filter_plan->param = list_length(change->walk.statement->paramExecTypes);
	change->walk.statement->paramExecTypes = lappend_oid(change->walk.statement->paramExecTypes, InvalidOid);

	foreach(cell, targets)
	{
		PushTarget *target = lfirst(cell);
		RuntimeProbePlan *probe = target->probe;

		probe->number = filter_plan->number;
		probe->param = filter_plan->param;
		/* Rows of one group may differ in the order of the partitions. Workers do not get the range of the keys. */
		if (!is_shared && !probe->all_or_nothing && !probe->below_gather)
			probe->bounds = partition_bounds(change->walk.statement, parents, *target->scan, probe->keys, filter_plan->keys);
		bounds = list_concat(bounds, probe->bounds);
		filter_scan_add_probe(target->scan, target->rows, probe);
	}
	/* The node keeps the range of a key, at a cost, only if some scan can skip its table by it. */
	if (bounds == NIL)
		foreach(cell, filter_plan->keys)
			((JoinKey *) lfirst(cell))->order = InvalidOid;
	*plan = runtime_filter_plan(*plan, is_shared, filter_plan);
}

/* The estimated fraction of rows that pass; negative: unknown, since the join's rows say nothing about some of its keys. */
static double
passing_fraction(const JoinFilter *join_filter, const BothKeys *keys)
{
	const Join *join = &join_filter->join->join;

	if (join_filter->chosen != NULL)
		return join_filter->chosen->passing;
	if (!join_filter->probes_outer || list_length(keys->clauses) < list_length(join_filter->join->hashkeys))
		return -1;
	return join_match_fraction(join->jointype, join->inner_unique, join->plan.plan_rows, outerPlan(join)->plan_rows);
}

/*
 * Whether the planner has chosen a filter, or it pays. `probed_rows` excludes the rows of scans that are read before the join has
 * hashed a row.
 */
static bool
is_worth_making(PlanChange *change, const JoinFilter *join_filter, const Plan *build, double probed_rows, double passing)
{
	if (!join_filter->probes_outer && change->walk.is_read_whole == READ_IN_PART)
		return not_made(change, "build side, which is not hashed, may not be read to its end");
	if (join_filter->chosen != NULL)
		return true;
	if (!join_filter->probes_outer && !join_keeps_rows(build->plan_rows, build->plan_width))
		return not_made(change, "build side, which is not hashed, exceeds work_mem");
	if (runtime_filter_pays(build->plan_rows, probed_rows, passing, join_filter->probes_outer))
		return true;
	if (plan_has_few_rows(change, probed_rows))
		return false;
	if (join_filter->probes_outer)
		return not_made(change, psprintf("expects %.0f%% of rows to match", 100 * passing));
	return not_made(change, psprintf("build side, which is not hashed, has %.0f%% of the rows of probe side",
									 100 * build->plan_rows / probed_rows));
}

static bool
make_filter(PlanChange *change, const JoinFilter *join_filter, const BothKeys *keys)
{
	Plan	   *join = &join_filter->join->join.plan;
	Plan	   *hash = innerPlan(join);
	bool		probes_outer = join_filter->probes_outer;
	Plan	  **build = probes_outer ? &outerPlan(hash) : &outerPlan(join);
	Push		push = {.statement = change->walk.statement,.obstacle = change->obstacle};
	RuntimeFilterPlan *filter_plan = plan_struct_create(RuntimeFilterPlan);
	double		passing = passing_fraction(join_filter, keys);
	ListCell   *cell;

	if (keys->probe == NIL)
		return not_made(change, "key is not a column of probe side, or is expensive on build side");
	push.at_once = !probes_outer || !walk_hashes_first(join_filter->join);
	push_into(&push, probes_outer ? &outerPlan(join) : &outerPlan(hash), keys->probe);
	change->obstacle = push.obstacle;
	if (push.targets == NIL || !is_worth_making(change, join_filter, *build, push.rows, passing))
		return false;
	if (change->explains)
		return true;
	filter_plan->reads_ahead = probes_outer ? READ_IN_PART : change->walk.is_read_whole;
	filter_plan->rows = (int) Min(ceil(MOST_READ_AHEAD * push.rows), READ_AHEAD_ROWS);
	filter_plan->keys = keys->build;
	add_filter_node(change, build, probes_outer && hash->parallel_aware, filter_plan, push.targets);
	/* EXPLAIN shows the rows that remain, and hash tables get their size by them. */
	foreach(cell, passing > 0 && passing < 1 ? push.passed : NIL)
	{
		Plan	   *passed = *(Plan **) lfirst(cell);

		passed->plan_rows = clamp_row_est(passed->plan_rows * passing);
	}
	return true;
}

/*
 * Whether a join may make a filter of one side. The join, and nodes between it and a scan, may keep rows from one execution to
 * the next. The filter must therefore have the same keys whenever it is made: they depend on no parameter that changes, and on
 * nothing else by which another execution may return other rows. A scan whose rows are divided among processes depends on a
 * parameter of its Gather.
 */
static bool
can_make_filter(PlanChange *change, const JoinFilter *join_filter, const Bitmapset *constants)
{
	const Plan *build = join_filter->probes_outer ? innerPlan(join_filter->join) : outerPlan(join_filter->join);

	if (!join_rule(join_filter->join->join.jointype, join_filter->probes_outer ? JOIN_DROPS_OUTER : JOIN_DROPS_INNER))
		return not_made(change, "keeps rows of probe side that have no match");
	if (!bms_is_subset(build->extParam, constants))
		return not_made(change, "build side depends on an outer query or join, or is divided among workers");
	if (change->walk.runs_again && walk_rows_may_differ(&change->walk, build))
		return not_made(change, rows_may_differ);
	return true;
}

/* Make the filter that the planner has chosen; otherwise, the first of those that are tried. */
static bool
make_any_filter(PlanChange *change, const JoinFilter *join_filter)
{
	const PlanWalk *walk = &change->walk;
	const Bitmapset *constants = join_filter->probes_outer ? bms_union(walk->constants, walk->gathers) : walk->constants;
	BothKeys	keys;
	ListCell   *cell;

	if (!can_make_filter(change, join_filter, constants))
		return false;
	keys = join_keys_of(join_filter->join, join_filter->probes_outer, constants);
	if (join_filter->chosen != NULL)
	{
		keys = join_keys_of_clauses(&keys, join_filter->chosen->clauses);
		return list_length(keys.clauses) == list_length(join_filter->chosen->clauses) && make_filter(change, join_filter, &keys);
	}
	foreach(cell, join_keys_tried(&keys))
		if (make_filter(change, join_filter, lfirst(cell)))
			return true;
	return false;
}

bool
plan_filter_of_side(PlanChange *change, HashJoin *join, bool probes_outer)
{
	JoinFilter	join_filter = {.join = join,.probes_outer = probes_outer};

	return make_any_filter(change, &join_filter);
}

/*
 * Without a chosen filter, one of the outer side is tried first: it can be made only if that side is by far the smaller one.
 *
 * A chosen filter can be impossible because of a node above the join, which executes it again. That is rare, and not worth
 * planning the query once more.
 */
static void
make_filter_of_join(PlanWalk *walk, Plan *plan)
{
	PlanChange *change = (PlanChange *) walk;
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
		ereport(not_made_level(change->obstacle), (errmsg_internal("chosen runtime filter was not made: %s", change->obstacle)));
	}
	if (!plan_filter_of_side(change, (HashJoin *) plan, false))
		plan_filter_of_side(change, (HashJoin *) plan, true);
}

void
plan_filters_make(PlannedStmt *statement)
{
	PlanChange	change = {.walk.statement = statement};

	walk_plan(&change.walk, unwrap_join);
	if (!change.walk.has_hash_join)
		return;
	walk_note_plan(&change.walk);
	walk_plan(&change.walk, make_filter_of_join);
}
