/*
 * A plan has no field for the mark of a conversion that is done once per execution, so the mark is a node that changes
 * nothing.
 */
#include "estimate/conversion.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "expression.h"

/*
 * The mark is a RelabelType node on a parameter that changes nothing. PostgreSQL removes such nodes; code that does not
 * know the mark (such as that for a foreign table's remote query) ignores it. Other extensions could leave such a node on
 * another expression, even on a column, whose value is not the same for all rows.
 */
static bool
is_mark(Node *node)
{
	const RelabelType *relabel = (const RelabelType *) node;

	return IsA(node, RelabelType) && node_is_parameter(node) && relabel->resulttype == exprType((Node *) relabel->arg) &&
		relabel->resulttypmod == exprTypmod((Node *) relabel->arg) &&
		relabel->resultcollid == exprCollation((Node *) relabel->arg);
}

bool
conversion_is_of_constant(Node *call)
{
	return call != NULL && IsA(call, FuncExpr) && list_length(((FuncExpr *) call)->args) == 1 &&
		is_mark(linitial(((FuncExpr *) call)->args));
}

/* Whether an expression is part of a query with a FROM clause. The state of its functions lasts for one execution. */
static bool
is_in_query_of_rows(const PlannerInfo *root)
{
	ListCell   *cell;

	for (; root != NULL; root = root->parent_root)
		foreach(cell, root->parse->rtable)
			if (lfirst_node(RangeTblEntry, cell)->rtekind != RTE_RESULT)
				return true;
	return false;
}

/* The call with its argument marked; null if it needs no mark. */
static Node *
mark_argument(const SupportRequestSimplify *request)
{
	FuncExpr   *call = request->fcall;
	Node	   *argument;

	if (list_length(call->args) != 1 || !is_in_query_of_rows(request->root))
		return NULL;
	argument = linitial(call->args);
	if (!node_is_parameter(argument))
		return NULL;
	call = copyObject(call);
	linitial(call->args) = makeRelabelType((Expr *) argument, exprType(argument), exprTypmod(argument),
										   exprCollation(argument), COERCE_IMPLICIT_CAST);
	return (Node *) call;
}

PG_FUNCTION_INFO_V1(sql_conversion_support);
Datum
sql_conversion_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(mark_argument((SupportRequestSimplify *) request));
	if (IsA(request, SupportRequestCost) && conversion_is_of_constant(((SupportRequestCost *) request)->node))
	{
		SupportRequestCost *cost = (SupportRequestCost *) request;

		/* The conversion is done once, at the same cost in every plan. */
		cost->startup = 0.0;
		cost->per_tuple = cpu_operator_cost;
		PG_RETURN_POINTER(cost);
	}
	PG_RETURN_POINTER(NULL);
}
