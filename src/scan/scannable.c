/*
 * Which tables are scanned with filters.
 *
 * The only evidence that a table's own pages have its rows, and may all be read, is a sequential scan that is in the relation's
 * list of paths after all other extensions have changed that. TimescaleDB, for example, replaces the paths of a chunk that it
 * has compressed. A path of a kind that is not PostgreSQL's own beside it says that somebody else answers for the table.
 *
 * The table that a statement changes is scanned by PostgreSQL. Extensions look in the plan for its scans: TimescaleDB
 * decompresses what these would find before they start. So does whoever else changes what such a scan returns.
 */
#include "scan/scannable.h"

#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "compat.h"
#include "scan/path.h"

static bool
is_heap(Oid table)
{
	Relation	relation = table_open(table, NoLock);
	const FormData_pg_class *form = relation->rd_rel;
	bool		result = form->relam == HEAP_TABLE_AM_OID && (form->relkind == RELKIND_RELATION || form->relkind == RELKIND_MATVIEW);

	table_close(relation, NoLock);
	return result;
}

/* Whether a path is of a kind by which PostgreSQL itself reads the pages of one table, or made of such a path. */
static bool
reads_table(const Path *path)
{
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

/* Whether all paths of a list are; `sequential` becomes the one that reads the whole table. */
static bool
all_read_table(const List *paths, Path **sequential)
{
	ListCell   *cell;

	foreach(cell, paths)
	{
		Path	   *path = lfirst(cell);

		if (!reads_table(path))
			return false;
		if (path->param_info == NULL && (path->pathtype == T_SeqScan || filter_scan_is_path(path)) &&
			(*sequential == NULL || path->total_cost < (*sequential)->total_cost))
			*sequential = path;
	}
	return true;
}

Path *
scannable_path(const PlannerInfo *root, const RelOptInfo *rel, bool is_partial)
{
	const RangeTblEntry *table = planner_rt_fetch(rel->relid, root);
	Path	   *whole = NULL;
	Path	   *partial = NULL;

	if (rel->rtekind != RTE_RELATION || table->inh || is_grouped_relation(rel) ||
		bms_is_member((int) rel->relid, root->all_result_relids) ||
		!all_read_table(rel->pathlist, &whole) || !all_read_table(rel->partial_pathlist, &partial) || !is_heap(table->relid))
		return NULL;
	return is_partial ? partial : whole;
}

bool
scannable_in_plan(const PlannedStmt *statement, const Scan *scan)
{
	return !statement_changes(statement, (int) scan->scanrelid) && is_heap(rt_fetch(scan->scanrelid, statement->rtable)->relid);
}
