/*
 * PostgreSQL builds joins up from their inputs, and keeps only the cheapest paths of each. It would drop a join that is cheap
 * only because of a filter from above, which is not known yet. PostgreSQL's search is therefore left alone, and only notes which
 * relations it joins. Afterwards, if the plan that it found is not cheap, the same relations are joined once more in the same
 * order. Each one then has up to three paths: PostgreSQL's, the best one of sequential scans and hash joins, which are open to
 * filters from above, and the best one that has a filter.
 */
#include "join_planner/paths.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"

#include "compat.h"
#include "join_planner/keys.h"
#include "join_planner/lookup_cost.h"
#include "join_planner/open_path.h"
#include "join_planner/path_cost.h"
#include "join_planner/path_probes.h"
#include "join_planner/query.h"
#include "join_planner/rules.h"
#include "plan_nodes/settings.h"

/*
 * A filter is assumed to pass this fraction of the rows without a match. This is more than it does, so that of two plans that
 * cost the same, the one that joins earlier is chosen.
 */
#define FALSE_POSITIVES	0.02

/* The best paths of a relation, if there are any. The paths of joins are not in its pathlist. */
typedef struct BestPaths
{
	CostedPath	cheapest;		/* PostgreSQL's */
	CostedPath	open;			/* of scans of whole tables, and hash joins of such paths */
	CostedPath	filtered;		/* with a filter */
} BestPaths;

typedef struct RelationPaths
{
	RelOptInfo *rel;			/* the key */
	bool		has_large_table;
	BestPaths	best[2];		/* of whole and partial paths */
} RelationPaths;

JoinPathsRun *join_paths_run = NULL;

/* Two relations that PostgreSQL joins, as it noted them. A hint may turn these settings off for some joins only. */
typedef struct NotedJoin
{
	RelOptInfo *joined;
	RelOptInfo *outer;
	RelOptInfo *inner;
	JoinType	type;
	bool		may_hash;		/* join_may_hash() */
	bool		may_loop;		/* join_may_loop() */
	JoinPathExtraData extra;
	SpecialJoinInfo special;	/* to which `extra` points */
} NotedJoin;

/* A noted join while its relations are joined once more. */
typedef struct JoinOffer
{
	PlannerInfo *root;
	RelationPaths *joined;
	RelationPaths *outer;
	RelationPaths *inner;
	JoinType	type;
	JoinPathExtraData *extra;
	List	   *clauses;		/* by which rows can be hashed */
	List	   *of_outer;		/* filters that a join could make of this side: of PathFilter, the better ones first */
	List	   *of_inner;
} JoinOffer;

/*
 * Estimate the fraction of rows of one side that have a match for a clause, by the number of matches that a row is expected to
 * have. For a foreign key, this is the fraction of the rows with the primary key that the other side has.
 */
static double
clause_match_fraction(PlannerInfo *root, RestrictInfo *clause, const RelOptInfo *probe, const RelOptInfo *build)
{
	SpecialJoinInfo join = {.type = T_SpecialJoinInfo, .jointype = JOIN_INNER};

	join.min_lefthand = join.syn_lefthand = probe->relids;
	join.min_righthand = join.syn_righthand = build->relids;
	return Min(clause_selectivity(root, (Node *) clause, 0, JOIN_INNER, &join) * build->rows, 1);
}

/*
 * Estimate the fraction of rows of one side that have a match for several clauses, given by their indexes. The product of their
 * selectivities can be far too small: for a foreign key of several columns, the planner's estimate of the join's rows is better.
 */
