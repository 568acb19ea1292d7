/*
 * A query may have runtime filters if its result does not depend on which rows are read, or when. Questions about a query whose
 * finished plan is not known yet are answered on the safe side.
 */
#include "join_planner/query.h"

#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "plan_nodes/settings.h"

/*
 * Whether the planner may replace a function in FROM by its query, which has not been examined: the function is written in SQL,
 * or since PostgreSQL 19, has a support function. Support functions of PostgreSQL itself only estimate rows.
 */
static bool
is_inlined(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		inlined;

	if (!HeapTupleIsValid(tuple))
		return false;
	inlined = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId ||
		(SUPPORT_INLINES_FROM && function >= FirstNormalObjectId &&
		 OidIsValid(((Form_pg_proc) GETSTRUCT(tuple))->prosupport));
	ReleaseSysCache(tuple);
	return inlined;
}

static bool
has_inlined_query(const RangeTblEntry *table)
{
	ListCell   *cell;

	foreach(cell, table->functions)
	{
		const Node *call = lfirst_node(RangeTblFunction, cell)->funcexpr;

		if (call != NULL && IsA(call, FuncExpr) && is_inlined(((const FuncExpr *) call)->funcid))
			return true;
	}
	return false;
}

static const char *
obstacle_of_table(const RangeTblEntry *table)
{
	if (table->securityQuals != NIL || table->security_barrier)
		return "row security or a security barrier applies to the query";
	return has_inlined_query(table) ? "a function in FROM is written in SQL, or has a support function" : NULL;
}

typedef struct Search
{
	const Query *top;
	const char *found;
} Search;

static bool
has_obstacle(Node *node, void *context)
{
	Search	   *search = context;
	Query	   *query = (Query *) node;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, has_obstacle, context);
	if (query->rowMarks != NIL && query != search->top)
		search->found = "a subquery locks rows";
	foreach(cell, query->rtable)
		if (search->found == NULL)
			search->found = obstacle_of_table(lfirst_node(RangeTblEntry, cell));
	return search->found != NULL || query_tree_walker(query, has_obstacle, context, 0);
}

static bool
has_volatile_subselect(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
		return contain_volatile_functions(node);
	return expression_tree_walker(node, has_volatile_subselect, context);
}

/*
 * The output list is evaluated for rows of the result, which are the same with filters. What a sub-select in it evaluates
 * depends on the rows that its own joins read.
 */
static bool
has_volatile_functions(const Query *query)
{
	Query		without_output = *query;

	without_output.targetList = NIL;
	return contain_volatile_functions((Node *) &without_output) ||
		has_volatile_subselect((Node *) query->targetList, NULL);
}

/* Whether a query only reads or changes one table, as most short queries do. */
static bool
has_no_join(const Query *query)
{
	return list_length(query->rtable) == 1 && linitial_node(RangeTblEntry, query->rtable)->rtekind == RTE_RELATION &&
		!query->hasSubLinks && query->cteList == NIL;
}

const char *
query_obstacle(Query *query)
{
	Search		search = {.top = query};

	/* Without filter scans, nothing could probe a filter. */
	if (!runtime_filter_enabled || !filter_scan_enabled)
		return "cuckoo_scan.enable_join_filter or cuckoo_scan.enable_filter_scan is off";
	if (has_no_join(query))
		return "";				/* never shown */
	if (has_volatile_functions(query))
		return "the query calls a volatile function";
	has_obstacle((Node *) query, &search);
	return search.found;
}

static bool
has_changing_parameter(Node *node, void *context)
{
	PlannerInfo *root = context;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_changing_parameter, context, 0);
	if (!IsA(node, Param))
		return expression_tree_walker(node, has_changing_parameter, context);
	if (((Param *) node)->paramkind != PARAM_EXEC)
		return false;
	for (; root != NULL; root = root->parent_root)
		foreach(cell, root->init_plans)
		{
			const SubPlan *subselect = lfirst_node(SubPlan, cell);
			PlannerInfo *subroot = list_nth(root->glob->subroots, subselect->plan_id - 1);

			if (list_member_int(subselect->setParam, ((Param *) node)->paramid))
				return has_changing_parameter((Node *) subroot->parse, subroot);
		}
	return true;
}

bool
query_expression_changes(PlannerInfo *root, Node *expression)
{
	return has_changing_parameter(expression, root);
}

bool
query_changes_when_repeated(PlannerInfo *root)
{
	for (; root->parent_root != NULL; root = root->parent_root)
	{
		if (root->hasRecursion || has_changing_parameter((Node *) root->parse, root))
			return true;
		for (int level = 1; level < (int) root->query_level; level++)
			if (contain_vars_of_level((Node *) root->parse, level))
				return true;
	}
	return false;
}

bool
query_is_read_whole(const PlannerInfo *root, const RelOptInfo *rel)
{
	const Query *query = root->parse;
	ListCell   *cell;

	/* A nested loop stops reading its inner side at the first match. */
	foreach(cell, root->join_info_list)
	{
		const SpecialJoinInfo *join = lfirst_node(SpecialJoinInfo, cell);

		if ((join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI) && bms_is_subset(rel->relids, join->syn_righthand))
			return false;
	}
	return query->commandType != CMD_SELECT || query->hasAggs || query->groupClause != NIL || query->sortClause != NIL ||
		query->distinctClause != NIL || (root->parent_root == NULL && root->tuple_fraction <= 0);
}
