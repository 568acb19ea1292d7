/*
 * What a join lacks is found in the finished plan, which may be a cached one. What keeps a whole query from having filters is
 * found before the planner changes the query, and is not known of a cached plan.
 *
 * Before PostgreSQL 18, extensions cannot add options to EXPLAIN, and before 17, it has no function that a hook could call to
 * plan the query. A setting therefore asks for notices.
 */
#include "join_planner/explain.h"

#include "parser/parsetree.h"

#include "compat.h"
#include "join_planner/plan.h"
#include "plan_nodes/settings.h"
#include "scan_planner/path.h"

typedef struct JoinObstacle
{
	const Plan *join;
	char	   *probe;			/* the name of the side with the larger input, for which the filter would be */
	char	   *build;			/* the name of the other side */
	char	   *text;			/* the reason, with these names */
} JoinObstacle;

typedef struct Explanation
{
	PlanChange	change;
	List	   *joins;			/* of JoinObstacle */
} Explanation;

/* Whether one of the inputs of a join makes a filter. */
static bool
has_filter(const Plan *join)
{
	return is_runtime_filter(outerPlan(join)) || (IsA(innerPlan(join), Hash) && is_runtime_filter(outerPlan(innerPlan(join))));
}

/*
 * Return the rows of the largest input of a side, and note the tables that are scanned. A sequential scan counts as all rows of
 * its table; another scan as the rows that it returns, or not at all if only_tables is true.
 */
static double
note_inputs(const PlannedStmt *statement, const Plan *plan, bool only_tables, Bitmapset **tables)
{
	double		rows = 0;
	ListCell   *cell;

	if (plan == NULL)
		return 0;
	if (nodeTag(plan) >= T_SeqScan && nodeTag(plan) <= T_CustomScan && !IsA(plan, SubqueryScan) &&
		((const Scan *) plan)->scanrelid > 0)
	{
		*tables = bms_add_member(*tables, (int) ((const Scan *) plan)->scanrelid);
		if (IsA(plan, SeqScan) || filter_scan_is_plan(plan))
			rows = scanned_table_rows(plan, statement->rtable);
		else if (!only_tables)
			rows = plan->plan_rows;
	}
	foreach(cell, walk_other_inputs(plan))
		rows += note_inputs(statement, lfirst(cell), only_tables, tables);
	rows = Max(rows, note_inputs(statement, plan->lefttree, only_tables, tables));
	return Max(rows, note_inputs(statement, plan->righttree, only_tables, tables));
}

/* A side of a join is named after its table, or the join of its tables. All partitions have the name of their table. */
static char *
name_of(const PlannedStmt *statement, const Bitmapset *tables)
{
	StringInfoData names;
	const char *last = NULL;
	int			count = 0;

	initStringInfo(&names);
	for (int table = -1; (table = bms_next_member(tables, table)) >= 0;)
	{
		const char *name = rt_fetch(table, statement->rtable)->eref->aliasname;

		if (last != NULL && strcmp(name, last) == 0)
			continue;
		appendStringInfo(&names, "%s%s", last == NULL ? "" : ", ", name);
		last = name;
		count++;
	}
	return count == 1 ? names.data : psprintf("the join of %s", names.data);
}

/* A reason with the names of the sides in place of the words for them. */
static char *
with_names(const char *reason, const char *probe, const char *build)
{
	StringInfoData text;

	initStringInfo(&text);
	for (const char *side; (side = strstr(reason, " side")) != NULL; reason = side + strlen(" side"))
	{
		/* "probe" and "build" have the same length. */
		const char *word = side - strlen("probe");

		appendBinaryStringInfo(&text, reason, (int) (word - reason));
		appendStringInfoString(&text, *word == 'p' ? probe : build);
	}
	appendStringInfoString(&text, reason);
	return text.data;
}

