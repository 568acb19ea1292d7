/*
 * What the lookups of nested loops cost, for the loops that there will be.
 *
 * The planner costs an index scan before it knows how often it will be executed. It spreads the pages that are read over as many
 * loops as there are rows in a table of the other side, though few of these rows may be left by the time. So joins that filters
 * make cheap lose to lookups that look nearly free. The same formula, cost_index, is applied again here.
 */
#include "join/lookup_cost.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "join/path_cost.h"

/*
 * At most one page for each row is added: that of the table. Those of the index are few, and are found in memory, however the
 * loops are ordered.
 */
static Cost
added_to_lookups(PlannerInfo *root, const Path *outer, const Path *lookup)
{
	double		loops = outer->rows;
	IndexPath	in_loops;
	double		fetched;

	if (IsA(lookup, MemoizePath))
	{
		const MemoizePath *memoize = (const MemoizePath *) lookup;

		lookup = memoize->subpath;
		if (memoize->est_entries > 0)
			loops = Min(loops, memoize->est_entries);
	}
	if (!IsA(lookup, IndexPath))
		return 0;
	in_loops = *(const IndexPath *) lookup;
	cost_index(&in_loops, root, Max(loops, 1), false);
	fetched = Max(in_loops.indexselectivity * lookup->parent->tuples, 1);
	return loops * Max(Min(in_loops.path.total_cost - lookup->total_cost, fetched * random_page_cost), 0);
}

Cost
lookup_cost_added(PlannerInfo *root, Path *path)
{
	JoinPath   *join = (JoinPath *) path;
	Path	   *input = path_cost_input(path);
	Cost		added;

	if (input != NULL)
		return lookup_cost_added(root, input);
	if (!path_cost_is_join(path))
		return 0;
	added = path_cost_of_join(join) - path->total_cost + lookup_cost_added(root, join->outerjoinpath);
	if (IsA(path, NestPath) && PATH_REQ_OUTER(join->innerjoinpath) != NULL)
		return added + added_to_lookups(root, join->outerjoinpath, join->innerjoinpath);
	return added + lookup_cost_added(root, join->innerjoinpath);
}

bool
lookup_cost_is_uncertain(Path *path)
{
	const JoinPath *join = (const JoinPath *) path;
	Path	   *input = path_cost_input(path);

	if (input != NULL)
		return lookup_cost_is_uncertain(input);
	if (!path_cost_is_join(path))
		return false;
	/* Of two tables, the rows are known better. */
	if (IsA(path, NestPath) && PATH_REQ_OUTER(join->innerjoinpath) == NULL &&
		(IS_JOIN_REL(join->outerjoinpath->parent) || IS_JOIN_REL(join->innerjoinpath->parent)))
		return true;
	return lookup_cost_is_uncertain(join->outerjoinpath) || lookup_cost_is_uncertain(join->innerjoinpath);
}
