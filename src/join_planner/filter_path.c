/*
 * No path of PostgreSQL can hold a filter, and a join's path must stay a HashPath: the planner and other extensions look into it.
 * The side of which the filter is made is therefore wrapped in a custom path, which becomes a custom scan in the plan.
 */
#include "join_planner/filter_path.h"

#include "compat.h"
#include "join_planner/rules.h"

static Node *
filter_path_create_state(CustomScan *plan)
{
	elog(ERROR, "a runtime filter of a path is still in the plan");
	return (Node *) plan;
}

/*
 * This name is not registered, and differs from that of the node that makes the filter. Reading a plan that still has a wrapper,
 * as a worker would, is therefore an error.
 */
#define WRAPPER_NAME "CuckooRuntimeFilterOfPath"

static const CustomScanMethods plan_methods = {
	.CustomName = WRAPPER_NAME,
	.CreateCustomScanState = filter_path_create_state,
};

/* The wrapper has the output of the side, whatever the planner suggests, since plan.c replaces it by the side. */
static Plan *
plan_side(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *output, List *restrictions, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	const Plan *side = linitial(custom_plans);
	ChosenFilterPlan *chosen = plan_struct_create(ChosenFilterPlan);

	(void) root;
	(void) rel;
	(void) output;
	(void) restrictions;
	scan->scan.plan.targetlist = copyObject(side->targetlist);
	scan->custom_scan_tlist = copyObject(side->targetlist);
	scan->custom_plans = custom_plans;
	chosen->passing = ((FilterPath *) path)->filter.passing;
	chosen->clauses = ((FilterPath *) path)->filter.clauses;
	scan->custom_private = list_make1(chosen);
	scan->methods = &plan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = WRAPPER_NAME,
	.PlanCustomPath = plan_side,
};

FilterPath *
filter_path_create(Path *side, PathFilter filter)
{
	FilterPath *path = (FilterPath *) newNode(sizeof(FilterPath), T_CustomPath);

	path->custom.path = *side;
	path->custom.path.type = T_CustomPath;
	path->custom.path.pathtype = T_CustomScan;
	path->custom.custom_paths = list_make1(side);
	path->custom.methods = &path_methods;
	path->filter = filter;
	return path;
}

FilterPath *
filter_path_of(Path *path)
{
	return IsA(path, CustomPath) && ((CustomPath *) path)->methods == &path_methods ? (FilterPath *) path : NULL;
}

bool
path_is_join(const Path *path)
{
	return IsA(path, HashPath) || IsA(path, MergePath) || IsA(path, NestPath);
}

Path *
path_input(Path *path)
{
	NodeUse		use = node_rule(path->pathtype)->use;

	if (filter_path_of(path) != NULL)
		return linitial(((CustomPath *) path)->custom_paths);
	if (use != NODE_PASSES && use != NODE_KEEPS)
		return NULL;
	/* Only nodes above the joins of one query are passed: a subquery or a partition has other columns than its relation. */
	switch (nodeTag(path))
	{
		case T_ProjectionPath:
			return ((ProjectionPath *) path)->subpath;
		case T_MaterialPath:
			return ((MaterialPath *) path)->subpath;
		case T_SortPath:
		case T_IncrementalSortPath:
			return ((SortPath *) path)->subpath;
		default:
			return NULL;
	}
}

const ChosenFilterPlan *
filter_path_unwrap(Plan **plan)
{
	CustomScan *scan = (CustomScan *) *plan;

	if (!IsA(scan, CustomScan) || scan->methods != &plan_methods)
		return NULL;
	*plan = linitial(scan->custom_plans);
	return linitial(scan->custom_private);
}
