/*
 * A call of contains is recognized by its C function, in either order of its arguments.
 */
#include "estimate/probe_call.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "expression.h"
#include "value/known_function.h"

bool
probe_call_init(ProbeCall *probe, PlannerInfo *root, Oid function, Oid collation, List *args, int relation)
{
	/* The number of the argument with the filter, if the function is contains. */
	int			filter = is_known_function(function, sql_contains) ? 0 : is_known_function(function, sql_contained) ? 1 : -1;

	if (list_length(args) != 2 || filter < 0)
		return false;
	probe->root = root;
	probe->function = function;
	probe->collation = collation;
	probe->args = args;
	probe->filter = node_without_relabel(list_nth(args, filter));
	probe->value = node_without_relabel(list_nth(args, 1 - filter));
	probe->filter_argument = filter;
	probe->relation = relation;
	return true;
}

bool
probe_call_value_is_typed(const ProbeCall *probe)
{
	Oid		   *declared;
	int			arguments;

	/* call_site_create does the same. */
	get_func_signature(probe->function, &declared, &arguments);
	return IsPolymorphicType(declared[1 - probe->filter_argument]);
}
