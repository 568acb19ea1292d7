/*
 * The option join_filters of EXPLAIN.
 *
 * What a join lacks is found in the finished plan, which may be a cached one. What keeps a query from having filters is found
 * before the planner changes the query, and is not known of a cached plan. Before 18, EXPLAIN has no options of extensions, and
 * before 17, no function that a hook could call to plan the query, so there is a setting.
 */
#include "join_planner/explain.h"

#include "compat.h"

#if FILTER_EXPLAIN_HAS_OPTIONS

#include "commands/defrem.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "commands/explain.h"

#include "join_planner/plan.h"
#include "join_planner/query.h"

/* Of an EXPLAIN with the option. */
typedef struct Explained
{
	const char *of_query;
	const PlannedStmt *statement;	/* of which the following are; null: of none yet */
	List	   *of_joins;
} Explained;

static int	extension = -1;
static ExplainOneQuery_hook_type next_query_hook = NULL;
static explain_per_node_hook_type next_node_hook = NULL;

static void
set_option(ExplainState *es, DefElem *option, ParseState *pstate)
{
	(void) pstate;
	SetExplainExtensionState(es, extension, defGetBoolean(option) ? palloc0(sizeof(Explained)) : NULL);
}

static void
explain_query(Query *query, int cursor_options, IntoClause *into, ExplainState *es, const char *query_string,
			  ParamListInfo parameters, QueryEnvironment *environment)
{
	Explained  *explained = GetExplainExtensionState(es, extension);

	if (explained != NULL)
		explained->of_query = query_obstacle(query);
	(next_query_hook != NULL ? next_query_hook : standard_ExplainOneQuery)
		(query, cursor_options, into, es, query_string, parameters, environment);
}

static void
explain_node(PlanState *node, List *ancestors, const char *relationship, const char *plan_name, ExplainState *es)
{
	Explained  *explained = GetExplainExtensionState(es, extension);
	ListCell   *cell;

	if (next_node_hook != NULL)
		next_node_hook(node, ancestors, relationship, plan_name, es);
	if (explained == NULL)
		return;
	if (explained->statement != es->pstmt)
		explained->of_joins = runtime_filter_obstacles(es->pstmt);
	explained->statement = es->pstmt;
	foreach(cell, explained->of_joins)
	{
		const JoinObstacle *join = lfirst(cell);
		const char *text = explained->of_query != NULL ? explained->of_query : join->text;

		if (join->join == node->plan)
			ExplainPropertyText("Runtime Filter", psprintf("none (%s)", text), es);
	}
}

void
runtime_filter_explain_init(void)
{
	extension = GetExplainExtensionId("cuckoo_scan");
	filter_register_explain_option("join_filters", set_option);
	next_query_hook = ExplainOneQuery_hook;
	ExplainOneQuery_hook = explain_query;
	next_node_hook = explain_per_node_hook;
	explain_per_node_hook = explain_node;
}

#else

void
runtime_filter_explain_init(void)
{
}

#endif
