/*
 * PostgreSQL, or another library, searches for the order of joins; the hooks note what it joins, and choose afterwards. The
 * filters are added to the plan when it is finished.
 */
#include "join_planner/hooks.h"

#include "optimizer/cost.h"
#include "optimizer/geqo.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "join_planner/choice.h"
#include "join_planner/explain.h"
#include "join_planner/paths.h"
#include "join_planner/plan.h"
#include "join_planner/query.h"
#include "plan_nodes/settings.h"
#include "scan_planner/offer.h"
#include "scan_planner/shown_plan.h"

static join_search_hook_type next_search_hook = NULL;

/*
 * No plan with filters is looked for if the genetic planner searches, which frees its relations, or where a wrapped path could
 * not become a plan: a condition without variables adds a node above an input; and the columns that identify the rows of a
 * partitioned table that is changed are known as the output of scans and joins, but not of a wrapper.
 */
static RelOptInfo *
search_joins(PlannerInfo *root, int levels, List *relations)
{
	bool		is_genetic = enable_geqo && levels >= geqo_threshold;
	bool		chooses = join_paths_run != NULL && enable_hashjoin && !is_genetic && !root->hasPseudoConstantQuals &&
		root->row_identity_vars == NIL && !query_changes_when_repeated(root);
	RelOptInfo *found;

	chooses = chooses && join_paths_note(root);
	if (next_search_hook != NULL)
		found = next_search_hook(root, levels, relations);
	else
		found = is_genetic ? geqo(root, levels, relations) : standard_join_search(root, levels, relations);
	if (chooses)
		join_choice_make(root, found);
	return found;
}

static planner_hook_type next_planner_hook = NULL;

static PlannedStmt *
plan_query(FILTER_PLANNER_PARAMETERS)
{
	const char *obstacle = query_obstacle(parse);
	bool		makes_filters = obstacle == NULL;
	PlannedStmt *volatile statement = NULL;
	JoinPathsRun run = {.searched = NULL};
	JoinPathsRun *outer_run = join_paths_run;

	if (makes_filters)
		filter_scan_install_hooks();
	join_paths_run = makes_filters && runtime_filter_costs && shown_plan_is_ours() ? &run : NULL;
	PG_TRY();
	{
		statement = (next_planner_hook != NULL ? next_planner_hook : standard_planner) (FILTER_PLANNER_ARGUMENTS);
		if (makes_filters)
			plan_filters_make(statement);
	}
	PG_FINALLY();
	{
		join_paths_run = outer_run;
		plan_filters_forget();
	}
	PG_END_TRY();
	runtime_filter_report(statement, obstacle, run.choices);
	return statement;
}

void
runtime_filter_install_hooks(void)
{
	next_search_hook = join_search_hook;
	join_search_hook = search_joins;
	join_paths_install();
	next_planner_hook = planner_hook;
	planner_hook = plan_query;
	shown_plan_unwrap = plan_filters_unwrap;
}