static double
match_fraction(const JoinOffer *offer, List *clauses, bool probes_outer)
{
	const RelOptInfo *probe = (probes_outer ? offer->outer : offer->inner)->rel;
	const RelOptInfo *build = (probes_outer ? offer->inner : offer->outer)->rel;
	double		fraction = 1;
	double		joined = -1;
	ListCell   *cell;

	foreach(cell, clauses)
	{
		double		matching = clause_match_fraction(offer->root, list_nth(offer->clauses, lfirst_int(cell)), probe, build);

		fraction = Min(fraction, matching);
	}
	if (list_length(clauses) == list_length(offer->extra->restrictlist) && (offer->type == JOIN_INNER || probes_outer))
		joined = join_match_fraction(offer->type, list_length(clauses) > 1, offer->joined->rel->rows, probe->rows);
	return joined >= 0 ? Min(fraction, joined) : fraction;
}

/* Whether any scan of a query's relations may read enough rows to probe a filter, and costs at most `most`. */
static bool
has_large_table(PlannerInfo *root, Relids relids, Cost most)
{
	for (int i = -1; (i = bms_next_member(relids, i)) >= 0;)
	{
		const RelOptInfo *table = root->simple_rel_array[i];

		if (table == NULL)
			continue;
		if (table->subroot != NULL ? has_large_table(table->subroot, table->subroot->all_baserels, most) :
			table->tuples >= runtime_filter_min_rows && table->pages * seq_page_cost <= most)
			return true;
		/* The planner does not add up the rows and pages of partitions. */
		if (root->simple_rte_array[i]->inh)
			return true;
	}
	return false;
}

/* Add the filter of some keys, if they can be probed, and enough rows have no match. */
static List *
add_candidate(List *candidates, const JoinOffer *offer, const BothKeys *keys, bool probes_outer)
{
	PathFilter *filter;
	double		passing;

	if (join_keys_varno(keys->probe) == 0)
		return candidates;
	passing = match_fraction(offer, keys->clauses, probes_outer);
	/* If more rows pass, scans bypass the filter. plan.c may still add a cheap one to the chosen plan, in case fewer do. */
	if (passing > runtime_filter_max_match_fraction)
		return candidates;
	filter = palloc(sizeof(PathFilter));
	*filter = (PathFilter) {.keys = keys->probe,.clauses = keys->clauses,.passing = passing + (1 - passing) * FALSE_POSITIVES};
	return lappend(candidates, filter);
}

/* List the filters that one side of a join could probe. */
static List *
find_candidates(const JoinOffer *offer, bool probes_outer)
{
	List	   *candidates = NIL;
	BothKeys	keys;
	ListCell   *cell;

	if (!(probes_outer ? offer->outer : offer->inner)->has_large_table)
		return NIL;
	keys = join_keys_of_path(offer->root, &join_paths_run->keys, offer->clauses, probes_outer);
	foreach(cell, join_keys_tried(&keys))
		candidates = add_candidate(candidates, offer, lfirst(cell), probes_outer);
	return candidates;
}

/* The first filter that is worth making for a join of two paths; or null. */
static PathFilter *
choose_filter(const JoinOffer *offer, Path *outer, Path *inner, bool probes_outer, bool is_shared)
{
	const Path *build = probes_outer ? inner : outer;
	Path	   *probe = probes_outer ? outer : inner;
	List	   *candidates = probes_outer ? offer->of_inner : offer->of_outer;
	bool		at_once;
	ListCell   *cell;

	if (candidates == NIL || (!probes_outer && !join_keeps_rows(outer->rows, outer->pathtarget->width)))
		return NULL;
	at_once = !probes_outer || !join_hashes_first(offer->type, outer->startup_cost, inner->total_cost, is_shared);
	foreach(cell, candidates)
	{
		PathFilter *filter = lfirst(cell);

		filter->at_once = at_once;
		if (runtime_filter_pays(build->rows, path_probes(offer->root, probe, filter->keys, at_once), filter->passing, probes_outer))
			return filter;
	}
	return NULL;
}

