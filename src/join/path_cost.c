#include "join/path_cost.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "join/keys.h"
#include "join/worth.h"
#include "scan/path.h"

/*
 * In the planner's units.
 *
 * A key of a filter that is made, and a probe of it, as numbers of operators. A row that a filter rejects, as a fraction of
 * what the planner charges for a row: in the scan, besides the conditions that are not evaluated for it; and in the first
 * join above, if its hash table is larger than the CPU's own cache. The planner charges for a lookup there no more than in a
 * small one.
 */
#define KEY_OPERATORS			4.0
#define PROBE_OPERATORS			2.0
#define SCAN_ROW				0.75
#define JOIN_ROW				1.0
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

/*
 * Columns.
 */

static bool
are_of(List *keys, const Path *path)
{
	ListCell   *cell;

	foreach(cell, keys)
		if (!bms_is_member((int) castNode(Var, ((JoinKey *) lfirst(cell))->value)->varno, path->parent->relids))
			return false;
	return keys != NIL;
}

/* The columns of the other input that a join compares the keys with; NIL if it does not. */
static List *
compared_with(JoinPath *join, List *keys, const Path *other)
{
	List	   *clauses = IsA(join, HashPath) ? ((HashPath *) join)->path_hashclauses :
		IsA(join, MergePath) ? ((MergePath *) join)->path_mergeclauses : NIL;
	List	   *others = join_keys_compared(clauses, keys);

	return are_of(others, other) ? others : NIL;
}

/* The columns of a join's inputs that are probed with a filter of some of its columns. The rules are those of push.c. */
static void
keys_below_join(JoinPath *join, List *keys, List **outer, List **inner)
{
	JoinType	type = join->jointype;

	*outer = *inner = NIL;
	if (are_of(keys, join->outerjoinpath) && join_outer_can_lose_rows(type))
	{
		*outer = keys;
		if (join_inner_is_needed(type))
			*inner = compared_with(join, keys, join->innerjoinpath);
	}
	else if (are_of(keys, join->innerjoinpath) && join_inner_can_lose_rows(type))
	{
		*inner = keys;
		if (join_outer_is_needed(type))
			*outer = compared_with(join, keys, join->outerjoinpath);
	}
}

/* The columns of a subquery's own tables; NIL if they are not columns there. */
static List *
keys_in_subquery(Path *path, List *keys)
{
	PlannerInfo *root = path->parent->subroot;
	List	   *inside = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		TargetEntry *entry = root != NULL ? get_tle_by_resno(root->processed_tlist, castNode(Var, key->value)->varattno) : NULL;
		JoinKey    *column = entry != NULL ? join_key_of_column((Node *) entry->expr, key) : NULL;

		if (column == NULL)
			return NIL;
		inside = lappend(inside, column);
	}
	return inside;
}

/* The clauses by which a path groups the rows of its input; NIL if it does not, or not all of them by the same ones. */
static List *
grouping_of(PlannerInfo *root, Path *path)
{
	switch (nodeTag(path))
	{
		case T_AggPath:
			return root->parse->groupingSets != NIL ? NIL : ((AggPath *) path)->groupClause;
		case T_GroupPath:
			return ((GroupPath *) path)->groupClause;
		case T_UpperUniquePath:
			return IS_UPPER_REL(path->parent) ? root->parse->distinctClause : NIL;
		case T_WindowAggPath:
			return ((WindowAggPath *) path)->winclause->partitionClause;
		default:
			return NIL;
	}
}

static bool
is_grouped(const PathTarget *input, List *grouping, const JoinKey *key)
{
	ListCell   *cell;

	foreach(cell, input->exprs)
	{
		Index		reference = input->sortgrouprefs[foreach_current_index(cell)];
		const SortGroupClause *clause = reference != 0 ? get_sortgroupref_clause_noerr(reference, grouping) : NULL;

		if (clause != NULL && IsA(lfirst(cell), Var) && ((Var *) lfirst(cell))->varno == castNode(Var, key->value)->varno &&
			((Var *) lfirst(cell))->varattno == castNode(Var, key->value)->varattno &&
			join_key_is_grouped(key, clause->eqop, exprCollation(lfirst(cell))))
			return true;
	}
	return false;
}

/* The input of a path that groups its rows by the keys, perhaps among others; or null. */
static Path *
grouped_input(PlannerInfo *root, Path *path, List *keys)
{
	List	   *grouping = grouping_of(root, path);
	Path	   *input = grouping != NIL ? ((AggPath *) path)->subpath : NULL;
	ListCell   *cell;

	if (input == NULL || input->pathtarget->sortgrouprefs == NULL)
		return NULL;
	foreach(cell, keys)
		if (!is_grouped(input->pathtarget, grouping, lfirst(cell)))
			return NULL;
	return input;
}

/*
 * Paths.
 */

