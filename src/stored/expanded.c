/*
 * Filters in PL/pgSQL variables, as expanded objects (utils/expandeddatum.h), so that `f := bf_add(f, x)` changes the
 * variable and not a copy of it.
 *
 * An expanded filter has its flat image in one piece, and a view of it, so that reading needs no copy. Only functions
 * that change filters return one, and only from PostgreSQL 18 on, the first version in which a function can change a
 * variable.
 */
#include "stored/expanded.h"

#include "utils/memutils.h"

#include "expression.h"

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
is_of_parameter(Node *call)
{
	List	   *arguments = node_arguments(call);

	return arguments != NIL && node_is_parameter(linitial(arguments));
}

void
filter_change_begin(FilterChange *change, FunctionCallInfo fcinfo)
{
	Datum		datum = PG_GETARG_DATUM(0);

	change->expanded = NULL;
	if (VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
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
	change->mutable = change->expanded != NULL ? &change->expanded->mutable : &change->flat;
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
