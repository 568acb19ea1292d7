/*
 * What the lookups of nested loops may cost.
 *
 * The planner costs a lookup before it knows how often it will be executed: it spreads the pages over as many loops as there are
 * rows in a table of the other side. The same formula, cost_index, is applied again here, to as many loops as there may be. On the
 * other hand, the planner charges random_page_cost for pages that are in memory after the first lookups. So lookups may cost several
 * times as much as expected, or less.
 */
#include "join_planner/lookup_cost.h"

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "join_planner/filter_path.h"
#include "join_planner/rules.h"

/*
 * A table of which so many fit into shared buffers is taken to be there after its first lookups. There, a page of a lookup costs as
 * much as one that is read in sequence. This is not the least price that has been measured, since lookups suffer more than scans do
 * if more rows come than expected, as they often do.
 */
#define TABLES_IN_BUFFERS	8.0

/* The scan of an index that a nested loop's inner path executes for each row, or for each different one; or null. */
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
 * The cost of a lookup with its pages at their price. Those are a page for each row, and two of the index; what costs more is work
 * on an index of which much is read. Of a large table, the fraction is in shared buffers that these have of all tables of the query.
 * Beside the first page, one for each row costs as much as in a scan: it is found without a descent through the index.
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
	/* At most a page of the table is added for each row: the pages of the index are few, and are found in memory. */
	most = lookup->total_cost + Max(rows_found(lookup), 1) * random_page_cost;
	return cost_at_price(root, lookup, Max(Min(in_loops.path.total_cost, most), lookup->total_cost));
}

/* The rows that there may be of a path: at least those that the planner expects. */
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
	 * Conditions often depend on each other, as those of a foreign key of two columns do. Then each row of the smaller side has
	 * a match, whatever the product of their selectivities is.
	 */
	if (join->jointype != JOIN_INNER || list_length(conditions) < 2)
		rows = 0;
	return Max(rows, path->rows * outer / Max(join->outerjoinpath->rows, 1) * inner / Max(join->innerjoinpath->rows, 1));
}

Cost
lookup_cost_fear_of_loop(PlannerInfo *root, const JoinPath *join)
{
	const Path *lookup = lookup_path(join->innerjoinpath);
	double		expected = join->outerjoinpath->rows;
	double		loops = greatest_rows(join->outerjoinpath);
	Cost		whole;
	Cost		feared;

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
	/* These stop at the first match: TPC-H Q21 took 1.6 times as long with two workers. */
	if (join_rule(join->jointype, JOIN_STOPS_AT_MATCH))
		feared = expected * cost_at_price(root, lookup, lookup->total_cost);
	else
		feared = loops * lookup_cost_in_loops(root, join->innerjoinpath, loops);
	/* The planner charges for a part of a lookup if that stops at the first match. */
	return (feared / whole - 1) * Min(whole, join->path.total_cost - join->outerjoinpath->total_cost);
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
