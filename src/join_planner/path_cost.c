/*
 * What a path costs if its scans probe filters of joins above it.
 *
 * Each filter is probed in scans, and the rows that it rejects take no part in what is between these scans and the join. So
 * the cost is that of the whole tree below, under all filters at once: what one of them saves depends on the others.
 */
#include "join_planner/path_cost.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"

#include "join_planner/lookup_cost.h"
#include "join_planner/path_probes.h"
#include "scan_planner/path.h"

/*
 * In the planner's units.
 *
 * A key of a filter that is made, and a probe of it, as numbers of operators. A row that a filter rejects, as a fraction of
 * what the planner charges for a row: in the scan, besides the conditions that are not evaluated for it; and in the first
 * join above, for which the planner charges next to nothing: more if the hash table is larger than the CPU's own cache.
 */
#define KEY_OPERATORS			4.0
#define PROBE_OPERATORS			2.0
#define SCAN_ROW				0.75
#define JOIN_ROW				1.0
#define CACHED_JOIN_ROW			0.5
#define CACHED_HASH_TABLE_BYTES	1e6

typedef struct Effect
{
	Cost		startup;		/* under the filters */
	Cost		total;
	Cost		pages;			/* what is left of the total cost if all rows are rejected */
	double		passing;		/* the fraction of rows that remain */
	double		rejected;		/* rows that are missing in the first join above */
} Effect;

static Effect effect_on(PlannerInfo *root, Path *path, List *filters);

static double
passing_all(List *filters)
{
	double		passing = 1;
	ListCell   *cell;

	foreach(cell, filters)
		passing *= ((PathFilter *) lfirst(cell))->passing;
	return passing;
}

static double
hash_operators(List *filters)
{
	double		operators = 0;
	ListCell   *cell;

	foreach(cell, filters)
		operators += join_keys_hash_operators(((PathFilter *) lfirst(cell))->keys);
	return operators;
}

/* What a table scan costs besides its rows. */
static Cost
pages_cost(Path *scan)
{
	return Max(scan->total_cost - path_scanned_rows(scan) * (cpu_tuple_cost + scan->parent->baserestrictcost.per_tuple), 0);
}

static Effect
effect_on_scan(Path *path, List *filters)
{
	double		rows = path_scanned_rows(path);
	double		passing = passing_all(filters);
	Cost		row = SCAN_ROW * cpu_tuple_cost + path->parent->baserestrictcost.per_tuple;
	/* Keys that cost more than the conditions are hashed only for the rows that meet these. */
	Cost		hashing = hash_operators(filters) * cpu_operator_cost *
		(path->parent->baserestrictcost.per_tuple > 0 ? Min(path->rows, rows) : rows);
	/* Only the rows that the best filter has passed are probed with the others. */
	double		probes = rows * (1 + (list_length(filters) - 1) * passing);
	Effect		effect = {.startup = path->startup_cost, .passing = passing, .rejected = path->rows * (1 - passing)};

	effect.total = path->total_cost + probes * PROBE_OPERATORS * cpu_operator_cost + hashing - rows * (1 - passing) * row;
	effect.pages = pages_cost(path);
	return effect;
}

/* The cost of the outer side of a hash join without that of looking up rows that do not come. */
static Cost
without_lookups(const Effect *outer, const Path *hashed)
{
	double		bytes = hashed->rows * (hashed->pathtarget->width + 24);
	Cost		row = (bytes > CACHED_HASH_TABLE_BYTES ? JOIN_ROW : CACHED_JOIN_ROW) * cpu_tuple_cost;

	return Max(outer->total - outer->rejected * row, Min(outer->pages, outer->total));
}

/* The cost of a join without its inputs, if it has been computed without filters. */
static Cost
own_cost(const JoinPath *join)
{
	return Max(join->path.total_cost - join->outerjoinpath->total_cost -
			   (IsA(join, NestPath) ? 0 : join->innerjoinpath->total_cost), 0);
}

/*
 * The cost of a join's own conditions and output is that of the rows that it returns. Its own filter saves nothing of it.
 */
