#include "estimate/probe.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "utils/lsyscache.h"

#include "known_function.h"

Node *
node_without_relabel(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/* Whether a function is contains, in the form with the filter in the given argument. */
static bool
is_contains(Oid function, int filter_argument)
{
	return filter_argument == 0 ? is_known_function(function, sql_contains) : is_known_function(function, sql_contained);
}

static bool
is_any_contains(Oid function, void *context)
{
	(void) context;
	return is_contains(function, 0) || is_contains(function, 1);
}

static bool
contains_call_walker(Node *node, void *context)
{
	return node != NULL &&
		(check_functions_in_node(node, is_any_contains, context) ||
		 expression_tree_walker(node, contains_call_walker, context));
}

bool
has_contains_call(Node *expression)
{
	return contains_call_walker(expression, NULL);
}

bool
probe_init(Probe *probe, PlannerInfo *root, Oid function, Oid collation, List *args, int filter_argument, int relation)
{
	if (list_length(args) != 2 || !is_contains(function, filter_argument))
		return false;
	probe->root = root;
	probe->function = function;
	probe->collation = collation;
	probe->args = args;
	probe->filter = node_without_relabel(list_nth(args, filter_argument));
	probe->value = node_without_relabel(list_nth(args, 1 - filter_argument));
	probe->relation = relation;
	return true;
}

bool
probe_value_is_typed(const Probe *probe, int filter_argument)
{
	Oid		   *declared;
	int			arguments;

	/* As in call_site_create. */
	get_func_signature(probe->function, &declared, &arguments);
	return IsPolymorphicType(declared[1 - filter_argument]);
}

/*
 * Whether a condition is the call with these arguments, or has it below nothing but AND and OR. Below NOT, for
 * example, a selectivity of 1 would mean that no row passes.
 */
static bool
is_required(Node *condition, const List *args)
{
	ListCell   *cell;

	if (condition == NULL)
		return false;
	if (IsA(condition, FuncExpr))
		return ((FuncExpr *) condition)->args == args;
	if (IsA(condition, OpExpr))
		return ((OpExpr *) condition)->args == args;
	if (IsA(condition, BooleanTest) && ((BooleanTest *) condition)->booltesttype == IS_TRUE)
		return is_required((Node *) ((BooleanTest *) condition)->arg, args);
	if (IsA(condition, BoolExpr) && ((BoolExpr *) condition)->boolop != NOT_EXPR)
		foreach(cell, ((BoolExpr *) condition)->args)
			if (is_required(lfirst(cell), args))
				return true;
	return false;
}

bool
probe_is_required_by(const List *restrictions, const List *args)
{
	ListCell   *cell;

	foreach(cell, restrictions)
		if (is_required((Node *) lfirst_node(RestrictInfo, cell)->clause, args))
			return true;
	return false;
}
