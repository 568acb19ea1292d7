#include "join/query.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "compat.h"

static bool
has_obstacle(Node *node, void *top)
{
	Query	   *query = (Query *) node;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, has_obstacle, top);
	if (query->rowMarks != NIL && node != top)
		return true;
	foreach(cell, query->rtable)
	{
		RangeTblEntry *table = lfirst_node(RangeTblEntry, cell);

		if (table->securityQuals != NIL || table->security_barrier)
			return true;
	}
	return query_tree_walker(query, has_obstacle, top, 0);
}

static bool
has_volatile_functions(const Query *query)
{
	Query		without_output = *query;

	without_output.targetList = NIL;
	return contain_volatile_functions((Node *) &without_output);
}

bool
query_allows_join_filters(Query *query)
{
	return !has_volatile_functions(query) && !has_obstacle((Node *) query, query);
}
