/*
 * Filters in the choice of a plan: hash joins whose scans probe a filter are offered to the planner, as paths that cost
 * less by what that saves. plan.c makes the filters, in the finished plan.
 *
 * The planner builds joins up from their inputs, and keeps only the cheapest of each. A join that will be cheap because of
 * a filter from above, which is not known yet, would be lost. So the best one of sequential scans and hash joins is kept,
 * too, and offered as an input.
 */
#include "join_planner/paths.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"

#include "join_planner/keys.h"
#include "join_planner/path_cost.h"
#include "join_planner/query.h"
#include "join_planner/rules.h"
#include "plan_nodes/settings.h"
#include "scan_planner/offer.h"

/*
 * Of the rows without a match, those that a filter passes. More than there are, so that of two plans that cost the same, the
 * one that joins earlier is taken.
 */
#define FALSE_POSITIVES	0.02

/* No correction of lookups is expected to exceed this factor. */
#define GREATEST_CORRECTION	20

/* The cheapest paths of a kind, or null. They are not in the relation's pathlist, which frees some of its paths. */
typedef struct BestPaths
{
	Path	   *open;			/* of scans of whole tables, and hash joins of these */
	HashPath   *filtered;		/* with a filter */
} BestPaths;

typedef struct RelationPaths
{
	RelOptInfo *rel;			/* the key */
	bool		has_large_table;
	BestPaths	best[2];		/* of whole and partial paths */
} RelationPaths;

JoinPathsRun *join_paths_run = NULL;

/* Two relations that are joined. */
typedef struct JoinOffer
{
	PlannerInfo *root;
	RelationPaths *joined;
	RelationPaths *outer;
	RelationPaths *inner;
	JoinType	type;
	JoinPathExtraData *extra;
	List	   *clauses;		/* by which rows can be hashed */
	List	   *of_outer;		/* filters that it could have: of PathFilter, the better ones first */
	List	   *of_inner;
} JoinOffer;

/*
 * Filters.
 */

/*
 * The fraction of rows of one side that have a match for a clause: at most the number of matches that a row is expected to
 * have. If a foreign key refers to a primary key, this is the fraction of the rows with the primary key that the other side
 * has.
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
 * The same for several clauses, given by their indexes. The product of their selectivities can be far too small: for a foreign key
 * of several columns, the planner's estimate of the join's rows is better.
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

/* Whether any scan of a relation reads enough rows to probe a filter, and costs no more than this at least. */
static bool
has_large_table(PlannerInfo *root, const RelOptInfo *rel, Cost most)
{
	for (int i = -1; (i = bms_next_member(rel->relids, i)) >= 0;)
	{
		const RelOptInfo *table = root->simple_rel_array[i];

		/* The planner does not add up the rows and pages of partitions. */
		if (table != NULL && (root->simple_rte_array[i]->inh ||
							  (table->tuples >= runtime_filter_min_rows && table->pages * seq_page_cost <= most)))
			return true;
	}
	return false;
}

/* Whether all keys are columns of one table or subquery. */
static bool
are_of_one_table(List *keys)
{
	ListCell   *cell;

	foreach(cell, keys)
		if (castNode(Var, ((JoinKey *) lfirst(cell))->value)->varno !=
			castNode(Var, ((JoinKey *) linitial(keys))->value)->varno)
			return false;
	return keys != NIL;
}

/* Add the filter of some keys, if they can be probed, and enough rows have no match. */
static List *
add_candidate(List *candidates, const JoinOffer *offer, const BothKeys *keys, bool probes_outer)
{
	PathFilter *filter;
	double		passing;

	if (!are_of_one_table(keys->probe) ||
		!filter_scan_can_read(offer->root, (Index) castNode(Var, ((JoinKey *) linitial(keys->probe))->value)->varno))
		return candidates;
	passing = match_fraction(offer, keys->clauses, probes_outer);
	/* If more pass, scans bypass the filter. plan.c adds one to the plan that is chosen, in case there are fewer. */
	if (passing > runtime_filter_max_match_fraction)
		return candidates;
	filter = palloc(sizeof(PathFilter));
	*filter = (PathFilter) {.keys = keys->probe,.clauses = keys->clauses,.passing = passing + (1 - passing) * FALSE_POSITIVES};
	return lappend(candidates, filter);
}

