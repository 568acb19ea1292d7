/*
 * The result of bf_agg and cf_agg over no rows. PostgreSQL then calls the final function alone, without the arguments of the
 * aggregate, so the capacity and the rate are evaluated here, from the expressions in the plan.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "executor/executor.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

#include "functions/aggregate.h"
#include "functions/sql_function.h"
#include "value/known_function.h"

/* Whether the final function is that of an aggregate. It is not if an aggregate of another extension, such as Citus, calls it. */
static bool
is_final_function_of(FunctionCallInfo fcinfo, Oid aggregate)
{
	return aggregate_function(aggregate, Anum_pg_aggregate_aggfinalfn) == fcinfo->flinfo->fn_oid;
}

/* The plan whose columns a plan's expressions refer to. */
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

/* The arguments of the window functions with this final function, as expressions; several calls must have the same. */
static List *
window_arguments(FunctionCallInfo fcinfo)
{
	ListCell   *cell;
	List	   *found = NIL;

	foreach(cell, ((const WindowAggState *) fcinfo->context)->funcs)
	{
		const WindowFunc *call = ((const WindowFuncExprState *) lfirst(cell))->wfunc;

		if (!is_final_function_of(fcinfo, call->winfnoid))
			continue;
		if (found != NIL && !equal(list_copy_tail(found, 1), list_copy_tail(call->args, 1)))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot tell which capacity and false positive rate an aggregate over an empty window frame has"),
					 errhint("Use the same ones in all calls of the function over this window.")));
		found = call->args;
	}
	return found;
}

/* The arguments of the call, as expressions; NIL if they are not known. */
static List *
arguments_of_call(FunctionCallInfo fcinfo)
{
	const Aggref *aggref = AggGetAggref(fcinfo);
	List	   *arguments = NIL;
	ListCell   *cell;

	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		return window_arguments(fcinfo);
	if (aggref != NULL && is_final_function_of(fcinfo, aggref->aggfnoid))
		aggref = partial_aggregate(((const AggState *) fcinfo->context)->ss.ps.plan, aggref);
	else
		aggref = NULL;
	if (aggref != NULL)
		foreach(cell, aggref->args)
			arguments = lappend(arguments, lfirst_node(TargetEntry, cell)->expr);
	return arguments;
}

struct varlena *
aggregate_of_no_rows(FunctionCallInfo fcinfo, FilterType type)
{
	LOCAL_FCINFO(call, AGGREGATE_FIRST_PARAMETER + 2);	/* as of the transition function */
	PlanState  *node = (PlanState *) fcinfo->context;
	List	   *arguments = arguments_of_call(fcinfo);
	Oid			value_type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	Filter		empty;

	/* Without rows, a parameter that depends on them has its default. */
	call->nargs = AGGREGATE_FIRST_PARAMETER;
	for (int i = AGGREGATE_FIRST_PARAMETER; i < PG_NARGS(); i++)
	{
		Expr	   *argument = i <= list_length(arguments) ? list_nth(arguments, i - 1) : NULL;

		call->args[i].isnull = true;
		if (argument == NULL || contain_var_clause((Node *) argument) || contain_subplans((Node *) argument))
			continue;
		call->args[i].value = ExecEvalExprSwitchContext(ExecInitExpr(argument, node), node->ps_ExprContext,
														&call->args[i].isnull);
		call->nargs = (short) (i + 1);
	}
	(void) filter_plan(&empty, type, rate_parameter(call, AGGREGATE_FIRST_PARAMETER + 1),
					   capacity_parameter(call, AGGREGATE_FIRST_PARAMETER));
	if (OidIsValid(value_type))
		empty.kind = value_hasher_create(value_type, PG_GET_COLLATION(), CurrentMemoryContext)->kind;
	return filter_allocate(&empty);
}
