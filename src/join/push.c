#include "join/push.h"

#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "join/node.h"
#include "join/worth.h"
#include "scan/path.h"

/* Whether all keys are columns of the node's outer or inner input, or of its table. */
static bool
all_from(const List *keys, int varno)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		const Var  *column = castNode(Var, ((JoinKey *) lfirst(cell))->value);

		if ((int) column->varno != varno || column->varattno <= 0)
			return false;
	}
	return true;
}

/* The columns of a node's input by which it groups rows: it treats those of one group alike. */
typedef struct Grouping
{
	int			columns;
	const AttrNumber *column;
	const Oid  *equality;		/* operators */
	const Oid  *collation;
} Grouping;

/* Those of an aggregate, GROUP BY, DISTINCT, or the partitions of window functions; false if there is none for all rows. */
static bool
find_grouping(const Plan *plan, Grouping *grouping)
{
	if (IsA(plan, Agg))
	{
		const Agg  *agg = (const Agg *) plan;

		*grouping = (Grouping) {agg->numCols, agg->grpColIdx, agg->grpOperators, agg->grpCollations};
		return agg->groupingSets == NIL && agg->chain == NIL;
	}
	if (IsA(plan, Group))
	{
		const Group *group = (const Group *) plan;

		*grouping = (Grouping) {group->numCols, group->grpColIdx, group->grpOperators, group->grpCollations};
	}
	else if (IsA(plan, Unique))
	{
		const Unique *unique = (const Unique *) plan;

		*grouping = (Grouping) {unique->numCols, unique->uniqColIdx, unique->uniqOperators, unique->uniqCollations};
	}
	else
	{
		const WindowAgg *window = castNode(WindowAgg, unconstify(Plan *, plan));

		*grouping = (Grouping) {window->partNumCols, window->partColIdx, window->partOperators, window->partCollations};
	}
	return true;
}

/*
 * Whether each key is one of the columns, so that all rows of a group have the same answer. Rows that are equal when they
 * are grouped must be equal for the filter, too: their hash function must be the same.
 */
static bool
groups_by(const Grouping *grouping, const List *keys)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		bool		found = false;

		for (int i = 0; i < grouping->columns; i++)
		{
			RegProcedure left,
						right;

			if (grouping->column[i] == castNode(Var, key->value)->varattno && grouping->collation[i] == key->collation &&
				!OidIsValid(key->cast) && get_op_hash_functions(grouping->equality[i], &left, &right) && left == key->function)
				found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

/* Rows of a group may differ in an order that is not the one by which they are grouped: then the key has none. */
static void
keep_order_of_groups(const Grouping *grouping, const List *keys)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		JoinKey    *key = lfirst(cell);

		for (int i = 0; i < grouping->columns; i++)
			if (grouping->column[i] == castNode(Var, key->value)->varattno &&
				!join_key_is_equal_in_order(key, grouping->equality[i]))
				key->order = InvalidOid;
	}
}

static List *
targets_below_each(List *plans, const List *keys, List *tables, List **passed)
{
	List	   *targets = NIL;
	ListCell   *cell;

	foreach(cell, plans)
		targets = list_concat(targets, push_targets((Plan **) &lfirst(cell), keys, tables, passed));
	return targets;
}

/* Of scans below a node that keeps rows, or returns few of them. */
static List *
targets_fed_late(List *targets)
{
	ListCell   *cell;

	foreach(cell, targets)
		((PushTarget *) lfirst(cell))->feeds_join = false;
	return targets;
}

/* Whether a nested loop looks up rows of an index. A node above these would take longer than it saves. */
static bool
is_lookup(const Join *join)
{
	return IsA(join, NestLoop) && ((const NestLoop *) join)->nestParams != NIL &&
		(IsA(innerPlan(join), IndexScan) || IsA(innerPlan(join), IndexOnlyScan) || IsA(innerPlan(join), BitmapHeapScan));
}

/*
 * Below a Gather, or Gather Merge. Workers get the filter by a parallel filter scan; if there is none, it would be probed by
 * the leader alone.
 */
static List *
targets_below_gather(Plan **input, const List *keys, List *tables, List **passed)
{
	List	   *passed_below = NIL;
	List	   *targets = push_targets(input, keys, tables, &passed_below);
	bool		is_parallel = false;
	ListCell   *cell;

	foreach(cell, targets)
	{
		PushTarget *target = lfirst(cell);

		target->below_gather = true;
		is_parallel = is_parallel || (!target->by_row && (*target->scan)->parallel_aware);
	}
	if (!is_parallel)
		return NIL;
	*passed = list_concat(*passed, passed_below);
	return targets_fed_late(targets);
}

/*
 * A row of the other input whose key the filter rejects is joined with no row but those that have this key. Whatever
 * becomes of them without it, they are dropped.
 */