static RelationPaths *
relation_paths(PlannerInfo *root, RelOptInfo *rel)
{
	HASHCTL		control = {.keysize = sizeof(RelOptInfo *),.entrysize = sizeof(RelationPaths),.hcxt = CurrentMemoryContext};
	RelationPaths *paths;
	bool		found;

	if (join_paths_run->relations == NULL)
		join_paths_run->relations = hash_create("join paths", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	paths = hash_search(join_paths_run->relations, &rel, HASH_ENTER, &found);
	if (found)
		return paths;
	*paths = (RelationPaths) {.rel = rel,.has_large_table = has_large_table(root, rel->relids, disable_cost)};
	for (int is_partial = 0; is_partial < 2; is_partial++)
	{
		BestPaths  *best = &paths->best[is_partial];

		best->cheapest.path = cheapest_path_of(rel, is_partial);
		if (best->cheapest.path != NULL)
			best->cheapest.fear = lookup_cost_fear(root, best->cheapest.path);
		if (rel->reloptkind == RELOPT_BASEREL)
			best->open.path = open_path_of(root, rel, is_partial);
	}
	return paths;
}

typedef struct JoinedPaths
{
	Path	   *outer;
	Path	   *inner;
	Cost		fear;			/* of both paths */
	bool		is_open;		/* the outer path, to filters from above */
	bool		has_filter;		/* in one of the paths */
	bool		is_partial;
	bool		is_shared;		/* all processes hash the rows of the inner path together */
} JoinedPaths;

Cost
join_paths_score(Cost expected, Cost fear)
{
	double		trust = join_paths_run->trust;

	return pow(Max(expected, 1), trust) * pow(Max(expected + fear, 1), 1 - trust);
}

static bool
is_better(int disabled_nodes, Cost cost, Cost fear, const CostedPath *than)
{
	if (than->path == NULL || disabled_nodes != path_disabled_nodes(than->path))
		return than->path == NULL || disabled_nodes < path_disabled_nodes(than->path);
	return join_paths_score(cost, fear) < join_paths_score(than->path->total_cost, than->fear);
}

static void
keep_better(CostedPath *kept, Path *path, Cost fear)
{
	if (is_better(path_disabled_nodes(path), path->total_cost, fear, kept))
		*kept = (CostedPath) {.path = path,.fear = fear};
}

static HashPath *
hash_path(const JoinOffer *offer, const JoinedPaths *paths, JoinCostWorkspace *workspace)
{
	return create_hashjoin_path(offer->root, offer->joined->rel, offer->type, workspace, offer->extra, paths->outer, paths->inner,
								paths->is_shared, offer->extra->restrictlist, NULL, offer->clauses);
}

static void
add_filter(const JoinOffer *offer, HashPath *path, const PathFilter *filter, bool probes_outer)
{
	Path	  **build = probes_outer ? &path->jpath.innerjoinpath : &path->jpath.outerjoinpath;
	FilterPath *wrapper = filter_path_create(*build, *filter);

	*build = &wrapper->custom.path;
	path_cost_set(offer->root, path, wrapper);
}

static void
offer_hash_join(JoinOffer *offer, const JoinedPaths *paths)
{
	BestPaths  *best = &offer->joined->best[paths->is_partial];
	JoinCostWorkspace workspace;
	bool		probes_outer = false;
	PathFilter *filter = NULL;
	HashPath   *path;
	Cost		unfiltered;
	Cost		fear;

	/* In a parallel query, no process has all rows of the outer side. */
	if (!paths->is_partial)
		filter = choose_filter(offer, paths->outer, paths->inner, false, paths->is_shared);
	if (filter == NULL)
	{
		probes_outer = true;
		filter = choose_filter(offer, paths->outer, paths->inner, true, paths->is_shared);
	}
	if (filter == NULL && !paths->is_open && !paths->has_filter)
		return;
	initial_cost_hashjoin(offer->root, &workspace, offer->type, offer->clauses, paths->outer, paths->inner, offer->extra,
						  paths->is_shared);
	if (filter == NULL)
	{
		CostedPath *kept = paths->has_filter ? &best->filtered : &best->open;

		/* The preliminary cost is at most that of the path. */
		if (is_better(path_disabled_nodes(&workspace), workspace.total_cost, paths->fear, kept))
			keep_better(kept, (Path *) hash_path(offer, paths, &workspace), paths->fear);
		return;
	}
	path = hash_path(offer, paths, &workspace);
	unfiltered = path->jpath.path.total_cost;
	add_filter(offer, path, filter, probes_outer);
	/* The filter saves lookups, too. */
	fear = paths->fear * Min(path->jpath.path.total_cost / unfiltered, 1);
	keep_better(&best->filtered, &path->jpath.path, fear);
	/* Scans below the join can also probe filters from above. */
	if (paths->is_open && !paths->has_filter)
		keep_better(&best->open, &path->jpath.path, fear);
}

/* Offer nested loops that look up rows of the inner relation for the rows of a path with filters. */
static void
offer_lookups(JoinOffer *offer, bool is_partial)
{
	BestPaths  *best = &offer->joined->best[is_partial];
	const CostedPath *outer = &offer->outer->best[is_partial].filtered;
	ListCell   *cell;

	foreach(cell, outer->path == NULL ? NIL : offer->inner->rel->cheapest_parameterized_paths)
	{
		Path	   *inner = lfirst(cell);
		JoinCostWorkspace workspace;
		NestPath   *path;

		if (PATH_REQ_OUTER(inner) == NULL || !bms_is_subset(PATH_REQ_OUTER(inner), outer->path->parent->relids) ||
			(is_partial && !inner->parallel_safe))
			continue;
		initial_cost_plain_loop(offer->root, &workspace, offer->type, outer->path, inner, offer->extra);
		path = create_nestloop_path(offer->root, offer->joined->rel, offer->type, &workspace, offer->extra, outer->path, inner,
									offer->extra->restrictlist, NIL, NULL);
		keep_better(&best->filtered, (Path *) path, outer->fear + lookup_cost_fear_of_loop(offer->root, (JoinPath *) path));
	}
}

/* List the clauses that a hash join can use, as hash_inner_and_outer of joinpath.c does. */
static List *
hash_clauses(const RelOptInfo *joinrel, const RelOptInfo *outer, const RelOptInfo *inner, JoinType type, List *restrictions)
{
	List	   *clauses = NIL;
	ListCell   *cell;

	foreach(cell, restrictions)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);

		if ((IS_OUTER_JOIN(type) && RINFO_IS_PUSHED_DOWN(clause, joinrel->relids)) || !clause->can_join ||
			!OidIsValid(clause->hashjoinoperator))
			continue;
		if (bms_is_subset(clause->left_relids, outer->relids) && bms_is_subset(clause->right_relids, inner->relids))
			clause->outer_is_left = true;
		else if (bms_is_subset(clause->left_relids, inner->relids) && bms_is_subset(clause->right_relids, outer->relids))
			clause->outer_is_left = false;
		else
			continue;
		clauses = lappend(clauses, clause);
	}
	return clauses;
}

