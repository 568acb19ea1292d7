/*
 * The result of bf_agg and cf_agg over no rows. PostgreSQL then calls the final function alone, without the arguments of the
 * aggregate, so the capacity and the rate are evaluated here, from the expressions in the plan. An expression is not evaluated
 * if it could depend on rows: 1/count(*) in a sub-select is an error only if there are no rows.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_aggregate.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "functions/aggregate.h"
#include "functions/sql_function.h"
#include "value/known_function.h"

/* Whether the final function is called for this aggregate, and not for one of another extension, such as Citus. */
static bool
is_final_function_of(FunctionCallInfo fcinfo, Oid aggregate)
{
	return aggregate_function(aggregate, Anum_pg_aggregate_aggfinalfn) == fcinfo->flinfo->fn_oid;
}

/* The plan whose columns the expressions of this plan refer to. */
static const Plan *
input_of(const Plan *plan)
{
	if (IsA(plan, Append))
		return linitial(((const Append *) plan)->appendplans);
	if (IsA(plan, MergeAppend))
		return linitial(((const MergeAppend *) plan)->mergeplans);
	if (IsA(plan, SubqueryScan))
		return ((const SubqueryScan *) plan)->subplan;
	return outerPlan(plan);
}

/* The aggregate that computes the states which this one combines; null if it is not in the plan. */
static const Aggref *
partial_aggregate(const Plan *plan, const Aggref *aggref)
{
	while (DO_AGGSPLIT_COMBINE(aggref->aggsplit))
	{
		const Expr *expression = linitial_node(TargetEntry, aggref->args)->expr;

		while (IsA(expression, Var))
		{
			const Var  *column = (const Var *) expression;

			plan = input_of(plan);
			if (plan == NULL || column->varattno < 1 || column->varattno > list_length(plan->targetlist))
				return NULL;
			expression = list_nth_node(TargetEntry, plan->targetlist, column->varattno - 1)->expr;
		}
		if (!IsA(expression, Aggref))
			return NULL;
		aggref = (const Aggref *) expression;
	}
	return aggref;
}

/* An argument of the window functions with this final function; null if their calls have different ones. */
static Expr *
window_argument(FunctionCallInfo fcinfo, int number)
{
	ListCell   *cell;
	Expr	   *found = NULL;

	foreach(cell, ((const WindowAggState *) fcinfo->context)->funcs)
	{
		const WindowFunc *call = ((const WindowFuncExprState *) lfirst(cell))->wfunc;

		if (!is_final_function_of(fcinfo, call->winfnoid))
			continue;
		if (found != NULL && !equal(found, list_nth(call->args, number)))
			return NULL;
		found = list_nth(call->args, number);
	}
	return found;
}

/* An argument of the call, as an expression; null if it is not known. */
static Expr *
argument_of_call(FunctionCallInfo fcinfo, int number)
{
	const Aggref *aggref = AggGetAggref(fcinfo);

	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		return window_argument(fcinfo, number);
	if (aggref == NULL || !is_final_function_of(fcinfo, aggref->aggfnoid))
		return NULL;
	aggref = partial_aggregate(((const AggState *) fcinfo->context)->ss.ps.plan, aggref);
	return aggref != NULL && number < list_length(aggref->args) ? list_nth_node(TargetEntry, aggref->args, number)->expr : NULL;
}

/* Whether an expression has other leaves than constants and parameters of the statement. */
static bool
has_other_leaf(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((const Param *) node)->paramkind != PARAM_EXTERN;
	return IsA(node, Var) || IsA(node, SubPlan) || expression_tree_walker(node, has_other_leaf, context);
}

/*
 * A parameter of the call; 0 if it is null or unknown. PostgreSQL would compute the same value with rows, or when it plans a
 * statement for given parameters. Without a parent, an expression is never compiled.
 */
static double
parameter_of_call(FunctionCallInfo fcinfo, int argument)
{
	Expr	   *expression = PG_NARGS() > argument ? argument_of_call(fcinfo, argument - 1) : NULL;
	bool		isnull = true;
	Datum		value = 0;

	if (expression != NULL && !has_other_leaf((Node *) expression, NULL) && !contain_mutable_functions((Node *) expression))
		value = ExecEvalExprSwitchContext(ExecInitExpr(expression, NULL), ((PlanState *) fcinfo->context)->ps_ExprContext, &isnull);
	return isnull ? 0.0 : DatumGetFloat8(value);
}

struct varlena *
aggregate_of_no_rows(FunctionCallInfo fcinfo, FilterType type)
{
	FilterHeader *empty = fcinfo->flinfo->fn_extra;
	Oid			value_type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	FilterView	result;
	double		capacity,
				bytes;

	if (empty != NULL)
	{
		/* The header is copied, since the name of its kind is then in the image, which does not last as long as the plan. */
		result.header = *empty;
		return filter_allocate(&result);
	}
	empty = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FilterHeader));
	if (filter_init(empty, type, parameter_of_call(fcinfo, AGGREGATE_FIRST_PARAMETER + 1)) != FILTER_OK)
		(void) filter_init(empty, type, FILTER_DEFAULT_RATE);
	if (OidIsValid(value_type))
		empty->kind = value_hasher_create(value_type, PG_GET_COLLATION(), fcinfo->flinfo->fn_mcxt)->kind;
	capacity = parameter_of_call(fcinfo, AGGREGATE_FIRST_PARAMETER);
	if (!(capacity >= 1.0 && rint(capacity) == capacity) ||
		filter_append_layer(empty, (uint64) Min(capacity, 1e18), &bytes) != FILTER_OK ||
		filter_lay_out(empty, &bytes) != FILTER_OK)
		empty->layers = 0;
	fcinfo->flinfo->fn_extra = empty;
	return aggregate_of_no_rows(fcinfo, type);
}
