/*
 * What the lookups of nested loops cost, for the loops that there will be.
 *
 * The planner costs an index scan before it knows how often it will be executed. It spreads the pages over as many loops as
 * there are rows in a table of the other side. So joins that filters make cheap lose to lookups that look nearly free. The same
 * formula, cost_index, is applied again here, to as many loops as there may be.
 *
 * On the other hand, the planner charges random_page_cost for pages that are in memory after the first lookups, if they were not
 * before. Scans of whole tables, which do not cost less because of that, would then replace a few lookups in small tables.
 */
#include "join_planner/lookup_cost.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "join_planner/filter_path.h"
#include "join_planner/rules.h"

/*
 * A table is taken to stay in memory if it is at most this part of the cache, which other queries share. What a page of a lookup
 * costs there, in pages that are read in sequence; and where only all tables of the query together fit into the cache, since
 * lookups in large tables miss the CPU's caches. Lookups suffer more than scans do if more rows come than expected, as they often
 * do: so the prices are not the least with which a lookup in memory has been measured. But beside the first page, one for each
 * row costs as much as in a scan: without a descent through the index, a page took a third of that (TPC-H Q11, 80 rows a lookup).
 */
#define PART_OF_CACHE		64
#define PAGE_IN_MEMORY		1.5
#define PAGE_IN_CACHE		3.0

/*
 * A path that costs more than this many times as much as its rival, whatever its lookups cost, stays as it is: one that costs
 * little more could be kept for its order, and be joined further at a cost that is too low.
 */
#define RIVAL_MARGIN		1.5

/* The index scan that a nested loop's inner path executes for each row, or for each different one; or null. */
static const IndexPath *
index_path(const Path *inner)
{
	if (IsA(inner, MemoizePath))
		inner = ((const MemoizePath *) inner)->subpath;
	return IsA(inner, IndexPath) && PATH_REQ_OUTER(inner) != NULL ? (const IndexPath *) inner : NULL;
}

/* The cost of a lookup with its pages at their price: all but the work on its rows is taken for pages. */
static Cost
cost_at_price(const PlannerInfo *root, const IndexPath *lookup, Cost cost)
{
	const RelOptInfo *table = lookup->path.parent;
	double		fetched = lookup->indexselectivity * table->tuples;
	Cost		rows = fetched * (cpu_tuple_cost + table->baserestrictcost.per_tuple);
	double		price;
	double		pages;
	double		further;

	if (table->pages * (double) PART_OF_CACHE <= effective_cache_size)
		price = PAGE_IN_MEMORY * seq_page_cost;
	else if (root->total_table_pages <= effective_cache_size)
		price = PAGE_IN_CACHE * seq_page_cost;
	else
		return cost;
	if (seq_page_cost >= random_page_cost || cost <= rows)
		return cost;
	pages = (cost - rows) / random_page_cost;
	further = Min(fetched, Max(pages - 1, 0));
	return rows + (pages - further) * Min(price, random_page_cost) + further * seq_page_cost;
}

Cost
lookup_cost_in_loops(PlannerInfo *root, const Path *inner, double loops)
{
	const IndexPath *lookup = index_path(inner);
	IndexPath	in_loops;
	double		fetched;
	Cost		most;

	if (lookup == NULL)
		return -1;
	in_loops = *lookup;
	cost_index(&in_loops, root, Max(loops, 1), false);
	/* At most a page of the table is added for each row: the pages of the index are few, and are found in memory. */
	fetched = Max(in_loops.indexselectivity * lookup->path.parent->tuples, 1);
	most = lookup->path.total_cost + fetched * random_page_cost;
	return cost_at_price(root, lookup, Max(Min(in_loops.path.total_cost, most), lookup->path.total_cost));
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
lookup_cost_correction(PlannerInfo *root, Path *path, Cost rival)
{
	const JoinPath *join = (const JoinPath *) path;
	const double least_price = Min(seq_page_cost, random_page_cost);
	const IndexPath *lookup;
	double		expected;
	double		loops;
	Cost		whole;
	Cost		corrected;

	if (!IsA(path, NestPath) || path->total_cost * least_price > RIVAL_MARGIN * rival * random_page_cost ||
		(lookup = index_path(join->innerjoinpath)) == NULL)
		return 0;
	expected = join->outerjoinpath->rows;
	loops = greatest_rows(join->outerjoinpath);
	if (IsA(join->innerjoinpath, MemoizePath) && ((const MemoizePath *) join->innerjoinpath)->est_entries > 0)
	{
		expected = Min(expected, ((const MemoizePath *) join->innerjoinpath)->est_entries);
		loops = Min(loops, ((const MemoizePath *) join->innerjoinpath)->est_entries);
	}
	whole = expected * lookup->path.total_cost;
	if (whole <= 0)
		return 0;
	/* These stop at the first match: TPC-H Q21 took 1.6 times as long with two workers. */
	if (join_rule(join->jointype, JOIN_STOPS_AT_MATCH))
		corrected = expected * cost_at_price(root, lookup, lookup->path.total_cost);
	else
		corrected = loops * lookup_cost_in_loops(root, join->innerjoinpath, loops);
	/* The planner charges for a part of a lookup if that stops at the first match. */
	return (corrected / whole - 1) * Min(whole, path->total_cost - join->outerjoinpath->total_cost);
}
