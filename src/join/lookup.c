#include "join/lookup.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "estimate/probe.h"
#include "scan/path.h"

/* In an index-only scan, columns are those of the index. */
static Node *
with_table_columns(Node *node, void *index_columns)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
		return copyObject((Node *) list_nth_node(TargetEntry, index_columns, ((Var *) node)->varattno - 1)->expr);
	return expression_tree_mutator(node, with_table_columns, index_columns);
}

/*
 * The conditions of an index scan or index-only scan that looks up rows, and does not search for the nearest values. Their
 * columns are those of the table.
 */
static bool
index_conditions_of(Plan *plan, List **index_conditions, List **other_conditions)
{
	if (IsA(plan, IndexScan) && ((IndexScan *) plan)->indexorderby == NIL)
	{
		*index_conditions = ((IndexScan *) plan)->indexqualorig;
		*other_conditions = plan->qual;
		return true;
	}
	if (IsA(plan, IndexOnlyScan) && ((IndexOnlyScan *) plan)->indexorderby == NIL)
	{
		IndexOnlyScan *scan = (IndexOnlyScan *) plan;

		*index_conditions = (List *) with_table_columns((Node *) scan->indexqual, scan->indextlist);
		*other_conditions = (List *) with_table_columns((Node *) plan->qual, scan->indextlist);
		return true;
	}
	return false;
}

/* With the columns of the outer side instead of the parameters that have their values. */
static Node *
with_outer_columns(Node *node, void *join)
{
	ListCell   *cell;

	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
	{
		foreach(cell, ((NestLoop *) join)->nestParams)
		{
			NestLoopParam *passed = lfirst_node(NestLoopParam, cell);

			if (passed->paramno == ((Param *) node)->paramid)
				return copyObject((Node *) passed->paramval);
		}
	}
	return expression_tree_mutator(node, with_outer_columns, join);
}

/* Add the keys of a condition of the index: that a column of the table is equal to one of the outer side. */
static void
add_keys(const NestLoop *join, Index table, const Node *condition, Lookup *lookup)
{
	const OpExpr *equality = (const OpExpr *) condition;
	Oid			column_function,
				value_function;
	Node	   *column,
			   *value;
	bool		by_integer;
	JoinKey    *probe;
	Var		   *build;

	if (!IsA(condition, OpExpr) || list_length(equality->args) != 2 ||
		!join_keys_hash_functions(equality->opno, &column_function, &value_function, &by_integer))
		return;
	column = node_without_relabel(linitial(equality->args));
	value = with_outer_columns(lsecond(equality->args), unconstify(NestLoop *, join));
	if (!IsA(column, Var) || (Index) ((Var *) column)->varno != table || ((Var *) column)->varattno <= 0)
		return;
	probe = join_key_of_column(value, join_key_create((Expr *) value, value_function, equality->inputcollid, by_integer));
	if (probe == NULL)
		return;
	lookup->keys.probe = lappend(lookup->keys.probe, probe);
	lookup->scan->targetlist = lappend(lookup->scan->targetlist,
									   makeTargetEntry(copyObject((Expr *) column),
													   (AttrNumber) (list_length(lookup->scan->targetlist) + 1), NULL, false));
	build = makeVar(INNER_VAR, (AttrNumber) list_length(lookup->scan->targetlist), exprType(column), exprTypmod(column),
				   exprCollation(column), 0);
	lookup->keys.build = lappend(lookup->keys.build, join_key_create((Expr *) build, column_function, equality->inputcollid,
																   by_integer));
}

static bool
has_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC) ||
		expression_tree_walker(node, has_parameter, context);
}

static bool
is_not_leakproof(Oid function, void *context)
{
	(void) context;
	return !get_func_leakproof(function);
}

/*
 * Whether an expression may raise an error, for all that is known: a leakproof function raises none that depends on its
 * arguments. Unlike contain_leaked_vars, this does not look for columns only: a parameter may be 0, too.
 */
static bool
may_fail(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_List:
		case T_Var:
		case T_Const:
		case T_Param:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_NullTest:
		case T_RelabelType:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_ScalarArrayOpExpr:
			return check_functions_in_node(node, is_not_leakproof, NULL) ||
				expression_tree_walker(node, may_fail, context);
		default:
			return true;
	}
}

/*
 * Add the conditions that the lookup's own rows meet, whatever the other side has. The scan evaluates them for rows that
 * nothing may look up. So those that may fail, or take longer than a row, are left out; without them, the scan finds more
 * rows than can be looked up. Returns whether there are such.
 */
static bool
add_own_conditions(List *conditions, Lookup *lookup)
{
	bool		left_out = false;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Node	   *condition = lfirst(cell);
		QualCost	cost;

		if (has_parameter(condition, NULL))
			continue;
		cost_qual_eval_node(&cost, condition, NULL);
		if (cost.startup + cost.per_tuple > cpu_tuple_cost || may_fail(condition, NULL))
		{
			left_out = true;
			continue;
		}
		lookup->row_cost += cost.per_tuple;
		lookup->scan->qual = lappend(lookup->scan->qual, copyObject(condition));
	}
	return left_out;
}

bool
lookup_of(const NestLoop *join, List *tables, Lookup *lookup)
{
	Plan	   *inner = innerPlan(join);
	List	   *index_conditions,
			   *other_conditions;
	Index		table;
	bool		left_out;
	BlockNumber pages;
	ListCell   *cell;

	memset(lookup, 0, sizeof(Lookup));
	if (IsA(inner, Memoize))
		inner = outerPlan(inner);
	if (!index_conditions_of(inner, &index_conditions, &other_conditions))
		return false;
	table = ((Scan *) inner)->scanrelid;
	lookup->scan = (Plan *) makeNode(SeqScan);
	((Scan *) lookup->scan)->scanrelid = table;
	lookup->scan->parallel_safe = inner->parallel_safe;
	foreach(cell, index_conditions)
		add_keys(join, table, lfirst(cell), lookup);
	lookup->row_cost = cpu_tuple_cost;
	left_out = add_own_conditions(index_conditions, lookup);
	left_out |= add_own_conditions(other_conditions, lookup);
	/* Then nothing says that any row is to be rejected. */
	if (left_out && lookup->scan->qual == NIL)
		return false;
	lookup->table_rows = scanned_table_rows(lookup->scan, tables, &pages);
	lookup->scan->total_cost = seq_page_cost * pages + lookup->row_cost * lookup->table_rows;
	lookup->scan->plan_rows = clamp_row_est(lookup->table_rows * join->join.plan.plan_rows / outerPlan(join)->plan_rows);
	return lookup->keys.build != NIL;
}
