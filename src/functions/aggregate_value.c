#include "functions/aggregate_value.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_cast.h"
#include "catalog/pg_type.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"

bool
aggregate_is_called_by_executor(FunctionCallInfo fcinfo)
{
	return fcinfo->flinfo->fn_expr != NULL;
}

/* The declared type of the value; a pseudo-type for an aggregate of any type. */
static Oid
declared_value_type(FunctionCallInfo fcinfo)
{
	Oid		   *declared;
	int			arguments;

	get_func_signature(fcinfo->flinfo->fn_oid, &declared, &arguments);
	return arguments > 1 ? declared[1] : InvalidOid;
}

/*
 * Whether a plan node fetches rows that Citus computes elsewhere: the casts that the query applies to them may be
 * missing.
 */
static bool
is_citus_scan(const Plan *plan)
{
	return IsA(plan, CustomScan) && strncmp(((const CustomScan *) plan)->methods->CustomName, "Citus", 5) == 0;
}

/*
 * An expression of an Agg node; if it is computed in a plan node below, as for sorting, the expression there. Null if that
 * is unknown.
 */
static Node *
computed_expression(FunctionCallInfo fcinfo, Expr *expression)
{
	const Plan *plan = ((const AggState *) fcinfo->context)->ss.ps.plan;

	while (IsA(expression, Var))
	{
		const Var  *column = (const Var *) expression;
		const Plan *input = column->varno == OUTER_VAR ? outerPlan(plan) : column->varno == INNER_VAR ? innerPlan(plan) : NULL;

		if (is_citus_scan(plan))
			return NULL;
		if (input == NULL || column->varattno < 1 || column->varattno > list_length(input->targetlist))
			break;
		plan = input;
		expression = list_nth_node(TargetEntry, plan->targetlist, column->varattno - 1)->expr;
	}
	return (Node *) expression;
}

static Node *
without_relabel(Node *node)
{
	while (IsA(node, RelabelType) && ((RelabelType *) node)->relabelformat == COERCE_IMPLICIT_CAST)
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

static Oid
transition_of(Oid aggregate)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Oid			transition = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		transition = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;
		ReleaseSysCache(tuple);
	}
	return transition;
}

/*
 * The value of a window function: null if the node calculates several with this transition function, whose values have
 * different types.
 */
static Node *
window_value_expression(FunctionCallInfo fcinfo)
{
	ListCell   *cell;
	Node	   *found = NULL;

	foreach(cell, ((const WindowAggState *) fcinfo->context)->funcs)
	{
		const WindowFunc *call = ((const WindowFuncExprState *) lfirst(cell))->wfunc;
		Node	   *value = call->args != NIL ? linitial(call->args) : NULL;

		if (value == NULL || transition_of(call->winfnoid) != fcinfo->flinfo->fn_oid)
			continue;
		if (found != NULL && exprType(without_relabel(found)) != exprType(without_relabel(value)))
			return NULL;
		found = value;
	}
	return found;
}

/* The expression of the value as the user wrote it; null if the plan no longer has it. */
static Node *
value_expression(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);
	Node	   *last;

	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		return window_value_expression(fcinfo);
	if (aggref == NULL || aggref->args == NIL || DO_AGGSPLIT_COMBINE(aggref->aggsplit))
		return NULL;
	if (aggregate_is_called_by_executor(fcinfo))
		return computed_expression(fcinfo, linitial_node(TargetEntry, aggref->args)->expr);
	/* Citus passes several arguments as one row, which is the last argument of its own aggregate. */
	last = computed_expression(fcinfo, llast_node(TargetEntry, aggref->args)->expr);
	return last != NULL && IsA(last, RowExpr) && ((RowExpr *) last)->args != NIL ? linitial(((RowExpr *) last)->args) : last;
}

/* The type that an expression was converted from by an implicit cast that changes the value; InvalidOid if by none. */
static Oid
converted_type(const Node *node)
{
	if (IsA(node, FuncExpr) && ((const FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST)
		return exprType(linitial(((const FuncExpr *) node)->args));
	if (IsA(node, CoerceViaIO) && ((const CoerceViaIO *) node)->coerceformat == COERCE_IMPLICIT_CAST)
		return exprType((const Node *) ((const CoerceViaIO *) node)->arg);
	return InvalidOid;
}

/*
 * The type of a value that resolved to the aggregate of text; InvalidOid for a constant, from which the planner has
 * removed the casts. SQL prefers that aggregate to the one of any type for
 * user-defined string types with an implicit cast to text, such as citext, whose equality is not that of text. A cast
 * that does not change the value is ignored; one that does is an error.
 */
static Oid
type_before_cast(Node *value)
{
	Oid			converted;

	value = without_relabel(value);
	if (IsA(value, Const))
		return InvalidOid;
	converted = converted_type(value);
	if (converted >= FirstNormalObjectId)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("value of type %s was converted to text by an implicit cast", format_type_be(converted)),
				 errdetail("Values that the type considers equal could be different as text."),
				 errhint("Write the cast, as in value::text.")));
	return getBaseType(exprType(value));
}

/* Whether there is a type whose values resolve to the aggregate of text, although they are not text. */
static bool
other_types_resolve_to_text(void)
{
	Relation	casts = table_open(CastRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(casts, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple;
	bool		found = false;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const Form_pg_cast form = (Form_pg_cast) GETSTRUCT(tuple);

		found = form->casttarget == TEXTOID && form->castcontext == COERCION_CODE_IMPLICIT &&
			form->castmethod == COERCION_METHOD_BINARY && form->castsource >= FirstNormalObjectId;
	}
	systable_endscan(scan);
	table_close(casts, AccessShareLock);
	return found;
}

bool
aggregate_value_type(FunctionCallInfo fcinfo, Oid *type, Oid *collation)
{
	Oid			declared = declared_value_type(fcinfo),
				before;
	Node	   *value;

	*collation = PG_GET_COLLATION();
	*type = IsPolymorphicType(declared) ? get_fn_expr_argtype(fcinfo->flinfo, 1) : declared;
	if (!OidIsValid(*type))
		return false;
	if (aggregate_is_called_by_executor(fcinfo))
	{
		if (*type != TEXTOID)
			return true;
		value = value_expression(fcinfo);
		before = value != NULL ? type_before_cast(value) : InvalidOid;
		if (OidIsValid(before))
			*type = before;
		return OidIsValid(before) || !other_types_resolve_to_text();
	}
	if (OidIsValid(*collation) || !type_is_collatable(declared))
		return true;
	value = value_expression(fcinfo);
	if (value != NULL && exprType(value) == declared)
		*collation = exprCollation(value);
	return OidIsValid(*collation);
}
