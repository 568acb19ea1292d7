/*
 * PostgreSQL's plan and the best plan with filters are compared once for each query level, when both are known.
 *
 * Neither cost is certain. Most of the risk is in lookups, which take longer if more rows come than expected, or if their pages
 * have to be read. Both plans are therefore costed twice: as PostgreSQL expects, and with as many lookups as there may be
 * (lookup_cost.c). The plan with filters is chosen if it is better in the mean of both cases (join_paths_score), by a margin:
 * what it can lose in one of them, it wins in the other.
 */
#include "join_planner/choice.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "join_planner/lookup_cost.h"
#include "join_planner/paths.h"
#include "join_planner/query.h"

/* The plan with filters may cost at most this fraction of PostgreSQL's: estimates that differ by less say nothing. */
#define MARGIN			0.95

/*
 * If the plan with filters has the higher expected cost, it is chosen only if PostgreSQL's plan is expected to cost more than
 * reading all of shared buffers this many times. The pages of a cheaper plan stay in memory, whatever is feared of its lookups.
 */
#define SHARED_BUFFERS	2.0

/*
 * No plan with filters is looked for if reading a large table costs this many times as much as PostgreSQL's plan. Its feared cost
 * is taken to be at most the square of this number times the expected one. Most short queries end here.
 */
#define GREATEST_FACTOR	5

/*
 * No plan with filters is looked for either if the search takes more than GREATEST_PART of the cost of PostgreSQL's plan, or of
 * its feared cost if that is higher. Joining two relations once more takes about COST_OF_JOIN units of the planner's costs.
 */
#define COST_OF_JOIN	2.0
#define GREATEST_PART	0.05

/* A path of a relation, with its costs for the part of its rows that the query reads. */
typedef struct Candidate
{
	Path	   *path;
	bool		is_partial;
	double		fraction;		/* of the rows */
	Cost		cost;
	Cost		fear;
} Candidate;

/* The rows that workers pass on: of a query that aggregates them before, a group is one row of each process. */
static double
gathered_rows(PlannerInfo *root, const RelOptInfo *rel, const Path *path)
{
	const Query *query = root->parse;
	double		groups = 1;

	if ((!query->hasAggs && query->groupClause == NIL) || query->groupingSets != NIL || root->hasNonPartialAggs || root->hasNonSerialAggs)
		return rel->rows;
	if (query->groupClause != NIL)
		groups = estimate_num_groups(root, get_sortgrouplist_exprs(query->groupClause, root->processed_tlist), rel->rows, NULL, NULL);
	return Min(groups * (path->parallel_workers + 1), rel->rows);
}

/*
 * A path that is sorted as the query needs it can end early; another one is sorted, hashed or aggregated first. If the query
 * groups its rows, it needs them in another order, if in any.
 */
static Candidate
candidate(PlannerInfo *root, const RelOptInfo *rel, Path *path, bool is_partial)
{
	bool		needs_order = root->sort_pathkeys != NIL && root->sort_pathkeys == root->query_pathkeys && !root->parse->hasAggs;
	bool		is_sorted = needs_order && pathkeys_contained_in(root->sort_pathkeys, path->pathkeys);
	Candidate	result = {.path = path,.is_partial = is_partial,.fraction = 1};

	if (root->tuple_fraction > 0 && (is_sorted || !query_is_read_whole(root, rel)))
		result.fraction = root->tuple_fraction < 1 ? root->tuple_fraction : Min(root->tuple_fraction / Max(path->rows, 1), 1);
	result.cost = path->startup_cost + result.fraction * (path->total_cost - path->startup_cost);
	if (needs_order && !is_sorted)
	{
		Path		sorted;

		cost_sort_of(&sorted, root, path);
		result.cost += sorted.total_cost - path->total_cost;
	}
	if (is_partial)
		result.cost += parallel_setup_cost + parallel_tuple_cost * gathered_rows(root, rel, path);
	return result;
}