/* Those of all keys, and then of each one, as in plan.c. */
static List *
find_candidates(const JoinOffer *offer, bool probes_outer)
{
	List	   *candidates;
	BothKeys	keys;
	ListCell   *cell;

	if (!(probes_outer ? offer->outer : offer->inner)->has_large_table)
		return NIL;
	keys = join_keys_of_path(offer->root, &join_paths_run->keys, offer->clauses, probes_outer);
	candidates = add_candidate(NIL, offer, &keys, probes_outer);
	foreach(cell, list_length(keys.clauses) > 1 ? keys.clauses : NIL)
	{
		BothKeys	one = join_keys_of_clauses(&keys, list_make1_int(lfirst_int(cell)));

		candidates = add_candidate(candidates, offer, &one, probes_outer);
	}
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
		if (runtime_filter_pays(build->rows, path_cost_probes(probe, filter->keys, at_once), filter->passing, probes_outer))
			return filter;
	}
	return NULL;
}

/*
 * Open paths.
 */

/* The cheapest path without parameters of a relation, which may not be finished yet; or null. */
static Path *
cheapest_path(const RelOptInfo *rel, bool is_partial)
{
	ListCell   *cell;

	/* They are sorted by their cost. */
	foreach(cell, is_partial ? rel->partial_pathlist : rel->pathlist)
		if (((Path *) lfirst(cell))->param_info == NULL)
			return lfirst(cell);
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
	if (!found)
		*paths = (RelationPaths) {.rel = rel,.has_large_table = has_large_table(root, rel, disable_cost)};
	return paths;
}

static Path *
open_path_of_table(PlannerInfo *root, RelOptInfo *rel, bool is_partial)
{
	if (IS_DUMMY_REL(rel) || rel->lateral_relids != NULL)
		return NULL;
	if (rel->rtekind == RTE_SUBQUERY || planner_rt_fetch(rel->relid, root)->inh)
		return cheapest_path(rel, is_partial);
	return filter_scan_sequential_path(root, rel, is_partial);
}

/* The paths of an input that are regarded: the open one, and the cheapest one if that is another. Each may be null. */
static void
input_paths(PlannerInfo *root, RelationPaths *input, bool is_partial, Path *paths[2])
{
	BestPaths  *best = &input->best[is_partial];
	Path	   *cheapest = cheapest_path(input->rel, is_partial);

	if (best->open == NULL && input->rel->reloptkind == RELOPT_BASEREL)
		best->open = open_path_of_table(root, input->rel, is_partial);
	paths[0] = best->open;
	paths[1] = cheapest != NULL && best->open != NULL && cheapest->pathtype == best->open->pathtype &&
		cheapest->total_cost == best->open->total_cost ? NULL : cheapest;
}

/*
 * Paths.
 */

/* A path with a filter; or if that is null without one, or null if another path certainly costs no more. */
static HashPath *
hash_path(const JoinOffer *offer, Path *outer, Path *inner, bool is_shared, const PathFilter *filter, bool probes_outer,
		  const Path *cheaper)
{
	JoinCostWorkspace workspace;
	HashPath   *path;
	FilterPath *build;

	initial_cost_hashjoin(offer->root, &workspace, offer->type, offer->clauses, outer, inner, offer->extra, is_shared);
	if (filter == NULL && cheaper != NULL && workspace.total_cost >= cheaper->total_cost)
		return NULL;
	path = create_hashjoin_path(offer->root, offer->joined->rel, offer->type, &workspace, offer->extra, outer, inner, is_shared,
								offer->extra->restrictlist, NULL, offer->clauses);
	if (filter == NULL)
		return path;
	build = filter_path_create(probes_outer ? inner : outer, *filter);
	*(probes_outer ? &path->jpath.innerjoinpath : &path->jpath.outerjoinpath) = &build->custom.path;
	path_cost_set(offer->root, path, build);
	return path;
}

/*
 * Whether joins with a filter are worth looking for: a lookup or a few cost far less than reading a large table. Most short
 * queries end here.
 */
static bool
may_have_filter(PlannerInfo *root, const RelOptInfo *rel)
{
	const Path *cheapest = cheapest_path(rel, false);

	return rel->reloptkind == RELOPT_JOINREL && rel->lateral_relids == NULL && cheapest != NULL &&
		has_large_table(root, rel, GREATEST_CORRECTION * cheapest->total_cost);
}

