/*
 * Only sequential scans probe filters. PostgreSQL may have dropped the sequential scan of a table, because an index scan is
 * cheaper. In a subquery, the rows for a GROUP BY may come from an index, sorted; the nodes above that scan are then copied,
 * above a sequential scan and a sort.
 */
#include "join_planner/open_path.h"

#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "scan_planner/offer.h"

#define COPY(type) ((type *) memcpy(palloc(sizeof(type)), path, sizeof(type)))

Path *
cheapest_path_of(const RelOptInfo *rel, bool is_partial)
{
	ListCell   *cell;

	/* Both lists are sorted by cost. */
	foreach(cell, is_partial ? rel->partial_pathlist : rel->pathlist)
		if (((Path *) lfirst(cell))->param_info == NULL)
			return lfirst(cell);
	return NULL;
}

/*
 * Copy a node that groups rows; null for other nodes. Sets `input` to where the copy has its input, and `needs_order` to whether
 * that input must be sorted.
 */
static Path *
copy_grouping(const Path *path, Path ***input, bool *needs_order)
{
	Path	   *copy = NULL;

	*needs_order = true;
	switch (nodeTag(path))
	{
		case T_AggPath:
			copy = (Path *) COPY(AggPath);
			*input = &((AggPath *) copy)->subpath;
			*needs_order = ((AggPath *) copy)->aggstrategy == AGG_SORTED;
			break;
		case T_GroupPath:
			copy = (Path *) COPY(GroupPath);
			*input = &((GroupPath *) copy)->subpath;
			break;
		case T_DistinctPath:
			copy = (Path *) COPY(DistinctPath);
			*input = &((DistinctPath *) copy)->subpath;
			break;
		case T_WindowAggPath:
			copy = (Path *) COPY(WindowAggPath);
			*input = &((WindowAggPath *) copy)->subpath;
			break;
		default:
			break;
	}
	return copy;
}

/* Copy a path over an index, to read its rows by a sequential scan, and sort them if a node needs that; null for other paths. */
static Path *
without_index(PlannerInfo *root, Path *path)
{
	Path	   *copy;
	Path	  **slot;
	Path	   *old;
	Path	   *input;
	bool		needs_order;

	/* Partitions are scanned in the order of their bounds, or merged. */
	if (IsA(path, IndexPath) || IsA(path, BitmapHeapPath) || IsA(path, MergeAppendPath) ||
		(IsA(path, AppendPath) && path->pathkeys != NIL))
		return path->parent->reloptkind == RELOPT_BASEREL ? open_path_of(root, path->parent, false) : NULL;
	if (IsA(path, SortPath) || IsA(path, IncrementalSortPath))
		return without_index(root, ((SortPath *) path)->subpath);
	if (IsA(path, ProjectionPath))
	{
		input = without_index(root, ((ProjectionPath *) path)->subpath);
		return input == NULL ? NULL : (Path *) create_projection_path(root, path->parent, input, path->pathtarget);
	}
	copy = copy_grouping(path, &slot, &needs_order);
	if (copy == NULL)
		return NULL;
	old = *slot;
	input = without_index(root, old);
	if (input == NULL)
		return NULL;
	if (needs_order && !pathkeys_contained_in(old->pathkeys, input->pathkeys))
		input = (Path *) create_sort_path(root, old->parent, input, old->pathkeys, -1);
	*slot = input;
	/* A node that reads all rows first starts when its input ends. */
	copy->startup_cost += path->startup_cost >= old->total_cost ? input->total_cost - old->total_cost :
		input->startup_cost - old->startup_cost;
	copy->total_cost += input->total_cost - old->total_cost;
	return copy;
}

/* Not of a partial path, which groups nothing: each process would scan the whole table. */
static Path *
open_path_of_subquery(RelOptInfo *rel, bool is_partial)
{
	Path	   *path = cheapest_path_of(rel, is_partial);
	SubqueryScanPath *scan;
	Path	   *input;
	Path	   *old;

	if (is_partial || path == NULL || !IsA(path, SubqueryScanPath))
		return path;
	old = ((SubqueryScanPath *) path)->subpath;
	input = without_index(rel->subroot, old);
	if (input == NULL || path_disabled_nodes(input) != 0)
		return path;
	scan = COPY(SubqueryScanPath);
	scan->subpath = input;
	scan->path.pathkeys = NIL;
	scan->path.startup_cost += input->startup_cost - old->startup_cost;
	scan->path.total_cost += input->total_cost - old->total_cost;
	return &scan->path;
}

Path *
open_path_of(PlannerInfo *root, RelOptInfo *rel, bool is_partial)
{
	if (IS_DUMMY_REL(rel) || rel->lateral_relids != NULL)
		return NULL;
	if (rel->rtekind == RTE_SUBQUERY)
		return open_path_of_subquery(rel, is_partial);
	return planner_rt_fetch(rel->relid, root)->inh ? cheapest_path_of(rel, is_partial) : filter_scan_sequential_path(root, rel, is_partial);
}
