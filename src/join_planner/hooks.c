/*
 * What the planner calls for a query, and for the order of its joins, in which joins with filters compete.
 *
 * The search is PostgreSQL's own, but that a join with a filter joins the paths of a relation when all other joins of the same
 * tables are known. Then the costs of lookups in nested loops can be corrected for as many loops as there will be, and all are
 * compared once more.
 */
#include "join_planner/hooks.h"

#include "optimizer/cost.h"
#include "optimizer/geqo.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "join_planner/explain.h"
#include "join_planner/lookup_cost.h"
#include "join_planner/paths.h"
#include "join_planner/plan.h"
#include "join_planner/query.h"
#include "plan_nodes/settings.h"
#include "scan_planner/offer.h"
#include "scan_planner/shown_plan.h"

/*
 * If a join with a filter competes in a relation, correct the costs of its nested loops, and add that join. All paths are then
 * compared again.
 */
static void
finish_paths(PlannerInfo *root, RelOptInfo *rel, bool is_partial)
{
	void		(*add) (RelOptInfo *, Path *) = is_partial ? add_partial_path : add_path;
	List	  **paths = is_partial ? &rel->partial_pathlist : &rel->pathlist;
	List	   *found = *paths;
	HashPath   *filtered = join_paths_filtered(root, rel, is_partial);
	ListCell   *cell;

	if (filtered == NULL)
		return;
	foreach(cell, query_is_sub_select(root) ? NIL : found)
	{
		Path	   *path = lfirst(cell);

		path->total_cost = Max(path->total_cost + lookup_cost_correction(root, path, filtered->jpath.path.total_cost),
							   path->startup_cost);
	}
	*paths = NIL;
	foreach(cell, found)
		add(rel, lfirst(cell));
	add(rel, &filtered->jpath.path);
}

/* As standard_join_search, but that the paths of a relation are finished once all of its joins are known. */
static RelOptInfo *
search_all_levels(PlannerInfo *root, int levels, List *relations)
{
	List	   *found;
	ListCell   *cell;

	root->join_rel_level = palloc0((levels + 1) * sizeof(List *));
	root->join_rel_level[1] = relations;
	for (int level = 2; level <= levels; level++)
	{
		join_search_one_level(root, level);
		foreach(cell, root->join_rel_level[level])
		{
			RelOptInfo *rel = lfirst(cell);

			finish_paths(root, rel, false);
			finish_paths(root, rel, true);
			finish_join_relation(root, rel);
		}
	}
	found = root->join_rel_level[levels];
	root->join_rel_level = NULL;
	if (found == NIL)
		elog(ERROR, "failed to join %d relations", levels);
	return linitial(found);
}

/* Of another library that searches for the order of joins. It does not say when all joins of a relation are known. */
static join_search_hook_type next_search_hook = NULL;

/*
 * Not in the genetic planner, which frees its relations. A condition without variables adds a node above an input. What
 * identifies the rows of a partitioned table that is changed is known as the output of scans and joins, but not of the wrapper.
 */
static RelOptInfo *
search_joins(PlannerInfo *root, int levels, List *relations)
{
	bool		is_genetic = enable_geqo && levels >= geqo_threshold;
	bool		offers = join_paths_run != NULL && enable_hashjoin && !is_genetic && !root->hasPseudoConstantQuals &&
		root->row_identity_vars == NIL && !query_changes_when_repeated(root);
	RelOptInfo *found;

	if (!offers && next_search_hook == NULL)
		return is_genetic ? geqo(root, levels, relations) : standard_join_search(root, levels, relations);
	if (!offers)
		return next_search_hook(root, levels, relations);
	join_paths_run->searched = root;
	found = (next_search_hook != NULL ? next_search_hook : search_all_levels) (root, levels, relations);
	join_paths_run->searched = NULL;
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
	if (runtime_filter_explain)
		runtime_filter_report(statement, obstacle);
	return statement;
}

void
runtime_filter_install_hooks(void)
{
	next_search_hook = join_search_hook;
	join_search_hook = search_joins;
	join_paths_install(next_search_hook != NULL);
	next_planner_hook = planner_hook;
	planner_hook = plan_query;
	shown_plan_take_out = plan_filters_take_out;
}
