/*
 * A filter is probed in scans, and the rows that it rejects take no part in what is between these scans and the join. The cost is
 * therefore computed for the whole tree below, under all filters at once: what one of them saves depends on the others.
 */
#include "join_planner/path_cost.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"

#include "prices.h"
#include "join_planner/lookup_cost.h"
#include "join_planner/path_probes.h"
#include "scan_planner/path.h"

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
	return Max(scan->total_cost - path_scanned_rows(scan, false) * (cpu_tuple_cost + scan->parent->baserestrictcost.per_tuple), 0);
}

static Effect
effect_on_scan(Path *path, List *filters)
{
	double		rows = path_scanned_rows(path, false);
	double		passing = passing_all(filters);
	Cost		row = (1 - PRICE_REJECTED_ROW) * cpu_tuple_cost + path->parent->baserestrictcost.per_tuple;
	/* Keys that are expensive to hash are hashed only for the rows that meet the scan's own conditions. */
	Cost		hashing = hash_operators(filters) * cpu_operator_cost *
		(path->parent->baserestrictcost.per_tuple > 0 ? Min(path->rows, rows) : rows);
	/* Only the rows that the best filter has passed are probed with the others. */
	double		probes = rows * (1 + (list_length(filters) - 1) * passing);
	Effect		effect = {.startup = path->startup_cost, .passing = passing, .rejected = path->rows * (1 - passing)};

	effect.total = path->total_cost + probes * PRICE_RUNTIME_PROBE * cpu_operator_cost + hashing - rows * (1 - passing) * row;
	effect.pages = pages_cost(path);
	return effect;
}

/* The cost of the outer side of a hash join, less the lookups of the rows that filters reject. */
static Cost
without_lookups(const Effect *outer, const Path *hashed)
{
	double		bytes = hashed->rows * (hashed->pathtarget->width + 24);
	Cost		row = (bytes > CACHED_HASH_TABLE_BYTES ? PRICE_LOOKUP : PRICE_LOOKUP_CACHED) * cpu_tuple_cost;

	return Max(outer->total - outer->rejected * row, Min(outer->pages, outer->total));
}

/* The cost of a join without its inputs, if it has been costed without filters. */
static Cost
cost_without_inputs(const JoinPath *join)
{
	return Max(join->path.total_cost - join->outerjoinpath->total_cost -
			   (IsA(join, NestPath) ? 0 : join->innerjoinpath->total_cost), 0);
}

/* The filters that scans below the sides of a join probe: those from above, and the join's own. */
typedef struct SideFilters
{
	List	   *outer;
	List	   *inner;
} SideFilters;

static SideFilters
divide_filters(const JoinPath *join, List *filters)
{
	FilterPath *of_outer = filter_path_of(join->outerjoinpath);
	FilterPath *of_inner = filter_path_of(join->innerjoinpath);
	SideFilters sides = {.outer = NIL};
	ListCell   *cell;

	foreach(cell, filters)
	{
		PathFilter *filter = lfirst(cell);

		if (path_probed_input(join, filter->keys) == join->outerjoinpath)
			sides.outer = lappend(sides.outer, filter);
		else
			sides.inner = lappend(sides.inner, filter);
	}
	if (of_inner != NULL)
		sides.outer = lappend(sides.outer, &of_inner->filter);
	if (of_outer != NULL)
		sides.inner = lappend(sides.inner, &of_outer->filter);
	return sides;
}

/* The inner side runs for each row of the outer side. Fewer rows may still need each page, or each key that Memoize keeps. */
static Effect
effect_on_nested_loop(PlannerInfo *root, JoinPath *join, List *filters)
{
	Path	   *outer = join->outerjoinpath;
	Effect		effect = effect_on(root, outer, divide_filters(join, filters).outer);
	double		loops = outer->rows * effect.passing;
	Cost		lookup = lookup_cost_in_loops(root, join->innerjoinpath, loops);
	Cost		own = cost_without_inputs(join);

	effect.startup += Max(join->path.startup_cost - outer->startup_cost, 0);
	effect.total += lookup >= 0 ? Min(own, loops * lookup) : own * effect.passing;
	return (Effect) {.startup = effect.startup,.total = effect.total,.passing = passing_all(filters)};
}

