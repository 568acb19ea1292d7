/*
 * The only evidence that a table's own pages have its rows, and may all be read, is a sequential scan that is in the
 * relation's list of paths after all other extensions have changed it. TimescaleDB, for example, replaces the paths of a chunk
 * that it has compressed. A path next to it of a kind that is not PostgreSQL's own means that another extension answers for
 * the table. If no other extension has a hook by which it could change the list, any of PostgreSQL's own paths is evidence,
 * too.
 *
 * The hook of another extension that is called before ours has changed the list already. One that calls ours, and then changes
 * the list, could lose its own path to a filter scan. Where another hook is above ours, there is therefore no filter scan.
 *
 * PostgreSQL scans the table that a statement changes. Extensions look in the plan for its scans: TimescaleDB decompresses
 * what these would find before they start. Any other extension that changes what such a scan returns may do the same.
 */
#include "scan_planner/offer.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "compat.h"
#include "sibling_library.h"
#include "plan_nodes/settings.h"
#include "scan_planner/path.h"
#include "scan_planner/shown_plan.h"

static set_rel_pathlist_hook_type next_hook = NULL;

static void add_filter_scans(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *table);

static bool
is_heap(Oid table)
{
	Relation	relation = table_open(table, NoLock);
	char		kind = relation->rd_rel->relkind;
	bool		result = relation->rd_tableam == GetHeapamTableAmRoutine() && (kind == RELKIND_RELATION || kind == RELKIND_MATVIEW);

	table_close(relation, NoLock);
	return result;
}

/*
 * Whether PostgreSQL itself reads the pages of one table by this path, or by one below it. A relation whose rows are groups or
 * distinct does not count, although it looks like a table: since 19, it may be an input of a join.
 */
static bool
reads_table(const Path *path)
{
	/* What is computed for the rows is evaluated above the scan. */
	if (IsA(path, ProjectionPath))
		return reads_table(((const ProjectionPath *) path)->subpath);
	switch (path->pathtype)
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			return true;
		case T_Gather:
			return reads_table(((const GatherPath *) path)->subpath);
		case T_GatherMerge:
			return reads_table(((const GatherMergePath *) path)->subpath);
		case T_Sort:
		case T_IncrementalSort:
			return reads_table(((const SortPath *) path)->subpath);
		default:
			return filter_scan_is_path(path);
	}
}

/*
 * Whether all paths of a list read the table; `sequential` becomes the one that reads the whole table, with no parameters but
 * those that all paths of the relation have.
 */
static bool
all_read_table(const List *paths, Relids parameters, Path **sequential)
{
	ListCell   *cell;

	foreach(cell, paths)
	{
		Path	   *path = lfirst(cell);

		if (!reads_table(path))
			return false;
		if (bms_equal(PATH_REQ_OUTER(path), parameters) && (path->pathtype == T_SeqScan || filter_scan_is_path(path)) &&
			(*sequential == NULL || path->total_cost < (*sequential)->total_cost))
			*sequential = path;
	}
	return true;
}

/* Whether no other extension can have changed the paths of a table, or the settings by which they were made. */
static bool
nobody_changes_paths(void)
{
	return set_rel_pathlist_hook == add_filter_scans && next_hook == NULL && table_info_hook == NULL;
}

Path *
filter_scan_sequential_path(PlannerInfo *root, RelOptInfo *rel, bool is_partial)
{
	const RangeTblEntry *table = planner_rt_fetch(rel->relid, root);
	Path	   *whole = NULL;
	Path	   *partial = NULL;
	int			workers = 0;

	if (rel->rtekind != RTE_RELATION || table->inh || rel->pathlist == NIL ||
		bms_is_member((int) rel->relid, root->all_result_relids) ||
		!all_read_table(rel->pathlist, rel->lateral_relids, &whole) ||
		!all_read_table(rel->partial_pathlist, rel->lateral_relids, &partial) || !is_heap(table->relid))
		return NULL;
	if ((is_partial ? partial : whole) != NULL || !nobody_changes_paths())
		return is_partial ? partial : whole;
	/* Like PostgreSQL, offer no partial path with parameters. */
	if (is_partial && rel->consider_parallel && rel->lateral_relids == NULL)
		workers = compute_parallel_worker(rel, rel->pages, -1, max_parallel_workers_per_gather);
	return is_partial && workers <= 0 ? NULL : create_seqscan_path(root, rel, rel->lateral_relids, workers);
}

bool
filter_scan_can_read(PlannerInfo *root, Index table)
{
	const RangeTblEntry *entry = planner_rt_fetch(table, root);

	if (entry->rtekind != RTE_RELATION || bms_is_member((int) table, root->all_result_relids))
		return false;
	for (Index i = 1; entry->inh && i < (Index) root->simple_rel_array_size; i++)
		if (root->append_rel_array[i] != NULL && root->append_rel_array[i]->parent_relid == table && filter_scan_can_read(root, i))
			return true;
	return is_heap(entry->relid);
}

bool
filter_scan_can_probe(const Plan *scan, const PlannedStmt *statement)
{
	Index		index = ((const Scan *) scan)->scanrelid;

	if (!filter_scan_enabled)
		return false;
	if (filter_scan_is_plan(scan))
		return true;
	return IsA(scan, SeqScan) && !statement_changes(statement, (int) index) && is_heap(rt_fetch(index, statement->rtable)->relid);
}

static void
add_filter_scans(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *table)
{
	List	   *conditions = NIL;

	if (next_hook != NULL)
		next_hook(root, rel, index, table);
	if (filter_scan_enabled && set_rel_pathlist_hook == add_filter_scans && shown_plan_is_ours())
		conditions = filter_scan_conditions(rel);
	if (conditions != NIL)
		filter_scan_add_paths(root, conditions, filter_scan_sequential_path(root, rel, false),
							  filter_scan_sequential_path(root, rel, true));
}

void
filter_scan_install_hooks(void)
{
	static bool installed = false;

	if (installed)
		return;
	installed = true;
	next_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_filter_scans;
	shown_plan_install();
}

void
filter_scan_init(void)
{
	RegisterCustomScanMethods(&filter_scan_methods);
	*find_rendezvous_variable(PLANS_PROBE_VARIABLE) = (void *) filter_scan_install_hooks;
}