/* Note what the side of a join with the larger input lacks for a filter. */
static void
explain_join(PlanWalk *walk, Plan *plan)
{
	PlanChange *change = (PlanChange *) walk;
	const PlannedStmt *statement = walk->statement;
	JoinObstacle *obstacle = palloc0(sizeof(JoinObstacle));
	Bitmapset  *outer_tables = NULL;
	Bitmapset  *inner_tables = NULL;
	double		outer,
				inner;

	if (!(IsA(plan, HashJoin) || IsA(plan, MergeJoin) || IsA(plan, NestLoop)) || has_filter(plan))
		return;
	outer = note_inputs(statement, outerPlan(plan), IsA(plan, NestLoop), &outer_tables);
	inner = note_inputs(statement, innerPlan(plan), IsA(plan, NestLoop), &inner_tables);
	if (plan_has_few_rows(change, Max(outer, inner)))
	{
		/* A nested loop over few rows is not a join that could better be hashed. */
		if (IsA(plan, NestLoop))
			return;
	}
	else if (!IsA(plan, HashJoin))
		change->obstacle = "only hash joins build filters";
	else if (plan_filter_of_side(change, (HashJoin *) plan, outer >= inner))
		change->obstacle = "planned while filters were off, or for a query that they could change";
	obstacle->join = plan;
	obstacle->probe = name_of(statement, outer >= inner ? outer_tables : inner_tables);
	obstacle->build = name_of(statement, outer >= inner ? inner_tables : outer_tables);
	obstacle->text = with_names(change->obstacle, obstacle->probe, obstacle->build);
	((Explanation *) walk)->joins = lappend(((Explanation *) walk)->joins, obstacle);
}

/* List what keeps the joins of a finished plan from a filter (JoinObstacle). The plan is not changed. */
static List *
find_obstacles(PlannedStmt *statement)
{
	Explanation explanation = {.change.walk.statement = statement,.change.explains = true};

	walk_note_plan(&explanation.change.walk);
	walk_plan(&explanation.change.walk, explain_join);
	return explanation.joins;
}

/* An EXPLAIN with the option gets the choices of its query here; null: there is no such EXPLAIN, or it has got them. */
static List **choices_wanted = NULL;

void
runtime_filter_report(PlannedStmt *statement, const char *of_query, List *choices)
{
	List	   *of_joins;
	ListCell   *cell;

	if (choices_wanted != NULL)
		*choices_wanted = choices;
	choices_wanted = NULL;
	if (!runtime_filter_explain)
		return;
	of_joins = find_obstacles(statement);
	foreach(cell, choices)
		ereport(NOTICE, (errmsg_internal("%s", (const char *) lfirst(cell))));
	if (of_query != NULL && of_joins != NIL)
		ereport(NOTICE, (errmsg("query has no runtime filters: %s", of_query)));
	foreach(cell, of_query == NULL ? of_joins : NIL)
	{
		const JoinObstacle *join = lfirst(cell);

		ereport(NOTICE, (errmsg("no runtime filter of %s for %s: %s", join->build, join->probe, join->text)));
	}
}

#if FILTER_EXPLAIN_HAS_OPTIONS

#include "commands/defrem.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "commands/explain.h"

#include "join_planner/query.h"

/* What an EXPLAIN with the option knows of its query. */
typedef struct Explained
{
	const char *of_query;
	List	   *choices;
	const PlannedStmt *statement;	/* the plan that of_joins is about; null: not searched yet */
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
	List	  **outer = choices_wanted;

	choices_wanted = explained != NULL ? &explained->choices : NULL;
	PG_TRY();
	{
		if (explained != NULL)
			explained->of_query = query_obstacle(query);
		(next_query_hook != NULL ? next_query_hook : standard_ExplainOneQuery)
			(query, cursor_options, into, es, query_string, parameters, environment);
	}
	PG_FINALLY();
	{
		choices_wanted = outer;
	}
	PG_END_TRY();
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
	{
		explained->of_joins = find_obstacles(es->pstmt);
		foreach(cell, explained->choices)
			ExplainPropertyText("Runtime Filters", lfirst(cell), es);
	}
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
