/*
 * The planner costs a lookup before it knows how often it will be executed: it divides the pages among as many loops as there are
 * rows in a table of the other side. The same formula, cost_index, is applied again here, to as many loops as there may be. On
 * the other hand, the planner charges random_page_cost for pages that are in memory after the first lookups. Lookups may
 * therefore cost several times as much as expected, or less.
 */
#include "join_planner/lookup_cost.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "join_planner/filter_path.h"
#include "join_planner/rules.h"

/*
 * A table is assumed to be in memory after its first lookups if shared buffers could hold this many of its size. In memory, a
 * page of a lookup costs as much as one that is read in sequence. It can cost less, but if more rows come than expected, as they
 * often do, lookups suffer more than scans.
 */
#define TABLES_IN_BUFFERS	8.0

/* The index scan that a nested loop's inner path executes for each row, or below Memoize, for each different one; or null. */
static const Path *
lookup_path(const Path *inner)
{
	if (IsA(inner, MemoizePath))
		inner = ((const MemoizePath *) inner)->subpath;
	return (IsA(inner, IndexPath) || IsA(inner, BitmapHeapPath)) && PATH_REQ_OUTER(inner) != NULL ? inner : NULL;
}

/* The rows that a lookup finds by the index. */
static double
rows_found(const Path *lookup)
{
	return IsA(lookup, IndexPath) ? ((const IndexPath *) lookup)->indexselectivity * lookup->parent->tuples : lookup->rows;
}

/*
 * Correct the cost of a lookup for pages that are cheaper than random_page_cost. It reads a page for each row, and two of the
 * index; what it costs more is work on an index of which much is read. Pages in shared buffers are cheaper: of a large table, the
 * fraction that shared buffers can hold of all tables of the query. Beside the first page, one for each row is cheaper, since it
 * is found without another descent through the index.
 */
static Cost
cost_at_price(const PlannerInfo *root, const Path *lookup, Cost cost)
{
	const RelOptInfo *table = lookup->parent;
	double		found = rows_found(lookup);
	Cost		rows = found * (cpu_tuple_cost + table->baserestrictcost.per_tuple);
	double		in_buffers = table->pages * TABLES_IN_BUFFERS <= NBuffers ? 1 : Min(NBuffers / Max(root->total_table_pages, 1), 1);
	double		pages = Min((cost - rows) / random_page_cost, found + 2);
	double		further = Max(Min(found, pages - 1), 0);

	if (seq_page_cost >= random_page_cost || pages <= 0)
		return cost;
	return cost - (further + (pages - further) * in_buffers) * (random_page_cost - seq_page_cost);
}

Cost
lookup_cost_in_loops(PlannerInfo *root, const Path *inner, double loops)
{
	const Path *lookup = lookup_path(inner);
	IndexPath	in_loops;
	Cost		most;

	if (lookup == NULL)
		return -1;
	if (IsA(lookup, BitmapHeapPath))
		return cost_at_price(root, lookup, lookup->total_cost);
	in_loops = *(const IndexPath *) lookup;
	cost_index(&in_loops, root, Max(loops, 1), false);
	/* At most a page of the table is added for each row: the pages of the index are few, and in memory. */
	most = lookup->total_cost + Max(rows_found(lookup), 1) * random_page_cost;
	return cost_at_price(root, lookup, Max(Min(in_loops.path.total_cost, most), lookup->total_cost));
}

/* The most rows that a path may return: at least as many as the planner expects. */
static double
greatest_rows(Path *path)
{
	Path	   *input = path_input(path);
	JoinPath   *join = (JoinPath *) path;
	List	   *conditions;
	double		outer;
	double		inner;
	double		rows;

	if (input != NULL)
		return greatest_rows(input);
	if (!path_is_join(path))
		return path->rows;
	conditions = join->joinrestrictinfo;
	outer = greatest_rows(join->outerjoinpath);
	if (IsA(join, NestPath) && PATH_REQ_OUTER(join->innerjoinpath) != NULL)
	{
		conditions = join->innerjoinpath->param_info->ppi_clauses;
		inner = join->innerjoinpath->rows;
		rows = outer;
	}
	else
	{
		inner = greatest_rows(join->innerjoinpath);
		rows = Min(outer, inner);
	}
	/*
	 * Conditions often depend on each other, for example on the columns of a foreign key. Each row of the smaller side then has a
	 * match, whatever the product of the selectivities is.
	 *
	 * With one condition and a unique inner side, an outer row has at most one match. The planner assumes that outer rows refer to
	 * all rows of a dimension equally often. But a calendar can cover two centuries, and the sales only five years of it: then far
	 * more of them have a match. What is feared is the geometric mean of the rows expected and of all outer rows.
	 */
	if (join->jointype != JOIN_INNER)
		rows = 0;
	else if (list_length(conditions) < 2)
		rows = join->inner_unique ? sqrt(path->rows * outer) : 0;
	return Max(rows, path->rows * outer / Max(join->outerjoinpath->rows, 1) * inner / Max(join->innerjoinpath->rows, 1));
}

Cost
lookup_cost_fear_of_loop(PlannerInfo *root, const JoinPath *join)
{
	const Path *lookup = lookup_path(join->innerjoinpath);
	double		expected = join->outerjoinpath->rows;
	double		loops = greatest_rows(join->outerjoinpath);
	Cost		whole;			/* of the expected lookups, if none stops at the first match */
	Cost		charged;		/* by the planner, for the expected lookups */
	Cost		feared;			/* of the lookups that there may be, if none stops */

	if (lookup == NULL)
		return 0;
	if (IsA(join->innerjoinpath, MemoizePath) && ((const MemoizePath *) join->innerjoinpath)->est_entries > 0)
	{
		expected = Min(expected, ((const MemoizePath *) join->innerjoinpath)->est_entries);
		loops = Min(loops, ((const MemoizePath *) join->innerjoinpath)->est_entries);
	}
	whole = expected * lookup->total_cost;
	if (whole <= 0)
		return 0;
	charged = Min(whole, join->path.total_cost - join->outerjoinpath->total_cost);
	/* If these loops stop at the first match, more of them than expected are not feared. */
	if (join_rule(join->jointype, JOIN_STOPS_AT_MATCH))
		feared = expected * cost_at_price(root, lookup, lookup->total_cost);
	else
		feared = loops * lookup_cost_in_loops(root, join->innerjoinpath, loops);
	/* A lookup that stops costs the same part of its whole cost in both cases. */
	return feared * (charged / whole) - charged;
}

Cost
lookup_cost_fear(PlannerInfo *root, Path *path)
{
	JoinPath   *join = (JoinPath *) path;
	Path	   *input = path_input(path);

	if (IsA(path, GatherPath))
		input = ((GatherPath *) path)->subpath;
	if (IsA(path, GatherMergePath))
		input = ((GatherMergePath *) path)->subpath;
	if (input != NULL)
		return lookup_cost_fear(root, input);
	if (!path_is_join(path))
		return 0;
	return (IsA(path, NestPath) ? lookup_cost_fear_of_loop(root, join) : 0) + lookup_cost_fear(root, join->outerjoinpath) +
		lookup_cost_fear(root, join->innerjoinpath);
}