/* Another library searches for the order of joins, and does not say when all joins of a relation are known. */
static bool adds_at_once = false;

/*
 * Offer a join of two paths, if there are both. If the outer one is partial, so is the join; the inner one is partial if they hash
 * its rows together.
 */
static void
offer_hash_join(JoinOffer *offer, Path *outer, Path *inner, bool is_open, bool is_partial, bool is_shared)
{
	bool		probes_outer = false;
	PathFilter *filter = NULL;
	BestPaths  *best;
	HashPath   *path;

	if (outer == NULL || inner == NULL || (is_partial && !inner->parallel_safe))
		return;
	/* In a parallel query, a process has not all rows of the outer side. */
	if (!is_partial)
		filter = choose_filter(offer, outer, inner, false, is_shared);
	if (filter == NULL)
	{
		probes_outer = true;
		filter = choose_filter(offer, outer, inner, true, is_shared);
	}
	if (filter == NULL && !is_open)
		return;
	best = &offer->joined->best[is_partial];
	path = hash_path(offer, outer, inner, is_shared, filter, probes_outer, best->open);
	if (path == NULL)
		return;
	if (is_open && (best->open == NULL || best->open->total_cost > path->jpath.path.total_cost))
	{
		best->open = (Path *) makeNode(HashPath);
		*(HashPath *) best->open = *path;
	}
	if (filter == NULL)
		return;
	/* The list frees the path when a better one comes. */
	if (adds_at_once)
		(is_partial ? add_partial_path : add_path) (offer->joined->rel, &path->jpath.path);
	else if (best->filtered == NULL || best->filtered->jpath.path.total_cost > path->jpath.path.total_cost)
		best->filtered = path;
}

/* The clauses that a hash join can use, as in the planner. */
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

/* Offer the joins of the paths of two relations. */
static void
offer_hash_joins(JoinOffer *offer, bool is_partial, bool is_shared)
{
	Path	   *outer[2];
	Path	   *inner[2];

	input_paths(offer->root, offer->outer, is_partial, outer);
	input_paths(offer->root, offer->inner, is_shared, inner);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			offer_hash_join(offer, outer[i], inner[j], i == 0, is_partial, is_shared);
}

static set_join_pathlist_hook_type next_hook = NULL;

static void
offer_paths(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel, JoinType type,
			JoinPathExtraData *extra)
{
	bool		drops_outer = join_rule(type, JOIN_DROPS_OUTER);
	bool		drops_inner = join_rule(type, JOIN_DROPS_INNER);
	JoinOffer	offer = {.root = root,.type = type,.extra = extra};

	if (next_hook != NULL)
		next_hook(root, joinrel, outerrel, innerrel, type, extra);
	if (join_paths_run == NULL || join_paths_run->searched != root || !(drops_outer || drops_inner) ||
		!may_have_filter(root, joinrel))
		return;
	offer.clauses = hash_clauses(joinrel, outerrel, innerrel, type, extra->restrictlist);
	if (offer.clauses == NIL)
		return;
	offer.joined = relation_paths(root, joinrel);
	offer.outer = relation_paths(root, outerrel);
	offer.inner = relation_paths(root, innerrel);
	if (drops_outer)
		offer.of_inner = find_candidates(&offer, true);
	if (drops_inner && query_is_read_whole(root, joinrel))
		offer.of_outer = find_candidates(&offer, false);
	offer_hash_joins(&offer, false, false);
	/* If a process has not all rows of the outer side, it must not matter for what it returns of those that it has. */
	if (!joinrel->consider_parallel || outerrel->partial_pathlist == NIL || !drops_inner)
		return;
	offer_hash_joins(&offer, true, false);
	if (enable_parallel_hash)
		offer_hash_joins(&offer, true, true);
}

HashPath *
join_paths_filtered(PlannerInfo *root, RelOptInfo *rel, bool is_partial)
{
	return may_have_filter(root, rel) ? relation_paths(root, rel)->best[is_partial].filtered : NULL;
}

void
join_paths_install(bool at_once)
{
	adds_at_once = at_once;
	next_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = offer_paths;
}
