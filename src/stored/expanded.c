/*
 * Filters in PL/pgSQL variables, as expanded objects (utils/expandeddatum.h), so that `f := bf_add(f, x)` changes the
 * variable and not a copy of it.
 *
 * An expanded filter has its flat image in one piece, and a view of it, so that reading needs no copy. Only functions
 * that change filters return one, and only from PostgreSQL 18 on, the first version in which a function can change a
 * variable.
 */
#include "stored/expanded.h"

#include "nodes/supportnodes.h"
#include "utils/memutils.h"

#include "compat.h"

/* An expanded copy of a filter, in its own context below the current one. */
static ExpandedFilter *
expand(Datum datum)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "expanded filter", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ExpandedFilter *expanded = palloc(sizeof(ExpandedFilter));

	expanded_image_init(&expanded->object, context);
	mutable_filter_from(&expanded->mutable, datum);
	MemoryContextSwitchTo(old);
	return expanded;
}

/*
 * Whether argument 0 of a call is a parameter, as PL/pgSQL variables are. Queries have parameters, too; there an
 * expanded result costs no extra copy, since flattening it replaces copying a flat one into a row.
 */
static bool
is_of_parameter(const Node *call)
{
	const List *arguments = NIL;
	const Node *argument;

	if (call != NULL && IsA(call, FuncExpr))
		arguments = ((const FuncExpr *) call)->args;
	else if (call != NULL && IsA(call, OpExpr))
		arguments = ((const OpExpr *) call)->args;
	if (arguments == NIL)
		return false;
	argument = linitial(arguments);
	while (IsA(argument, RelabelType))
		argument = (const Node *) ((const RelabelType *) argument)->arg;
	return IsA(argument, Param) && ((const Param *) argument)->paramkind == PARAM_EXTERN;
}

void
filter_change_begin(FilterChange *change, FunctionCallInfo fcinfo)
{
	Datum		datum = PG_GETARG_DATUM(0);
	bool		is_writable = VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum));

	change->expanded = NULL;
	change->mutable = &change->flat;
	if (is_writable)
	{
		change->expanded = (ExpandedFilter *) expanded_image_get(datum);
		/*
		 * PL/pgSQL first moves the object into the context in which it evaluates the expression, unless the variable
		 * is visible after an error. An object that is elsewhere, for whatever reason, is not changed, but copied: if PL/pgSQL
		 * moved it to another context, that would only take longer.
		 */
		if (MemoryContextGetParent(change->expanded->object.header.eoh_context) != CurrentMemoryContext)
			change->expanded = expand(datum);
	}
	else if (FILTER_VARIABLES_CHANGE_IN_PLACE && is_of_parameter(fcinfo->flinfo->fn_expr))
		change->expanded = expand(datum);
	else
		mutable_filter_from(&change->flat, datum);

	if (change->expanded != NULL)
		change->mutable = &change->expanded->mutable;
}

Datum
filter_change_end(const FilterChange *change)
{
	if (change->expanded == NULL)
		return PointerGetDatum(change->flat.datum);
	change->expanded->object.image = change->expanded->mutable.datum;
	return EOHPGetRWDatum(&change->expanded->object.header);
}

MutableFilter *
filter_to_change_in_place(Datum datum)
{
	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
		return NULL;
	return &((ExpandedFilter *) expanded_image_get(datum))->mutable;
}

/*
 * For `f := bf_add(f, x)` where f is visible after an error, PL/pgSQL asks whether the function may change f in
 * place. It may, since all values are hashed before anything changes. Functions of two filters do not have this support
 * function, because the second may be f itself.
 */
PG_FUNCTION_INFO_V1(sql_change_support);
Datum
sql_change_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (is_request_to_modify_in_place(request))
	{
		SupportRequestModifyInPlace *asked = (SupportRequestModifyInPlace *) request;
		Param	   *argument = asked->args == NIL ? NULL : linitial(asked->args);

		if (argument != NULL && IsA(argument, Param) && argument->paramkind == PARAM_EXTERN &&
			argument->paramid == asked->paramid)
			PG_RETURN_POINTER(argument);
	}
	PG_RETURN_POINTER(NULL);
}