static Effect
effect_on_merge_join(PlannerInfo *root, JoinPath *join, List *filters)
{
	SideFilters sides = divide_filters(join, filters);
	Effect		outer = effect_on(root, join->outerjoinpath, sides.outer);
	Effect		inner = effect_on(root, join->innerjoinpath, sides.inner);
	Effect		effect = {.passing = passing_all(filters)};

	effect.total = without_lookups(&outer, join->innerjoinpath) + inner.total + cost_without_inputs(join) * effect.passing;
	effect.startup = Min(join->path.startup_cost, effect.total);
	return effect;
}

/*
 * The planner charges for hashing each inner row, and for hashing each outer row and comparing it with half of a bucket of at
 * least one row. The rest of the join's cost is for the rows that it returns, of which its own filter saves nothing.
 */
static Effect
effect_on_hash_join(PlannerInfo *root, HashPath *path, List *filters)
{
	JoinPath   *join = &path->jpath;
	const FilterPath *of_outer = filter_path_of(join->outerjoinpath);
	const FilterPath *made = of_outer != NULL ? of_outer : filter_path_of(join->innerjoinpath);
	SideFilters sides = divide_filters(join, filters);
	Effect		outer = effect_on(root, join->outerjoinpath, sides.outer);
	Effect		inner = effect_on(root, join->innerjoinpath, sides.inner);
	Effect		effect = {.passing = passing_all(filters)};
	double		outer_rows = join->outerjoinpath->rows;
	double		inner_rows = join->innerjoinpath->rows;
	Cost		own = made != NULL ? made->own_cost : cost_without_inputs(join);
	Cost		hash = cpu_operator_cost * list_length(path->path_hashclauses);
	Cost		build = Min((hash + cpu_tuple_cost) * inner_rows, own);
	Cost		outer_total = without_lookups(&outer, join->innerjoinpath);
	QualCost	compare;
	Cost		lookups;

	cost_qual_eval(&compare, path->path_hashclauses, NULL);
	lookups = Min((hash + 0.5 * compare.per_tuple) * outer_rows, own - build);
	effect.total = outer_total + inner.total + build * inner.passing + lookups * outer.passing +
		(own - build - lookups) * effect.passing;
	if (made != NULL)
		effect.total += PRICE_KEY * cpu_operator_cost * (of_outer != NULL ? outer_rows * outer.passing : inner_rows * inner.passing);
	/* A filter of the outer side is made before the inner side is scanned. */
	effect.startup = inner.total + build * inner.passing + (of_outer != NULL ? outer_total : outer.startup);
	effect.startup = Min(effect.startup, effect.total);
	return effect;
}

/* Copy a filter, with keys in terms of a path below. */
static PathFilter *
filter_with_keys(const PathFilter *filter, List *keys)
{
	PathFilter *below = palloc(sizeof(PathFilter));

	*below = *filter;
	below->keys = keys;
	return below;
}

/* Copy the filters, with keys in terms of a path's only input. Sets the input, and root to the query that it is planned for. */
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
 * Compute the costs of a path under filters from above, each of which a scan below it probes. The path's present costs are those
 * under the filters of its own joins.
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
	switch (nodeTag(path))
	{
		case T_NestPath:
			return effect_on_nested_loop(root, (JoinPath *) path, filters);
		case T_MergePath:
			return effect_on_merge_join(root, (JoinPath *) path, filters);
		case T_HashPath:
			return effect_on_hash_join(root, (HashPath *) path, filters);
		case T_AppendPath:
			return effect_on_arms(root, (AppendPath *) path, filters);
		default:
			break;
	}
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
	Effect		effect;

	own->own_cost = cost_without_inputs(&path->jpath);
	effect = effect_on_hash_join(root, path, NIL);
	path->jpath.path.total_cost = Max(effect.total, 0);
	path->jpath.path.startup_cost = Max(effect.startup, 0);
}
