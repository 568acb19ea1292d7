/*
 * Only sequential scans probe filters. PostgreSQL may have dropped the sequential scan of a table, because an index scan is
 * cheaper. In a subquery, the rows for a GROUP BY may come from an index, sorted; the nodes above that scan are then copied,
 * above a sequential scan and a sort. If workers share the rows of the index, those of the sequential scan are shared, too.
 */
#include "join_planner/open_path.h"

#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "join_planner/path_probes.h"
#include "scan_planner/offer.h"

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

static Path *without_index(PlannerInfo *root, Path *path, bool is_partial);

/* Copy a Gather or Gather Merge in the same way: each worker scans its part of the table. */
static Path *
gather_without_index(PlannerInfo *root, Path *path)
{
	bool		is_merge = IsA(path, GatherMergePath);
	Path	   *input;

	if (!is_merge && ((GatherPath *) path)->single_copy)
		return NULL;
	input = without_index(root, is_merge ? ((GatherMergePath *) path)->subpath : ((GatherPath *) path)->subpath, true);
	if (input == NULL)
		return NULL;
	if (!is_merge)
		return (Path *) create_gather_path(root, path->parent, input, path->pathtarget, NULL, &path->rows);
	if (!pathkeys_contained_in(path->pathkeys, input->pathkeys))
		input = (Path *) create_sort_path(root, input->parent, input, path->pathkeys, -1);
	return (Path *) create_gather_merge_path(root, path->parent, input, path->pathtarget, path->pathkeys, NULL, &path->rows);
}

/*
 * Copy a path over an index, to read its rows by a sequential scan, and sort them if a node needs that; null for other paths.
 * In a partial path, workers share the rows of the scan.
 */
static Path *
without_index(PlannerInfo *root, Path *path, bool is_partial)
{
	Path	   *copy;
	Path	  **slot;
	Path	   *old;
	Path	   *input;
	Size		size;

	/* Partitions are scanned in the order of their bounds, or merged. */
	if (IsA(path, IndexPath) || IsA(path, BitmapHeapPath) || IsA(path, MergeAppendPath) ||
		(IsA(path, AppendPath) && path->pathkeys != NIL))
		return path->parent->reloptkind == RELOPT_BASEREL ? open_path_of(root, path->parent, is_partial) : NULL;
	if (IsA(path, GatherPath) || IsA(path, GatherMergePath))
		return gather_without_index(root, path);
	if (IsA(path, SortPath) || IsA(path, IncrementalSortPath))
		return without_index(root, ((SortPath *) path)->subpath, is_partial);
	if (IsA(path, ProjectionPath))
	{
		input = without_index(root, ((ProjectionPath *) path)->subpath, is_partial);
		return input == NULL ? NULL : (Path *) create_projection_path(root, path->parent, input, path->pathtarget);
	}
	slot = path_grouped_input(path, &size);
	if (slot == NULL)
		return NULL;
	old = *slot;
	input = without_index(root, old, is_partial);
	if (input == NULL)
		return NULL;
	if (!(IsA(path, AggPath) && ((AggPath *) path)->aggstrategy != AGG_SORTED) &&
		!pathkeys_contained_in(old->pathkeys, input->pathkeys))
		input = (Path *) create_sort_path(root, old->parent, input, old->pathkeys, -1);
	if (path_disabled_nodes(input) > path_disabled_nodes(old))
		return NULL;
	copy = memcpy(palloc(size), path, size);
	*path_grouped_input(copy, &size) = input;
	copy->parallel_safe &= input->parallel_safe;
	copy->parallel_workers = input->parallel_workers;
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
	input = without_index(rel->subroot, old, false);
	if (input == NULL || path_disabled_nodes(input) > path_disabled_nodes(old))
		return path;
	scan = memcpy(palloc(sizeof(SubqueryScanPath)), path, sizeof(SubqueryScanPath));
	scan->subpath = input;
	scan->path.parallel_safe &= input->parallel_safe;
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