static Candidate
plain_candidate(PlannerInfo *root, const RelOptInfo *rel)
{
	Candidate	best = {.path = NULL};
	List	   *partial = rel->partial_pathlist == NIL ? NIL : list_make1(linitial(rel->partial_pathlist));
	ListCell   *cell;

	foreach(cell, list_concat_copy(rel->pathlist, partial))
	{
		Candidate	other = candidate(root, rel, lfirst(cell), foreach_current_index(cell) >= list_length(rel->pathlist));

		if (other.path->param_info == NULL && (best.path == NULL || other.cost < best.cost))
			best = other;
	}
	if (best.path != NULL)
		best.fear = best.fraction * lookup_cost_fear(root, best.path);
	return best;
}

/* Find the best path with filters. It starts no workers if PostgreSQL's starts none: no cost includes the time for that. */
static Candidate
filtered_candidate(PlannerInfo *root, const RelOptInfo *rel, const CostedPath paths[2], bool may_be_partial)
{
	Candidate	best = {.path = NULL};

	for (int is_partial = 0; is_partial <= (may_be_partial ? 1 : 0); is_partial++)
	{
		Candidate	other;

		if (paths[is_partial].path == NULL)
			continue;
		other = candidate(root, rel, paths[is_partial].path, is_partial);
		other.fear = other.fraction * paths[is_partial].fear;
		if (best.path == NULL || join_paths_score(other.cost, other.fear) < join_paths_score(best.cost, best.fear))
			best = other;
	}
	return best;
}

static void
append_cost(StringInfo text, const char *name, const Candidate *candidate)
{
	appendStringInfo(text, "%s %.0f", name, candidate->cost);
	if (rint(candidate->fear) != 0)
		appendStringInfo(text, " (feared %.0f)", candidate->cost + candidate->fear);
}

/* Keep the compared costs, with the names of the tables, to be reported. */
static void
note_choice(PlannerInfo *root, const RelOptInfo *rel, const Candidate *plain, const Candidate *filtered, bool is_chosen)
{
	StringInfoData text;
	const char *separator = "joins of ";

	initStringInfo(&text);
	for (int i = -1; (i = bms_next_member(rel->relids, i)) >= 0;)
		if (root->simple_rel_array[i] != NULL)
		{
			appendStringInfo(&text, "%s%s", separator, root->simple_rte_array[i]->eref->aliasname);
			separator = ", ";
		}
	append_cost(&text, ": plain cost", plain);
	append_cost(&text, ", with filters", filtered);
	appendStringInfoString(&text, is_chosen ? ": plan with filters chosen" : ": plain plan kept");
	join_paths_run->choices = lappend(join_paths_run->choices, text.data);
}

void
join_choice_make(PlannerInfo *root, RelOptInfo *rel)
{
	Candidate	plain = plain_candidate(root, rel);
	Candidate	filtered;
	CostedPath	paths[2];
	bool		is_chosen;

	if (plain.path == NULL ||
		list_length(join_paths_run->joins) * COST_OF_JOIN > GREATEST_PART * (plain.cost + Max(plain.fear, 0)) ||
		!join_paths_find(root, rel, GREATEST_FACTOR * plain.cost, paths))
		return;
	filtered = filtered_candidate(root, rel, paths, plain.is_partial);
	if (filtered.path == NULL)
		return;
	is_chosen = path_disabled_nodes(filtered.path) <= path_disabled_nodes(plain.path) &&
		(filtered.cost <= plain.cost || plain.cost > SHARED_BUFFERS * NBuffers * seq_page_cost) &&
		join_paths_score(filtered.cost, filtered.fear) <= MARGIN * join_paths_score(plain.cost, plain.fear);
	note_choice(root, rel, &plain, &filtered, is_chosen);
	if (!is_chosen)
		return;
	/* Drop all other paths: above the joins, the planner would compare them by their expected costs only. */
	rel->pathlist = rel->partial_pathlist = NIL;
	(filtered.is_partial ? add_partial_path : add_path) (rel, filtered.path);
	/* The planner expects each relation to have a path that is not partial. */
	if (filtered.is_partial)
		generate_useful_gather_paths(root, rel, false);
	set_cheapest(rel);
}