static Effect
effect_on_join(PlannerInfo *root, JoinPath *join, List *filters)
{
	Path	   *outer = join->outerjoinpath;
	Path	   *inner = join->innerjoinpath;
	FilterPath *of_outer = filter_path_of(outer);
	FilterPath *of_inner = filter_path_of(inner);
	FilterPath *made = of_outer != NULL ? of_outer : of_inner;
	List	   *outer_filters = NIL;
	List	   *inner_filters = NIL;
	Cost		own = made != NULL ? made->own_cost : own_cost(join);
	QualCost	compare;
	Cost		hash;
	Cost		build;
	Cost		lookups;
	Effect		on_outer,
				on_inner,
				effect = {.passing = passing_all(filters)};
	ListCell   *cell;

	foreach(cell, filters)
	{
		PathFilter *filter = lfirst(cell);
		List	  **probed = path_probed_input(join, filter->keys) == outer ? &outer_filters : &inner_filters;

		*probed = lappend(*probed, filter);
	}
	if (of_inner != NULL)
		outer_filters = lappend(outer_filters, &of_inner->filter);
	if (of_outer != NULL)
		inner_filters = lappend(inner_filters, &of_outer->filter);
	on_outer = effect_on(root, outer, outer_filters);
	if (IsA(join, NestPath))
	{
		double		loops = outer->rows * on_outer.passing;
		Cost		lookup = lookup_cost_in_loops(root, inner, loops);
		/* The inner side runs for each row of the outer side. Of fewer rows, fewer have the same page, or key: regard none. */
		Cost		lookups_left = lookup >= 0 ? Min(own, loops * lookup) : own * on_outer.passing;

		effect.startup = on_outer.startup + Max(join->path.startup_cost - outer->startup_cost, 0);
		effect.total = on_outer.total + lookups_left;
		return effect;
	}
	on_inner = effect_on(root, inner, inner_filters);
	on_outer.total = without_lookups(&on_outer, inner);
	effect.total = on_outer.total + on_inner.total;
	if (IsA(join, MergePath))
	{
		effect.total += own * effect.passing;
		effect.startup = Min(join->path.startup_cost, effect.total);
		return effect;
	}
	hash = cpu_operator_cost * list_length(((HashPath *) join)->path_hashclauses);
	build = Min((hash + cpu_tuple_cost) * inner->rows, own);
	/* As the planner charges them: a row is hashed, and compared with half of a bucket of a row or more. */
	cost_qual_eval(&compare, ((HashPath *) join)->path_hashclauses, NULL);
	lookups = Min((hash + 0.5 * compare.per_tuple) * outer->rows, own - build);
	effect.total += build * on_inner.passing + lookups * on_outer.passing + (own - build - lookups) * effect.passing;
	if (made != NULL)
		effect.total += KEY_OPERATORS * cpu_operator_cost *
			(of_outer != NULL ? outer->rows * on_outer.passing : inner->rows * on_inner.passing);
	/* A filter of the outer side is made before the inner side is scanned. */
	effect.startup = on_inner.total + build * on_inner.passing + (of_outer != NULL ? on_outer.total : on_outer.startup);
	effect.startup = Min(effect.startup, effect.total);
	return effect;
}

/* A filter with keys of what is below. */
static PathFilter *
filter_with_keys(const PathFilter *filter, List *keys)
{
	PathFilter *below = palloc(sizeof(PathFilter));

	*below = *filter;
	below->keys = keys;
	return below;
}

/* The filters in terms of a path's only input, which is set, and for which root is set. */
static List *
filters_below(PlannerInfo **root, Path *path, List *filters, Path **input)
{
	PlannerInfo *query = *root;
	List	   *below = NIL;
	ListCell   *cell;

	foreach(cell, filters)
	{
		List	   *keys = ((const PathFilter *) lfirst(cell))->keys;

		*root = query;
		*input = path_passed_input(root, path, &keys);
		below = lappend(below, filter_with_keys(lfirst(cell), keys));
	}
	return below;
}

static Effect
effect_on_arms(PlannerInfo *root, AppendPath *path, List *filters)
{
	Effect		effect = {.startup = path->path.startup_cost, .total = path->path.total_cost, .passing = passing_all(filters)};
	ListCell   *cell,
			   *arm;

	foreach(arm, path->subpaths)
	{
		List	   *of_arm = NIL;
		Effect		on_arm;

		foreach(cell, filters)
			of_arm = lappend(of_arm, filter_with_keys(lfirst(cell), path_keys_of_arm(root, lfirst(arm), ((PathFilter *) lfirst(cell))->keys)));
		on_arm = effect_on(root, lfirst(arm), of_arm);
		effect.total += on_arm.total - ((Path *) lfirst(arm))->total_cost;
		effect.pages += on_arm.pages;
		effect.rejected += on_arm.rejected;
	}
	return effect;
}

/*
 * The costs of a path under filters from above, each of which is probed by a scan below it. Its own costs are those under the
 * filters of its joins.
 */
static Effect
effect_on(PlannerInfo *root, Path *path, List *filters)
{
	Effect		effect = {.startup = path->startup_cost, .total = path->total_cost, .passing = 1};
	Path	   *input = NULL;
	Cost		fixed;

	if (filters == NIL)
		return effect;
	if (path_scans_table(path))
		return effect_on_scan(path, filters);
	if (path_is_join(path))
		return effect_on_join(root, (JoinPath *) path, filters);
	if (IsA(path, AppendPath))
		return effect_on_arms(root, (AppendPath *) path, filters);
	filters = filters_below(&root, path, filters, &input);
	effect = effect_on(root, input, filters);
	/* Starting workers takes as long for fewer rows. */
	fixed = IsA(path, GatherPath) || IsA(path, GatherMergePath) ? parallel_setup_cost : 0;
	effect.total += fixed + (path->total_cost - input->total_cost - fixed) * effect.passing;
	effect.rejected = effect.rejected > 0 ? path->rows * (1 - effect.passing) : 0;
	/* Some nodes read all of their input before they return a row. */
	effect.startup = path->startup_cost - fixed >= input->total_cost ? effect.total :
		effect.startup + path->startup_cost - input->startup_cost;
	return effect;
}

void
path_cost_set(PlannerInfo *root, HashPath *path, FilterPath *own)
{
	Path	   *join = &path->jpath.path;
	Effect		effect;

	own->own_cost = own_cost(&path->jpath);
	effect = effect_on_join(root, &path->jpath, NIL);
	join->total_cost = Max(effect.total, 0);
	join->startup_cost = Max(effect.startup, 0);
}