/* Partitions are regarded as one table. */
static bool
is_table_scan(Path *path)
{
	ListCell   *cell;

	if (path->parent->reloptkind == RELOPT_JOINREL || path->parent->rtekind != RTE_RELATION)
		return false;
	if (IsA(path, AppendPath))
	{
		foreach(cell, ((AppendPath *) path)->subpaths)
			if (!is_table_scan(lfirst(cell)))
				return false;
		return ((AppendPath *) path)->subpaths != NIL;
	}
	return (IsA(path, Path) && path->pathtype == T_SeqScan) || filter_scan_is_path(path);
}

static bool
is_join(Path *path)
{
	return IsA(path, HashPath) || IsA(path, MergePath) || IsA(path, NestPath);
}

/* The input of a node that passes rows on, or whole groups of rows with the same keys; or null. */
static Path *
input_of(PlannerInfo *root, Path *path, List *keys)
{
	switch (nodeTag(path))
	{
		case T_ProjectionPath:
			return ((ProjectionPath *) path)->subpath;
		case T_MaterialPath:
			return ((MaterialPath *) path)->subpath;
		case T_SortPath:
		case T_IncrementalSortPath:
			return ((SortPath *) path)->subpath;
		case T_AggPath:
		case T_GroupPath:
		case T_UpperUniquePath:
		case T_WindowAggPath:
			return grouped_input(root, path, keys);
		case T_CustomPath:
			return filter_path_of(path) != NULL ? linitial(((CustomPath *) path)->custom_paths) : NULL;
		default:
			return NULL;
	}
}

/* The rows that a table scan reads, in one process. */
static double
scanned_rows(Path *path)
{
	double		rows = 0;
	ListCell   *cell;

	if (IsA(path, AppendPath))
	{
		foreach(cell, ((AppendPath *) path)->subpaths)
			rows += scanned_rows(lfirst(cell));
		return rows;
	}
	/* A parallel scan's rows are those of one process. */
	return path->parent->rows > 0 ? path->parent->tuples * Min(path->rows / path->parent->rows, 1) : path->rows;
}

/* Whether a node reads all rows of its input before it returns one. */
static bool
reads_input_first(const Path *path)
{
	return IsA(path, SortPath) || (IsA(path, AggPath) && ((const AggPath *) path)->aggstrategy != AGG_SORTED);
}

double
path_cost_probes(PlannerInfo *root, Path *path, List *keys, bool at_once)
{
	Path	   *input;

	if (is_table_scan(path))
		return are_of(keys, path) ? scanned_rows(path) : 0;
	if (IsA(path, SubqueryScanPath))
	{
		List	   *inside = are_of(keys, path) ? keys_in_subquery(path, keys) : NIL;

		return inside != NIL ? path_cost_probes(path->parent->subroot, ((SubqueryScanPath *) path)->subpath, inside, at_once) : 0;
	}
	if (is_join(path))
	{
		JoinPath   *join = (JoinPath *) path;
		List	   *outer,
				   *inner;

		keys_below_join(join, keys, &outer, &inner);
		return (outer != NIL ? path_cost_probes(root, join->outerjoinpath, outer, at_once) : 0) +
			(inner != NIL && !(at_once && IsA(join, HashPath)) ? path_cost_probes(root, join->innerjoinpath, inner, at_once) : 0);
	}
	if (at_once && reads_input_first(path))
		return 0;
	input = input_of(root, path, keys);
	return input != NULL ? path_cost_probes(root, input, keys, at_once) : 0;
}

/*
 * Costs.
 */

static List *
add_filter(List *filters, List *keys, double passing)
{
	PathFilter *filter = palloc(sizeof(PathFilter));

	filter->keys = keys;
	filter->passing = passing;
	return lappend(filters, filter);
}

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

static Effect
effect_on_scan(Path *path, List *filters)
{
	double		rows = scanned_rows(path);
	double		passing = passing_all(filters);
	Cost		row = SCAN_ROW * cpu_tuple_cost + path->parent->baserestrictcost.per_tuple;
	/* Keys that cost more than the conditions are hashed only for the rows that meet these. */
	Cost		hashing = hash_operators(filters) * cpu_operator_cost *
		(path->parent->baserestrictcost.per_tuple > 0 ? Min(path->rows, rows) : rows);
	/* Only the rows that the best filter has passed are probed with the others. */
	double		probes = rows * (1 + (list_length(filters) - 1) * passing);
	Effect		effect = {.startup = path->startup_cost, .passing = passing, .rejected = path->rows * (1 - passing)};

	effect.total = path->total_cost + probes * PROBE_OPERATORS * cpu_operator_cost + hashing - rows * (1 - passing) * row;
	effect.pages = Max(path->total_cost - rows * (row + (1 - SCAN_ROW) * cpu_tuple_cost), 0);
	return effect;
}

/* The cost of the outer side of a hash join without that of looking up rows that do not come. */
static Cost
without_lookups(const Effect *outer, const Path *hashed)
{
	double		bytes = hashed->rows * (hashed->pathtarget->width + 24);

	if (bytes <= CACHED_HASH_TABLE_BYTES)
		return outer->total;
	return Max(outer->total - outer->rejected * JOIN_ROW * cpu_tuple_cost, Min(outer->pages, outer->total));
}

