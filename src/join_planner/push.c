/*
 * A filter is pushed from the plan that the join probes downwards, through nodes that still return all other rows, unchanged, if
 * rows without a match are missing.
 *
 * A filter may be bypassed, so at any node some rows without a match pass and others do not. That is harmless as long as each row
 * stands for itself. A node that computes something from a group of rows must have all of them or none. Below such a node, a
 * filter is therefore used only if it covers all rows of the node's input, and all or nothing.
 */
#include "join_planner/push.h"

#include "optimizer/optimizer.h"

#include "compat.h"
#include "join_planner/rules.h"
#include "join_planner/walk.h"
#include "plan_nodes/runtime_filter_plan.h"
#include "scan_planner/offer.h"
#include "scan_planner/path.h"

/*
 * Whether each key is one of the columns by which a node groups the rows of its input, so that all rows of a group have the same
 * answer. Rows that are equal when they are grouped must also have the same hash.
 */
static bool
are_among(const List *keys, int columns, const AttrNumber *column, const Oid *equality, const Oid *collation)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		bool		found = false;

		for (int i = 0; i < columns && !found; i++)
			found = column[i] == castNode(Var, key->value)->varattno && join_key_is_grouped(key, equality[i], collation[i]);
		if (!found)
			return false;
	}
	return true;
}

/* Whether an aggregate, GROUP BY, DISTINCT, or the partitions of window functions group rows by the keys. */
static bool
groups_by(const Plan *plan, const List *keys)
{
	const Agg  *agg = (const Agg *) plan;
	const Group *group = (const Group *) plan;
	const Unique *unique = (const Unique *) plan;
	const WindowAgg *window = (const WindowAgg *) plan;

	if (IsA(plan, Agg))
		return agg->groupingSets == NIL && agg->chain == NIL &&
			are_among(keys, agg->numCols, agg->grpColIdx, agg->grpOperators, agg->grpCollations);
	if (IsA(plan, Group))
		return are_among(keys, group->numCols, group->grpColIdx, group->grpOperators, group->grpCollations);
	if (IsA(plan, Unique))
		return are_among(keys, unique->numCols, unique->uniqColIdx, unique->uniqOperators, unique->uniqCollations);
	return are_among(keys, window->partNumCols, window->partColIdx, window->partOperators, window->partCollations);
}

static const char no_column[] = "key is not a column of one table of probe side";
static const char few_rows[] = "each scan of probe side reads few rows";
static const char other_probe[] = "probe side is not an ordinary table that is scanned sequentially";

static bool
push_stop(Push *push, const char *obstacle)
{
	push->obstacle = obstacle;
	return false;
}

static bool
push_into_each(Push *push, List *plans, const List *keys)
{
	bool		covers = true;
	ListCell   *cell;

	foreach(cell, plans)
		covers &= push_into(push, (Plan **) &lfirst(cell), keys);
	return covers;
}

/* Push a filter below a node that keeps rows, or returns few of them: the join does not look up the scan's rows at once. */
static bool
push_late(Push *push, Plan **plan, const List *keys)
{
	int			first = list_length(push->targets);
	bool		covers = push_into(push, plan, keys);

	for (int i = first; i < list_length(push->targets); i++)
		((PushTarget *) list_nth(push->targets, i))->probe->feeds_join = false;
	return covers;
}

/* Make the targets from the index `first` on all or nothing. */
static void
bind_targets(Push *push, int first)
{
	for (int i = first; i < list_length(push->targets); i++)
		((PushTarget *) list_nth(push->targets, i))->probe->all_or_nothing = true;
}

/* Undo what has been found since `before`. Returns false. */
static bool
push_undo(Push *push, const Push *before, int targets, int passed)
{
	push->targets = list_truncate(push->targets, targets);
	push->passed = list_truncate(push->passed, passed);
	push->rows = before->rows;
	return false;
}

/* Push a filter below a node that groups rows by the keys. */
static bool
push_groups(Push *push, Plan **plan, const List *keys)
{
	Push		before = *push;
	int			targets = list_length(push->targets);
	int			passed = list_length(push->passed);
	bool		covers;

	push->needs_all = true;
	covers = push_late(push, plan, keys);
	push->needs_all = before.needs_all;
	if (covers && push->rows == before.rows)
		covers = push_stop(push, few_rows);
	if (!covers)
		return push_undo(push, &before, targets, passed);
	bind_targets(push, targets);
	return true;
}

