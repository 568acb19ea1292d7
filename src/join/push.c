#include "join/push.h"

#include "utils/lsyscache.h"

#include "compat.h"
#include "join/build.h"
#include "scan/path.h"

/* Whether all keys are columns of the node's outer or inner input, or of its table. */
static bool
all_from(const List *columns, int varno)
{
	ListCell   *cell;

	foreach(cell, columns)
		if ((int) lfirst_node(Var, cell)->varno != varno || lfirst_node(Var, cell)->varattno <= 0)
			return false;
	return true;
}

/*
 * Whether an aggregate groups by the keys, so that all rows of a group have the same answer. Rows that are equal when
 * they are grouped must be equal for the filter, too: their hash function must be the same.
 */
static bool
groups_by(const Agg *aggregate, const JoinKeys *keys)
{
	ListCell   *column,
			   *function,
			   *collation;

	if (aggregate->groupingSets != NIL || aggregate->chain != NIL)
		return false;
	forthree(column, keys->columns, function, keys->functions, collation, keys->collations)
	{
		bool		found = false;

		for (int i = 0; i < aggregate->numCols; i++)
		{
			RegProcedure left,
						right;

			if (aggregate->grpColIdx[i] == lfirst_node(Var, column)->varattno &&
				aggregate->grpCollations[i] == lfirst_oid(collation) &&
				get_op_hash_functions(aggregate->grpOperators[i], &left, &right) && left == lfirst_oid(function))
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
targets_below_each(List *plans, const JoinKeys *keys, List *tables)
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
targets_below_join(Join *join, const JoinKeys *keys, List *tables)
{
	Plan	  **from,
			  **other;
	JoinKeys	other_keys;
	List	   *targets;

	if (all_from(keys->columns, OUTER_VAR) && outer_can_lose_rows(join->jointype))
	{
		from = &outerPlan(join);
		other = &innerPlan(join);
	}
	else if (all_from(keys->columns, INNER_VAR) && inner_can_lose_rows(join->jointype))
	{
		from = &innerPlan(join);
		other = &outerPlan(join);
	}
	else
		return NIL;
	targets = push_targets(from, keys, tables);
	if (join_keys_of_other_input(join, keys, &other_keys))
		targets = list_concat(targets, push_targets(other, &other_keys, tables));
	return targets;
}

static List *
target_scan(Plan **plan, const JoinKeys *keys, List *tables)
{
	PushTarget *target;

	if (!all_from(keys->columns, (int) ((Scan *) *plan)->scanrelid) || !filter_scan_can_probe(*plan, tables))
		return NIL;
	target = palloc(sizeof(PushTarget));
	target->scan = plan;
	target->keys = *keys;
	return list_make1(target);
}

/* push_targets, where the keys are columns of the plan's inputs. */
static List *
targets_below(Plan **plan, const JoinKeys *keys, List *tables)
{
	switch (nodeTag(*plan))
	{
		case T_SeqScan:
			return target_scan(plan, keys, tables);
		case T_CustomScan:
			/* The build side of another join that makes a filter passes its rows on; so does no other one. */
			return ((CustomScan *) *plan)->scan.scanrelid > 0 ? target_scan(plan, keys, tables) :
				is_join_filter(*plan) && all_from(keys->columns, OUTER_VAR) ?
				push_targets(&outerPlan(*plan), keys, tables) : NIL;
		case T_SubqueryScan:
			return all_from(keys->columns, (int) ((Scan *) *plan)->scanrelid) ?
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
	if (outerPlan(*plan) == NULL || !all_from(keys->columns, OUTER_VAR))
		return NIL;
	return push_targets(&outerPlan(*plan), keys, tables);
}

List *
push_targets(Plan **plan, const JoinKeys *keys, List *tables)
{
	JoinKeys	inputs = {.columns = NIL};

	for (int i = 0; i < list_length(keys->columns); i++)
	{
		AttrNumber	column = list_nth_node(Var, keys->columns, i)->varattno;
		TargetEntry *source;

		if (column <= 0 || column > list_length((*plan)->targetlist))
			return NIL;
		source = list_nth_node(TargetEntry, (*plan)->targetlist, column - 1);
		if (!join_keys_add_column(&inputs, (Node *) source->expr, list_nth_oid(keys->functions, i),
								  list_nth_oid(keys->collations, i), list_nth_int(keys->by_integer, i) != 0))
			return NIL;
	}
	return targets_below(plan, &inputs, tables);
}
