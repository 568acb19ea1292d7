/*
 * The scans to which a filter is pushed: from the plan that the join probes downwards, through what neither keeps rows from
 * being dropped nor depends on them.
 *
 * A filter may be bypassed, so at any node some rows without a match pass and others do not. That is harmless as long as each
 * row stands for itself. A node that computes something from a group of rows must have all of them or none. So below one, a
 * filter is used only if it covers all rows of the node's input, and all or nothing. For the same reason, the side of an outer
 * join whose rows are replaced by nulls if they are missing has a filter only together with the other side.
 */
#include "join/push.h"

#include "compat.h"
#include "join/node.h"
#include "join/worth.h"
#include "scan/offer.h"
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

		for (int i = 0; i < grouping->columns && !found; i++)
			found = grouping->column[i] == castNode(Var, key->value)->varattno &&
				join_key_is_grouped(key, grouping->equality[i], grouping->collation[i]);
		if (!found)
			return false;
	}
	return true;
}

/* What is found on the way down. */
typedef struct Push
{
	const PlannedStmt *statement;
	bool		at_once;		/* below no node that reads all rows before it returns one */
	bool		runs_again;		/* nodes may keep rows of one execution for the next */
	List	   *targets;		/* of PushTarget */
	List	   *passed;			/* Plan **: nodes whose output has only rows that pass the filter */
	const char **obstacle;
} Push;

static const char no_column[] = "key is not a column of one table of the probe side";
static const char other_probe[] = "probe side is not a sequential scan of an ordinary table";

/* Returns false. */
static bool
stop(Push *push, const char *obstacle)
{
	*push->obstacle = obstacle;
	return false;
}

/*
 * Push a filter of columns of a plan's output into it. Returns whether all rows of the output then pass the filter. If not,
 * some may still: those of a part of the scans below an Append.
 */
static bool push_into(Push *push, Plan **plan, const List *keys);

static bool
push_into_each(Push *push, List *plans, const List *keys)
{
	bool		covers = true;
	ListCell   *cell;

	foreach(cell, plans)
		covers &= push_into(push, (Plan **) &lfirst(cell), keys);
	return covers;
}

/* Below a node that keeps rows, or returns few of them. */
static bool
push_late(Push *push, Plan **plan, const List *keys)
{
	int			first = list_length(push->targets);
	bool		covers = push_into(push, plan, keys);

	for (int i = first; i < list_length(push->targets); i++)
		((PushTarget *) list_nth(push->targets, i))->feeds_join = false;
	return covers;
}

/* Below a node that groups rows by the keys. */
static bool
push_groups(Push *push, Plan **plan, const List *keys)
{
	Push		below = {.statement = push->statement,.at_once = push->at_once,.runs_again = push->runs_again,.obstacle = push->obstacle};
	ListCell   *cell;

	if (!push_late(&below, plan, keys))
		return false;
	foreach(cell, below.targets)
		((PushTarget *) lfirst(cell))->all_or_nothing = true;
	push->targets = list_concat(push->targets, below.targets);
	push->passed = list_concat(push->passed, below.passed);
	return true;
}

/*
 * Rows of the null-extended side have the key of the row that they are joined with. So they can be rejected, too, if that
 * row is: all or nothing on both sides. A partitioned table had better skip partitions, which it then could not.
 */
static void
push_to_null_extended(Push *push, int first, Plan **plan, const List *equalities, const List *keys)
{
	const List *others = list_length(push->targets) == first + 1 ? join_keys_compared(equalities, keys) : NIL;

	if (others != NIL)
		push_late(push, plan, others);
	for (int i = first; i < list_length(push->targets) && list_length(push->targets) > first + 1; i++)
		((PushTarget *) list_nth(push->targets, i))->all_or_nothing = true;
}

/* A merge join keeps rows; a hash join keeps those of its inner side. */
static bool
push_below_join(Push *push, Join *join, const List *keys)
{
	bool		from_outer = all_from(keys, OUTER_VAR) && join_drops_inner(join->jointype);
	int			first = list_length(push->targets);
	bool		covers;

	if (!from_outer && !all_from(keys, INNER_VAR) && !all_from(keys, OUTER_VAR))
		return stop(push, no_column);
	if (!from_outer && (all_from(keys, OUTER_VAR) || !join_inner_can_lose_rows(join->jointype)))
		return stop(push, "probe side is below an outer join");
	covers = (from_outer && !IsA(join, MergeJoin) ? push_into : push_late)
		(push, from_outer ? &outerPlan(join) : &innerPlan(join), keys);
	if (covers && !push->at_once && !push->runs_again && join->jointype != JOIN_INNER && join->jointype != JOIN_SEMI &&
		IsA(join, HashJoin) && !innerPlan(join)->parallel_aware)
		push_to_null_extended(push, first, from_outer ? &innerPlan(join) : &outerPlan(join), ((HashJoin *) join)->hashclauses, keys);
	return covers;
}