static void
offer_hash_joins(JoinOffer *offer, bool is_partial, bool is_shared)
{
	const BestPaths *outer = &offer->outer->best[is_partial];
	const BestPaths *inner = &offer->inner->best[is_shared];
	const CostedPath *outers[] = {&outer->open, &outer->cheapest, &outer->filtered};
	const CostedPath *inners[] = {&inner->open, &inner->cheapest, &inner->filtered};

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
		{
			JoinedPaths paths = {.outer = outers[i]->path,.inner = inners[j]->path,.fear = outers[i]->fear + inners[j]->fear,
				.is_open = i == 0 && j < 2,.has_filter = i == 2 || j == 2,.is_partial = is_partial,.is_shared = is_shared};

			/* PostgreSQL's path may be the open one. */
			if ((i == 1 && paths.outer == outer->open.path) || (j == 1 && paths.inner == inner->open.path))
				continue;
			if (paths.outer != NULL && paths.inner != NULL && (!is_partial || paths.inner->parallel_safe))
				offer_hash_join(offer, &paths);
		}
}

static void
join_again(PlannerInfo *root, NotedJoin *join)
{
	bool		drops_outer = join_rule(join->type, JOIN_DROPS_OUTER);
	bool		drops_inner = join_rule(join->type, JOIN_DROPS_INNER);
	JoinOffer	offer = {.root = root,.type = join->type,.extra = &join->extra};

	if (!has_large_table(root, join->joined->relids, disable_cost))
		return;
	if (join->may_hash)
		offer.clauses = hash_clauses(join->joined, join->outer, join->inner, join->type, join->extra.restrictlist);
	offer.joined = relation_paths(root, join->joined);
	offer.outer = relation_paths(root, join->outer);
	offer.inner = relation_paths(root, join->inner);
	if (drops_outer)
		offer.of_inner = find_candidates(&offer, true);
	if (drops_inner && query_is_read_whole(root, join->joined))
		offer.of_outer = find_candidates(&offer, false);
	if (offer.clauses != NIL)
		offer_hash_joins(&offer, false, false);
	/* Nested loops exist only for these types of joins. */
	if (drops_inner && join->may_loop)
		offer_lookups(&offer, false);
	/* Each process has only some rows of the outer side. What it returns for these must not depend on the others. */
	if (!join->joined->consider_parallel || join->outer->partial_pathlist == NIL || !drops_inner)
		return;
	if (offer.clauses != NIL)
		offer_hash_joins(&offer, true, false);
	if (offer.clauses != NIL && enable_parallel_hash)
		offer_hash_joins(&offer, true, true);
	if (join->may_loop)
		offer_lookups(&offer, true);
}

