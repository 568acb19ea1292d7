/*
 * The type and the collation of the values of an aggregate that is declared for one type.
 *
 * Citus calls the functions of an aggregate itself, from aggregates of its own, without the expression from which a function
 * learns the collation and a function of any type the actual one. It can only use functions whose declared types are the
 * actual ones.
 */
#ifndef FILTER_CITUS_VALUE_TYPE_H
#define FILTER_CITUS_VALUE_TYPE_H

#include "postgres.h"

#include "fmgr.h"

/* Whether the executor calls the function for an aggregate of the query. Otherwise, Citus does. */
static inline bool
is_called_by_executor(FunctionCallInfo fcinfo)
{
	return fcinfo->flinfo->fn_expr != NULL;
}

/*
 * Get the type and the collation of the values, which are the second argument of a transition function. Error 42P22 if
 * the collation cannot be determined; errors 0A000 and 42P18 for an aggregate of text whose values are, or could be, of
 * another type.
 */
extern void citus_value_type(FunctionCallInfo fcinfo, Oid *type, Oid *collation);

#endif
