/*
 * What the lookups of nested loops cost, for the loops that there will be.
 *
 * The planner costs an index scan before it knows how often it will be executed. It spreads the pages over as many loops as
 * there are rows in a table of the other side. So joins that filters make cheap lose to lookups that look nearly free. The same
 * formula, cost_index, is applied again here, to as many loops as there may be.
 */
#include "join/lookup_cost.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "join/path_cost.h"

/*
 * What lookups cost more than the planner expects; it may also expect fewer of them. For each row, at most a page of the table
 * is added: the pages of the index are few, and are found in memory.
 */
static Cost
added_to_lookups(PlannerInfo *root, const Path *lookup, double expected, double loops)
{
	IndexPath	in_loops;
	double		fetched;
	Cost		added;

	if (IsA(lookup, MemoizePath))
	{
		double		keys = ((const MemoizePath *) lookup)->est_entries;

		lookup = ((const MemoizePath *) lookup)->subpath;
		expected = keys > 0 ? Min(expected, keys) : expected;
		loops = keys > 0 ? Min(loops, keys) : loops;
	}
	if (!IsA(lookup, IndexPath))
		return 0;
	in_loops = *(const IndexPath *) lookup;
	cost_index(&in_loops, root, Max(loops, 1), false);
	fetched = Max(in_loops.indexselectivity * lookup->parent->tuples, 1);
	added = Max(Min(in_loops.path.total_cost - lookup->total_cost, fetched * random_page_cost), 0);
	return loops * added + (loops - expected) * lookup->total_cost;
}

/* The cost of an input of a join. No path is added to its relation any more, so its paths are not freed. */
static LookupCost
cost_of_input(HTAB *known, PlannerInfo *root, Path *path)
{
	LookupCost *cost;
	bool		found;

	if (!path_cost_is_join(path))
		return lookup_cost(known, root, path);
	cost = hash_search(known, &path, HASH_ENTER, &found);
	if (!found)
		*cost = lookup_cost(known, root, path);
	return *cost;
}

static LookupCost
cost_of_join(HTAB *known, PlannerInfo *root, JoinPath *join)
{
	Path	   *inner_path = join->innerjoinpath;
	bool		looks_up = IsA(join, NestPath) && PATH_REQ_OUTER(inner_path) != NULL;
	List	   *conditions = looks_up ? inner_path->param_info->ppi_clauses : join->joinrestrictinfo;
	LookupCost	outer = cost_of_input(known, root, join->outerjoinpath);
	LookupCost	inner = looks_up ? (LookupCost) {.rows = inner_path->rows} : cost_of_input(known, root, inner_path);
	Cost		hidden = path_cost_of_join(join) - join->path.total_cost;
	LookupCost	cost = {.path = &join->path};

	/* Not in semi joins and anti joins, which stop at the first match: TPC-H Q21 took 1.6 times as long with two workers. */
	if (looks_up && join->jointype != JOIN_SEMI && join->jointype != JOIN_ANTI)
		inner.added = added_to_lookups(root, inner_path, join->outerjoinpath->rows, outer.rows);
	cost.added = outer.added + inner.added + hidden;
	cost.hidden = outer.hidden + inner.hidden + hidden;
	cost.rows = join->path.rows * outer.rows / Max(join->outerjoinpath->rows, 1) * inner.rows / Max(inner_path->rows, 1);
	/*
	 * Conditions often depend on each other, as those of a foreign key of two columns do. Then each row of the smaller side has
	 * a match, whatever the product of their selectivities is.
	 */
	if (join->jointype == JOIN_INNER && list_length(conditions) > 1)
		cost.rows = Max(cost.rows, looks_up ? outer.rows : Min(outer.rows, inner.rows));
	return cost;
}

LookupCost
lookup_cost(HTAB *known, PlannerInfo *root, Path *path)
{
	Path	   *input = path_cost_input(path);

	if (input != NULL)
		return cost_of_input(known, root, input);
	return path_cost_is_join(path) ? cost_of_join(known, root, (JoinPath *) path) : (LookupCost) {.path = path,.rows = path->rows};
}