static set_join_pathlist_hook_type next_hook = NULL;

static void
note_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel, JoinType type,
		  JoinPathExtraData *extra)
{
	NotedJoin  *join;

	if (next_hook != NULL)
		next_hook(root, joinrel, outerrel, innerrel, type, extra);
	if (join_paths_run == NULL || join_paths_run->searched != root || joinrel->reloptkind != RELOPT_JOINREL ||
		joinrel->lateral_relids != NULL || !(join_rule(type, JOIN_DROPS_OUTER) || join_rule(type, JOIN_DROPS_INNER)))
		return;
	join = palloc(sizeof(NotedJoin));
	*join = (NotedJoin) {.joined = joinrel,.outer = outerrel,.inner = innerrel,.type = type,.may_hash = join_may_hash(extra),
		.may_loop = join_may_loop(extra),.extra = *extra,.special = *extra->sjinfo};
	join->extra.sjinfo = &join->special;
	join_paths_run->joins = lappend(join_paths_run->joins, join);
}

bool
join_paths_note(PlannerInfo *root)
{
	if (!has_large_table(root, root->all_baserels, disable_cost))
		return false;
	join_paths_run->searched = root;
	join_paths_run->joins = NIL;
	join_paths_run->trust = 0.5 * Min(NBuffers / Max(root->total_table_pages, 1), 1);
	return true;
}

bool
join_paths_find(PlannerInfo *root, RelOptInfo *rel, Cost most, CostedPath filtered[2])
{
	ListCell   *cell;

	join_paths_run->searched = NULL;
	if (!has_large_table(root, rel->relids, most))
		return false;
	foreach(cell, join_paths_run->joins)
		join_again(root, lfirst(cell));
	for (int is_partial = 0; is_partial < 2; is_partial++)
		filtered[is_partial] = relation_paths(root, rel)->best[is_partial].filtered;
	return filtered[0].path != NULL || filtered[1].path != NULL;
}

void
join_paths_install(void)
{
	next_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = note_join;
}