/* The cost of a join without its inputs, and without filters. */
static Cost
own_cost(JoinPath *join)
{
	FilterPath *outer = filter_path_of(join->outerjoinpath);
	FilterPath *inner = filter_path_of(join->innerjoinpath);

	if (outer != NULL || inner != NULL)
		return (outer != NULL ? outer : inner)->own_cost;
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
	List	   *outer_filters = NIL;
	List	   *inner_filters = NIL;
	Cost		own = own_cost(join);
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
		List	   *below_outer,
				   *below_inner;

		keys_below_join(join, filter->keys, &below_outer, &below_inner);
		if (below_outer != NIL)
			outer_filters = add_filter(outer_filters, below_outer, filter->passing);
		if (below_inner != NIL)
			inner_filters = add_filter(inner_filters, below_inner, filter->passing);
	}
	if (of_inner != NULL)
		outer_filters = lappend(outer_filters, &of_inner->filter);
	if (of_outer != NULL)
		inner_filters = lappend(inner_filters, &of_outer->filter);
	on_outer = effect_on(root, outer, outer_filters);
	if (IsA(join, NestPath))
	{
		Cost		lookups_left = own * on_outer.passing;

		/* The inner side runs for each row of the outer side. Of fewer rows, fewer have the same key: regard none. */
		if (IsA(inner, MemoizePath))
			lookups_left = Min(own, outer->rows * on_outer.passing * ((MemoizePath *) inner)->subpath->total_cost);
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
	cost_qual_eval(&compare, ((HashPath *) join)->path_hashclauses, root);
	lookups = Min((hash + 0.5 * compare.per_tuple) * outer->rows, own - build);
	effect.total += build * on_inner.passing + lookups * on_outer.passing + (own - build - lookups) * effect.passing;
	if (of_outer != NULL || of_inner != NULL)
		effect.total += KEY_OPERATORS * cpu_operator_cost *
			(of_outer != NULL ? outer->rows * on_outer.passing : inner->rows * on_inner.passing);
	/* A filter of the outer side is made before the inner side is scanned. */
	effect.startup = on_inner.total + build * on_inner.passing + (of_outer != NULL ? on_outer.total : on_outer.startup);
	effect.startup = Min(effect.startup, effect.total);
	return effect;
}

static Effect
effect_on_subquery(Path *path, List *filters)
{
	Path	   *subpath = ((SubqueryScanPath *) path)->subpath;
	List	   *inside = NIL;
	Effect		effect;
	ListCell   *cell;

	foreach(cell, filters)
	{
		PathFilter *filter = lfirst(cell);

		inside = add_filter(inside, keys_in_subquery(path, filter->keys), filter->passing);
	}
	effect = effect_on(path->parent->subroot, subpath, inside);
	effect.startup += path->startup_cost - subpath->startup_cost;
	effect.total += (path->total_cost - subpath->total_cost) * effect.passing;
	return effect;
}

/* The costs of a path under filters from above. Its own costs are those under the filters of its joins. */
static Effect
effect_on(PlannerInfo *root, Path *path, List *filters)
{
	Effect		effect = {.startup = path->startup_cost, .total = path->total_cost, .passing = 1};
	List	   *probed = NIL;
	Path	   *input;
	ListCell   *cell;

	foreach(cell, filters)
		if (path_cost_probes(root, path, ((PathFilter *) lfirst(cell))->keys, false) > 0)
			probed = lappend(probed, lfirst(cell));
	if (probed == NIL)
		return effect;
	if (is_table_scan(path))
		return effect_on_scan(path, probed);
	if (is_join(path))
		return effect_on_join(root, (JoinPath *) path, probed);
	if (IsA(path, SubqueryScanPath))
		return effect_on_subquery(path, probed);
	input = input_of(root, path, ((PathFilter *) linitial(probed))->keys);
	if (input == NULL)
		return effect;
	effect = effect_on(root, input, probed);
	effect.total += (path->total_cost - input->total_cost) * effect.passing;
	/* Some nodes read all of their input before they return a row. */
	effect.startup = path->startup_cost >= input->total_cost ? effect.total :
		effect.startup + path->startup_cost - input->startup_cost;
	return effect;
}

void
path_cost_set(PlannerInfo *root, HashPath *path)
{
	FilterPath *outer = filter_path_of(path->jpath.outerjoinpath);
	FilterPath *inner = filter_path_of(path->jpath.innerjoinpath);
	Path	   *join = &path->jpath.path;
	Effect		effect;

	(outer != NULL ? outer : inner)->own_cost =
		Max(join->total_cost - path->jpath.outerjoinpath->total_cost - path->jpath.innerjoinpath->total_cost, 0);
	effect = effect_on_join(root, &path->jpath, NIL);
	join->total_cost = Max(effect.total, 0);
	join->startup_cost = Max(effect.startup, 0);
}
