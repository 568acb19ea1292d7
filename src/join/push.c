#include "join/push.h"

#include "utils/lsyscache.h"

#include "compat.h"
#include "join/node.h"
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

/*
 * Whether an aggregate groups by the keys, so that all rows of a group have the same answer. Rows that are equal when
 * they are grouped must be equal for the filter, too: their hash function must be the same.
 */
static bool
groups_by(const Agg *aggregate, const List *keys)
{
	ListCell   *cell;

	if (aggregate->groupingSets != NIL || aggregate->chain != NIL)
		return false;
	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		bool		found = false;

		for (int i = 0; i < aggregate->numCols; i++)
		{
			RegProcedure left,
						right;

			if (aggregate->grpColIdx[i] == castNode(Var, key->value)->varattno &&
				aggregate->grpCollations[i] == key->collation &&
				get_op_hash_functions(aggregate->grpOperators[i], &left, &right) && left == key->function)
				found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

/* Whether a row of the outer input that is dropped changes no result row but those made of it. */
static bool
outer_can_lose_rows(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI || type == JOIN_ANTI;
}

static bool
inner_can_lose_rows(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_RIGHT || join_returns_inner_rows(type);
}

static List *
targets_below_each(List *plans, const List *keys, List *tables)
{
	List	   *targets = NIL;
	ListCell   *cell;

	foreach(cell, plans)
		targets = list_concat(targets, push_targets((Plan **) &lfirst(cell), keys, tables));
	return targets;
}

/*
 * A row of the other input whose key the filter rejects is joined with no row but those that have this key. Whatever
 * becomes of them without it, they are dropped.
 */
static List *
targets_below_join(Join *join, const List *keys, List *tables)
{
	Plan	  **from,
			  **other;
	List	   *other_keys;
	List	   *targets;

	if (all_from(keys, OUTER_VAR) && outer_can_lose_rows(join->jointype))
	{
		from = &outerPlan(join);
		other = &innerPlan(join);
	}
	else if (all_from(keys, INNER_VAR) && inner_can_lose_rows(join->jointype))
	{
		from = &innerPlan(join);
		other = &outerPlan(join);
	}
	else
		return NIL;
	targets = push_targets(from, keys, tables);
	other_keys = join_keys_of_other_input(join, keys);
	if (other_keys != NIL)
		targets = list_concat(targets, push_targets(other, other_keys, tables));
	return targets;
}

static List *
target_scan(Plan **plan, const List *keys, List *tables)
{
	PushTarget *target;

	if (!all_from(keys, (int) ((Scan *) *plan)->scanrelid) || !filter_scan_can_probe(*plan, tables))
		return NIL;
	target = palloc(sizeof(PushTarget));
	target->scan = plan;
	target->keys = list_copy(keys);
	return list_make1(target);
}

/* push_targets, where the keys are columns of the plan's inputs. */
static List *
targets_below(Plan **plan, const List *keys, List *tables)
{
	switch (nodeTag(*plan))
	{
		case T_SeqScan:
			return target_scan(plan, keys, tables);
		case T_CustomScan:
			/* The build side of another join that makes a filter passes its rows on; so does no other one. */
			return ((CustomScan *) *plan)->scan.scanrelid > 0 ? target_scan(plan, keys, tables) :
				is_join_filter(*plan) && all_from(keys, OUTER_VAR) ?
				push_targets(&outerPlan(*plan), keys, tables) : NIL;
		case T_SubqueryScan:
			return all_from(keys, (int) ((Scan *) *plan)->scanrelid) ?
				push_targets(&((SubqueryScan *) *plan)->subplan, keys, tables) : NIL;
		case T_HashJoin:
		case T_MergeJoin:
		case T_NestLoop:
			return targets_below_join((Join *) *plan, keys, tables);
		case T_Append:
			return targets_below_each(((Append *) *plan)->appendplans, keys, tables);
		case T_MergeAppend:
			return targets_below_each(((MergeAppend *) *plan)->mergeplans, keys, tables);
		case T_Agg:
			if (!groups_by((Agg *) *plan, keys))
				return NIL;
			break;
		case T_Result:
		case T_Sort:
		case T_IncrementalSort:
		case T_Material:
		case T_Hash:
			break;
		default:
			/* Limit, WindowAgg, Unique, SetOp, LockRows, Gather, scans of other kinds, and what is not known here. */
			return NIL;
	}
	if (outerPlan(*plan) == NULL || !all_from(keys, OUTER_VAR))
		return NIL;
	return push_targets(&outerPlan(*plan), keys, tables);
}

List *
push_targets(Plan **plan, const List *keys, List *tables)
{
	List	   *inputs = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		AttrNumber	column = castNode(Var, key->value)->varattno;
		JoinKey    *input;

		if (column <= 0 || column > list_length((*plan)->targetlist))
			return NIL;
		input = join_key_of_column((Node *) list_nth_node(TargetEntry, (*plan)->targetlist, column - 1)->expr,
								   key->function, key->collation, key->by_integer);
		if (input == NULL)
			return NIL;
		inputs = lappend(inputs, input);
	}
	return targets_below(plan, inputs, tables);
}