/* A merge join keeps rows; a hash join keeps those of its inner side. */
static bool
push_below_join(Push *push, Join *join, const List *keys)
{
	int			side = join_keys_varno(keys);
	bool		from_outer = side == OUTER_VAR;

	if (side == 0)
		return push_stop(push, no_column);
	if (!join_passes_filter(join->jointype, from_outer))
		return push_stop(push, "probe side is below an outer join");
	return (from_outer && !IsA(join, MergeJoin) ? push_into : push_late)
		(push, from_outer ? &outerPlan(join) : &innerPlan(join), keys);
}

static bool
push_into_scan(Push *push, Plan **plan, const List *keys)
{
	PushTarget *target;
	double		rows;

	/* Small partitions need not be opened: the planner charges at least cpu_tuple_cost for each row. */
	if (!push->needs_all && IsA(*plan, SeqScan) && cpu_tuple_cost > 0 && !join_scan_probes((*plan)->total_cost / cpu_tuple_cost))
		return push_stop(push, few_rows);
	if (!filter_scan_can_probe(*plan, push->statement))
		return push_stop(push, statement_changes(push->statement, (int) ((Scan *) *plan)->scanrelid) ?
					"probe side is the table that the statement changes" : other_probe);
	rows = scanned_table_rows(*plan, push->statement->rtable);
	if (!push->needs_all && !join_scan_probes(rows))
		return push_stop(push, few_rows);
	target = palloc0(sizeof(PushTarget));
	target->scan = plan;
	target->rows = rows;
	target->probe = plan_struct_create(RuntimeProbePlan);
	target->probe->keys = list_copy(keys);
	target->probe->feeds_join = true;
	target->probe->below_gather = push->below_gather;
	push->rows += join_scan_probes(rows) ? rows : 0;
	push->targets = lappend(push->targets, target);
	return true;
}

/* Workers start with a filter that has been made. They find it in the memory of a parallel scan, for their other scans as well. */
static bool
push_below_gather(Push *push, Plan **plan, const List *keys)
{
	Push		before = *push;
	int			targets = list_length(push->targets);
	int			passed = list_length(push->passed);
	bool		is_shared = false;
	bool		covers;

	if (push->at_once)
		return push_stop(push, "probe side is below a Gather");
	push->below_gather = true;
	covers = push_late(push, plan, keys);
	push->below_gather = false;
	for (int i = targets; i < list_length(push->targets); i++)
		is_shared |= (*((PushTarget *) list_nth(push->targets, i))->scan)->parallel_aware;
	if (is_shared || list_length(push->targets) == targets)
		return covers;
	push_stop(push, "each worker scans a whole table of probe side");
	return push_undo(push, &before, targets, passed);
}

/* Push a filter whose keys are columns of the plan's inputs. */
static bool
push_below(Push *push, Plan **plan, const List *keys)
{
	const NodeRule *rule = node_rule(nodeTag(*plan));

	if (push->at_once && walk_reads_first(*plan))
		return push_stop(push, "probe side is read before build side");
	/* Joins make their filters from the top downwards: only a plan that is explained has another join's node here. */
	if (is_runtime_filter(*plan))
		return push_into(push, &outerPlan(*plan), keys);
	switch (rule->use)
	{
		case NODE_SCANS:
			return push_into_scan(push, plan, keys);
		case NODE_JOINS:
			return push_below_join(push, (Join *) *plan, keys);
		case NODE_KEEPS:
			return (IsA(*plan, Gather) || IsA(*plan, GatherMerge) ? push_below_gather : push_late)
				(push, &outerPlan(*plan), keys);
		case NODE_GROUPS:
			return groups_by(*plan, keys) ? push_groups(push, &outerPlan(*plan), keys) :
				push_stop(push, "probe side is not grouped by the key");
		case NODE_PASSES:
			if (IsA(*plan, SubqueryScan))
				return push_into(push, &((SubqueryScan *) *plan)->subplan, keys);
			if (outerPlan(*plan) != NULL)
				return push_into(push, &outerPlan(*plan), keys);
			if (walk_other_inputs(*plan) != NIL)
				return push_into_each(push, walk_other_inputs(*plan), keys);
			break;
		case NODE_STOPS:
			break;
	}
	return push_stop(push, rule->obstacle != NULL ? rule->obstacle : other_probe);
}

bool
push_into(Push *push, Plan **plan, const List *keys)
{
	List	   *inputs = join_keys_of_columns(keys, (*plan)->targetlist);

	if (inputs == NIL)
		return push_stop(push, no_column);
	if (!push_below(push, plan, inputs))
		return false;
	push->passed = lappend(push->passed, plan);
	return true;
}
