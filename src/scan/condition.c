#include "scan/condition.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "estimate/probe.h"

/* Whether an expression has one value during a scan that it has no columns of. */
static bool
is_constant_during_scan(Node *expression)
{
	return !contain_var_clause(expression) && !contain_volatile_functions(expression) && !contain_subplans(expression);
}

bool
filter_condition_find(FilterCondition *condition, Node *clause)
{
	Oid			function;
	List	   *args;

	if (IsA(clause, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) clause;

		function = call->funcid;
		args = call->args;
		condition->collation = call->inputcollid;
	}
	else if (IsA(clause, OpExpr))
	{
		OpExpr	   *call = (OpExpr *) clause;

		function = get_opcode(call->opno);
		args = call->args;
		condition->collation = call->inputcollid;
	}
	else
		return false;

	for (int filter_argument = 0; filter_argument < 2; filter_argument++)
	{
		Probe		probe;
		Var		   *column;
		Node	   *key;

		if (!probe_init(&probe, NULL, function, condition->collation, args, filter_argument, 0))
			continue;
		column = (Var *) probe.value;
		key = list_nth(args, 1 - filter_argument);
		/* A column may have become an untyped literal by a cast, which is read in a different way. */
		if (!IsA(column, Var) || column->varlevelsup != 0 || column->varattno <= 0 ||
			!probe_value_is_typed(&probe, filter_argument))
			return false;
		condition->filter = list_nth(args, filter_argument);
		condition->column = column->varattno;
		condition->type = exprType(key);
		return is_constant_during_scan((Node *) condition->filter);
	}
	return false;
}
