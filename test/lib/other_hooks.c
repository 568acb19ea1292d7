/*
 * For tests: a library of somebody else with hooks where cuckoo_scan has its own. Each counts its calls, and calls the one that
 * it found there. other_hooks_called() tells the counts: of the planner, of tables, of joins, and of the executor.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "utils/builtins.h"

PG_MODULE_MAGIC;

#if PG_VERSION_NUM >= 190000
#define PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int cursor_options, ParamListInfo parameters, ExplainState *es
#define PLANNER_ARGUMENTS parse, query_string, cursor_options, parameters, es
#else
#define PLANNER_PARAMETERS Query *parse, const char *query_string, int cursor_options, ParamListInfo parameters
#define PLANNER_ARGUMENTS parse, query_string, cursor_options, parameters
#endif

static int	calls[4];
static planner_hook_type next_planner;
static set_rel_pathlist_hook_type next_table;
static set_join_pathlist_hook_type next_join;
static ExecutorStart_hook_type next_start;

static PlannedStmt *
count_planner(PLANNER_PARAMETERS)
{
	calls[0]++;
	return next_planner != NULL ? next_planner(PLANNER_ARGUMENTS) : standard_planner(PLANNER_ARGUMENTS);
}

static void
count_table(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *table)
{
	calls[1]++;
	if (next_table != NULL)
		next_table(root, rel, index, table);
}

static void
count_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	calls[2]++;
	if (next_join != NULL)
		next_join(root, joinrel, outer, inner, type, extra);
}

static void
count_start(QueryDesc *query, int flags)
{
	calls[3]++;
	if (next_start != NULL)
		next_start(query, flags);
	else
		standard_ExecutorStart(query, flags);
}

PG_FUNCTION_INFO_V1(other_hooks_called);
Datum
other_hooks_called(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%d %d %d %d", calls[0], calls[1], calls[2], calls[3])));
}

void		_PG_init(void);

void
_PG_init(void)
{
	next_planner = planner_hook;
	planner_hook = count_planner;
	next_table = set_rel_pathlist_hook;
	set_rel_pathlist_hook = count_table;
	next_join = set_join_pathlist_hook;
	set_join_pathlist_hook = count_join;
	next_start = ExecutorStart_hook;
	ExecutorStart_hook = count_start;
}
