/*
 * Support for changing a filter in a variable. For `f := bf_add(f, x)` where f is visible after an error, PL/pgSQL asks
 * whether the function may change f in place. It may, since all values are hashed before anything changes. Functions of
 * two filters do not have this support function, because the second may be f itself.
 */
#include "postgres.h"

#include "nodes/supportnodes.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(sql_change_support);
Datum
sql_change_support(PG_FUNCTION_ARGS)
{
#if FILTER_VARIABLES_CHANGE_IN_PLACE
	const SupportRequestModifyInPlace *request = (const SupportRequestModifyInPlace *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestModifyInPlace))
	{
		Param	   *argument = linitial(request->args);

		if (argument != NULL && IsA(argument, Param) && argument->paramkind == PARAM_EXTERN &&
			argument->paramid == request->paramid)
			PG_RETURN_POINTER(argument);
	}
#endif
	PG_RETURN_POINTER(NULL);
}