static bool
push_into_scan(Push *push, Plan **plan, const List *keys)
{
	PushTarget *target;

	if (!all_from(keys, (int) ((Scan *) *plan)->scanrelid))
		return stop(push, no_column);
	if (!filter_scan_can_probe(*plan, push->statement))
		return stop(push, statement_changes(push->statement, (int) ((Scan *) *plan)->scanrelid) ?
					"probe side is the table that the statement changes" : other_probe);
	target = palloc(sizeof(PushTarget));
	*target = (PushTarget) {.scan = plan,.rows = scanned_table_rows(*plan, push->statement->rtable),.keys = list_copy(keys),.feeds_join = true};
	push->targets = lappend(push->targets, target);
	return true;
}

/* The same as push_into, where the keys are columns of the plan's inputs. */
static bool
push_below(Push *push, Plan **plan, const List *keys)
{
	Grouping	grouping;

	/* Reads all of its input first. */
	if (push->at_once &&
		(IsA(*plan, Sort) || IsA(*plan, Hash) || (IsA(*plan, Agg) && ((Agg *) *plan)->aggstrategy != AGG_SORTED)))
		return stop(push, "probe side is read before the build side");
	switch (nodeTag(*plan))
	{
		case T_SeqScan:
			return push_into_scan(push, plan, keys);
		case T_CustomScan:
			/* Joins make their filters from the top downwards. So there is a node of another one only in a plan that is explained. */
			if (is_runtime_filter(*plan))
				return all_from(keys, OUTER_VAR) && push_into(push, &outerPlan(*plan), keys);
			if (((CustomScan *) *plan)->scan.scanrelid == 0)
				return stop(push, other_probe);
			return push_into_scan(push, plan, keys);
		case T_SubqueryScan:
			return all_from(keys, (int) ((Scan *) *plan)->scanrelid) &&
				push_into(push, &((SubqueryScan *) *plan)->subplan, keys);
		case T_HashJoin:
		case T_MergeJoin:
		case T_NestLoop:
			return push_below_join(push, (Join *) *plan, keys);
		case T_Append:
			return push_into_each(push, ((Append *) *plan)->appendplans, keys);
		case T_MergeAppend:
			return push_into_each(push, ((MergeAppend *) *plan)->mergeplans, keys);
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_WindowAgg:
			if (!all_from(keys, OUTER_VAR) || !find_grouping(*plan, &grouping) || !groups_by(&grouping, keys))
				return stop(push, "probe side is not grouped by the key");
			return push_groups(push, &outerPlan(*plan), keys);
		case T_Result:
			return outerPlan(*plan) != NULL && all_from(keys, OUTER_VAR) && push_into(push, &outerPlan(*plan), keys);
		case T_Sort:
		case T_IncrementalSort:
		case T_Material:
		case T_Hash:
			return all_from(keys, OUTER_VAR) && push_late(push, &outerPlan(*plan), keys);
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return stop(push, "probe side is an index scan");
		case T_ForeignScan:
			return stop(push, "probe side is a foreign table");
		case T_CteScan:
			return stop(push, "probe side is a materialized WITH query");
		case T_Limit:
			return stop(push, "probe side is below LIMIT");
		case T_Gather:
		case T_GatherMerge:
			return stop(push, "probe side is below a Gather");
		default:
			/* SetOp, LockRows, scans of other kinds, and what is not known here. */
			return stop(push, other_probe);
	}
}

static bool
push_into(Push *push, Plan **plan, const List *keys)
{
	List	   *inputs = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		AttrNumber	column = castNode(Var, key->value)->varattno;
		JoinKey    *input;

		if (column <= 0 || column > list_length((*plan)->targetlist))
			return stop(push, no_column);
		input = join_key_of_column((Node *) list_nth_node(TargetEntry, (*plan)->targetlist, column - 1)->expr, key);
		if (input == NULL)
			return stop(push, no_column);
		inputs = lappend(inputs, input);
	}
	if (!push_below(push, plan, inputs))
		return false;
	push->passed = lappend(push->passed, plan);
	return true;
}

List *
push_targets(Plan **plan, const List *keys, const PlannedStmt *statement, bool at_once, bool runs_again, List **passed,
			 const char **obstacle)
{
	Push		push = {.statement = statement,.at_once = at_once,.runs_again = runs_again,.obstacle = obstacle};

	push_into(&push, plan, keys);
	*passed = push.passed;
	return push.targets;
}