static List *
targets_below_join(Join *join, const List *keys, List *tables, List **passed)
{
	const List *outer_keys = keys;
	const List *inner_keys = keys;
	List	   *outer = NIL;
	List	   *inner = NIL;

	if (all_from(keys, OUTER_VAR) && join_outer_can_lose_rows(join->jointype))
		inner_keys = join_keys_of_other_input(join, keys);
	else if (all_from(keys, INNER_VAR) && join_inner_can_lose_rows(join->jointype))
		outer_keys = join_keys_of_other_input(join, keys);
	else
		return NIL;
	if (outer_keys != NIL)
		outer = push_targets(&outerPlan(join), outer_keys, tables, passed);
	if (inner_keys != NIL && !is_lookup(join))
		inner = push_targets(&innerPlan(join), inner_keys, tables, passed);
	return list_concat(IsA(join, MergeJoin) ? targets_fed_late(outer) : outer, targets_fed_late(inner));
}

static List *
single_target(Plan **scan, bool by_row, List *keys)
{
	PushTarget *target = palloc(sizeof(PushTarget));

	target->scan = scan;
	target->by_row = by_row;
	target->keys = keys;
	target->feeds_join = true;
	target->below_gather = false;
	return list_make1(target);
}

static List *
target_scan(Plan **plan, const List *keys, List *tables)
{
	if (!all_from(keys, (int) ((Scan *) *plan)->scanrelid) || !filter_scan_can_probe(*plan, tables))
		return NIL;
	return single_target(plan, false, list_copy(keys));
}

/* Keys that are columns of the plan's output, as a node above it has them. Their order is of no use there. */
static List *
target_rows(Plan **plan, const List *columns)
{
	List	   *keys = NIL;
	ListCell   *cell;

	if (!rows_can_be_filtered(*plan))
		return NIL;
	foreach(cell, columns)
	{
		const JoinKey *key = lfirst(cell);
		const TargetEntry *column = list_nth_node(TargetEntry, (*plan)->targetlist,
												  castNode(Var, key->value)->varattno - 1);
		JoinKey    *output = join_key_create((Expr *) makeVarFromTargetEntry(OUTER_VAR, unconstify(TargetEntry *, column)),
											 key->function, key->collation, key->by_integer);

		output->cast = key->cast;
		keys = lappend(keys, output);
	}
	return single_target(plan, true, keys);
}

/* push_targets, where the keys are columns of the plan's inputs. */
static List *
targets_below(Plan **plan, const List *keys, List *tables, List **passed)
{
	List	   *targets;
	Grouping	grouping;

	switch (nodeTag(*plan))
	{
		case T_SeqScan:
			return target_scan(plan, keys, tables);
		case T_CustomScan:
			/* The build side of another join that makes a filter passes its rows on; so does no other one. */
			return ((CustomScan *) *plan)->scan.scanrelid > 0 ? target_scan(plan, keys, tables) :
				is_join_filter(*plan) && all_from(keys, OUTER_VAR) ?
				targets_fed_late(push_targets(&outerPlan(*plan), keys, tables, passed)) : NIL;
		case T_SubqueryScan:
			return all_from(keys, (int) ((Scan *) *plan)->scanrelid) ?
				push_targets(&((SubqueryScan *) *plan)->subplan, keys, tables, passed) : NIL;
		case T_HashJoin:
		case T_MergeJoin:
		case T_NestLoop:
			return targets_below_join((Join *) *plan, keys, tables, passed);
		case T_Append:
			return targets_below_each(((Append *) *plan)->appendplans, keys, tables, passed);
		case T_MergeAppend:
			return targets_fed_late(targets_below_each(((MergeAppend *) *plan)->mergeplans, keys, tables, passed));
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_WindowAgg:
			if (!find_grouping(*plan, &grouping) || !groups_by(&grouping, keys))
				return NIL;
			keep_order_of_groups(&grouping, keys);
			break;
		case T_Gather:
		case T_GatherMerge:
			return all_from(keys, OUTER_VAR) ? targets_below_gather(&outerPlan(*plan), keys, tables, passed) : NIL;
		case T_Result:
		case T_Sort:
		case T_IncrementalSort:
		case T_Material:
		case T_Hash:
			break;
		default:
			/* Limit, SetOp, LockRows, scans of other kinds, and what is not known here. */
			return NIL;
	}
	if (outerPlan(*plan) == NULL || !all_from(keys, OUTER_VAR))
		return NIL;
	targets = push_targets(&outerPlan(*plan), keys, tables, passed);
	return IsA(*plan, Result) ? targets : targets_fed_late(targets);
}

List *
push_targets(Plan **plan, const List *keys, List *tables, List **passed)
{
	List	   *inputs = NIL;
	List	   *targets;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		AttrNumber	column = castNode(Var, key->value)->varattno;
		JoinKey    *input;

		if (column <= 0 || column > list_length((*plan)->targetlist))
			return NIL;
		input = join_key_of_column((Node *) list_nth_node(TargetEntry, (*plan)->targetlist, column - 1)->expr, key);
		if (input == NULL)
			return NIL;
		inputs = lappend(inputs, input);
	}
	targets = targets_below(plan, inputs, tables, passed);
	if (targets == NIL)
		targets = target_rows(plan, keys);
	if (targets != NIL)
		*passed = list_append_unique_ptr(*passed, plan);
	return targets;
}

List *
push_targets_of_leader(const List *targets)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, targets)
		if (!((PushTarget *) lfirst(cell))->below_gather)
			result = lappend(result, lfirst(cell));
	return result;
}
