/*
 * Filters in the choice of a plan: hash joins whose scans probe a filter are offered to the planner, as paths that cost
 * less by what that saves. plan.c makes the filters, in the finished plan.
 *
 * The planner builds joins up from their inputs, and keeps only the cheapest of each. A join that will be cheap because of
 * a filter from above, which is not known yet, would be lost. So the best one of sequential scans and hash joins is kept,
 * too, and offered as an input.
 */
#include "join/paths.h"

#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/geqo.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/hsearch.h"

#include "join/keys.h"
#include "join/path_cost.h"
#include "join/worth.h"

/*
 * Of the rows without a match, those that a filter passes. More than there are, so that of two plans that cost the same, the
 * one that joins earlier is taken.
 */
#define FALSE_POSITIVES	0.02

/* The best paths of a relation of scans of whole tables, and hash joins of these; or null. Not all are in its pathlist. */
typedef struct OpenPaths
{
	RelOptInfo *rel;			/* the key */
	Path	   *path;
	Path	   *partial;
} OpenPaths;

/* A run of the planner in which paths are offered. */
struct JoinPathsRun
{
	HTAB	   *open;			/* of OpenPaths */
	PlannerInfo *query;			/* that is being planned */
	bool		is_repeatable;
};

static JoinPathsRun *this_run = NULL;

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
 * The same for several clauses. The product of their selectivities can be far too small: for a foreign key of several
 * columns, the planner's estimate of the join's rows is better.
 */
static double
all_match_fraction(PlannerInfo *root, List *clauses, const HashPath *path, const JoinPathExtraData *extra, bool probes_outer)
{
	const RelOptInfo *probe = (probes_outer ? path->jpath.outerjoinpath : path->jpath.innerjoinpath)->parent;
	const RelOptInfo *build = (probes_outer ? path->jpath.innerjoinpath : path->jpath.outerjoinpath)->parent;
	JoinType	type = path->jpath.jointype;
	double		fraction = 1;
	double		joined = -1;
	ListCell   *cell;

	foreach(cell, clauses)
	{
		double		matching = clause_match_fraction(root, lfirst(cell), probe, build);

		fraction = Min(fraction, matching);
	}
	if (list_length(clauses) == list_length(extra->restrictlist) && (type == JOIN_INNER || probes_outer))
		joined = join_match_fraction(type, list_length(clauses) > 1, path->jpath.path.parent->rows, probe->rows);
	return joined >= 0 ? Min(fraction, joined) : fraction;
}

/*
 * Whether an expression depends on a parameter that can change from one execution of its query to the next: others than the
 * results of sub-selects that depend on none. In the finished plan, plan.c finds out exactly.
 */
static bool
has_changing_parameter(Node *node, void *context)
{
	PlannerInfo *root = context;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_changing_parameter, context, 0);
	if (!IsA(node, Param))
		return expression_tree_walker(node, has_changing_parameter, context);
	if (((Param *) node)->paramkind != PARAM_EXEC)
		return false;
	for (; root != NULL; root = root->parent_root)
		foreach(cell, root->init_plans)
		{
			const SubPlan *subselect = lfirst_node(SubPlan, cell);
			PlannerInfo *subroot = list_nth(root->glob->subroots, subselect->plan_id - 1);

			if (list_member_int(subselect->setParam, ((Param *) node)->paramid))
				return has_changing_parameter((Node *) subroot->parse, subroot);
		}
	return true;
}

/*
 * Whether a query is executed again with other parameters: it, or one that it is part of, depends on a row of an outer query, or
 * is recursive. In the finished plan, it can still get filters, of sides that do not change.
 */
static bool
changes_when_repeated(PlannerInfo *root)
{
	for (; root->parent_root != NULL; root = root->parent_root)
	{
		if (root->hasRecursion || has_changing_parameter((Node *) root->parse, root))
			return true;
		for (int level = 1; level < (int) root->query_level; level++)
			if (contain_vars_of_level((Node *) root->parse, level))
				return true;
	}
	return false;
}

/* Whether it is not: found once for all joins of the query. */
static bool
is_repeatable(PlannerInfo *root)
{
	if (this_run->query != root)
	{
		this_run->query = root;
		this_run->is_repeatable = !changes_when_repeated(root);
	}
	return this_run->is_repeatable;
}

/* The probe side's key of a clause; null if no filter can be made of it. */
static JoinKey *
clause_key(PlannerInfo *root, const RestrictInfo *clause, bool probes_left)
{
	const OpExpr *equality = castNode(OpExpr, clause->clause);
	Expr	   *left = linitial(equality->args);
	Expr	   *right = lsecond(equality->args);
	JoinKey    *build,
			   *probe;

	return join_keys_of_operator(equality->opno, equality->inputcollid, probes_left ? right : left, probes_left ? left : right,
								 probes_left, &build, &probe) &&
		!has_changing_parameter((Node *) equality, root) ? probe : NULL;
}

/* The clauses of a hash join of which a filter can be made, and the probe side's key of each. */
typedef struct Candidates
{
	List	   *clauses;
	List	   *indexes;
	List	   *keys;
} Candidates;

static Candidates
find_candidates(PlannerInfo *root, const HashPath *path, bool probes_outer)
{
	const Path *probe = probes_outer ? path->jpath.outerjoinpath : path->jpath.innerjoinpath;
	Candidates	candidates = {.clauses = NIL};
	ListCell   *cell;

	foreach(cell, path->path_hashclauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		JoinKey    *key = clause_key(root, clause, bms_is_subset(clause->left_relids, probe->parent->relids));

		if (key == NULL)
			continue;
		candidates.clauses = lappend(candidates.clauses, clause);
		candidates.indexes = lappend_int(candidates.indexes, foreach_current_index(cell));
		candidates.keys = lappend(candidates.keys, key);
	}
	return candidates;
}

/* Whether something above the joins reads all of their rows before it returns one. plan.c knows what does. */
static bool
is_read_whole(const Query *query)
{
	return query->commandType != CMD_SELECT || query->hasAggs || query->groupClause != NIL || query->sortClause != NIL ||
		query->distinctClause != NIL;
}

/* Get the filter of some candidates. False if it is not worth making, or they are not columns of one table. */
static bool
find_filter_of(PlannerInfo *root, const HashPath *path, const Candidates *some, const JoinPathExtraData *extra, bool probes_outer,
			   PathFilter *filter)
{
	Path	   *outer = path->jpath.outerjoinpath;
	Path	   *inner = path->jpath.innerjoinpath;
	const Path *build = probes_outer ? inner : outer;
	Path	   *probe = probes_outer ? outer : inner;
	bool		at_once = probes_outer && !join_hashes_first(path->jpath.jointype, outer->startup_cost, inner->total_cost,
															 path->jpath.path.parallel_aware);
	double		passing;
	double		probes;
	ListCell   *cell;

	foreach(cell, some->keys)
		if (castNode(Var, ((JoinKey *) lfirst(cell))->value)->varno !=
			castNode(Var, ((JoinKey *) linitial(some->keys))->value)->varno)
			return false;
	passing = all_match_fraction(root, some->clauses, path, extra, probes_outer);
	probes = path_cost_probes(probe, some->keys, at_once);
	if (!runtime_filter_pays(build->rows, probes, passing, probes_outer) ||
		(!probes_outer &&
		 !join_reads_ahead(build->total_cost, build->rows, build->pathtarget->width, probes, is_read_whole(root->parse))))
		return false;
	filter->keys = some->keys;
	filter->passing = passing + (1 - passing) * FALSE_POSITIVES;
	filter->at_once = at_once;
	return true;
}

/* The same for all clauses, or else for one of them, as in plan.c. Gets the indexes of the clauses, too. */
static bool
find_filter(PlannerInfo *root, const HashPath *path, const JoinPathExtraData *extra, bool probes_outer, PathFilter *filter,
			List **indexes)
{
	Candidates	all = find_candidates(root, path, probes_outer);

	*indexes = all.indexes;
	if (all.clauses == NIL)
		return false;
	if (find_filter_of(root, path, &all, extra, probes_outer, filter))
		return true;
	for (int i = 0; list_length(all.clauses) > 1 && i < list_length(all.clauses); i++)
	{
		Candidates	one = {list_make1(list_nth(all.clauses, i)), list_make1_int(list_nth_int(all.indexes, i)),
		list_make1(list_nth(all.keys, i))};

		*indexes = one.indexes;
		if (find_filter_of(root, path, &one, extra, probes_outer, filter))
			return true;
	}
	return false;
}

/*
 * Open paths.
 */

static Path *
cheapest_path(const RelOptInfo *rel, bool is_partial)
{
	if (!is_partial)
		return rel->cheapest_total_path;
	return rel->partial_pathlist != NIL ? linitial(rel->partial_pathlist) : NULL;
}

static Path **
open_path_entry(RelOptInfo *rel, bool is_partial)
{
	bool		found;
	OpenPaths  *entry = hash_search(this_run->open, &rel, HASH_ENTER, &found);

	if (!found)
		entry->path = entry->partial = NULL;
	return is_partial ? &entry->partial : &entry->path;
}

/* Of a table, the scan of all of it, which has been pruned if there is an index scan that costs less. */
static Path *
open_path_of_table(PlannerInfo *root, RelOptInfo *rel, bool is_partial)
{
	const RangeTblEntry *table = planner_rt_fetch(rel->relid, root);
	const Path *cheapest = cheapest_path(rel, is_partial);

	if (IS_DUMMY_REL(rel) || rel->lateral_relids != NULL || cheapest == NULL)
		return NULL;
	if (rel->rtekind == RTE_SUBQUERY || table->inh)
		return cheapest_path(rel, is_partial);
	if (rel->rtekind != RTE_RELATION || table->tablesample != NULL ||
		(table->relkind != RELKIND_RELATION && table->relkind != RELKIND_MATVIEW))
		return NULL;
	return create_seqscan_path(root, rel, NULL, is_partial ? cheapest->parallel_workers : 0);
}

static Path *
open_path(PlannerInfo *root, RelOptInfo *rel, bool is_partial)
{
	Path	  **path = open_path_entry(rel, is_partial);

	if (*path == NULL && rel->reloptkind == RELOPT_BASEREL)
		*path = open_path_of_table(root, rel, is_partial);
	return *path;
}

/* The paths of an input that are regarded: the open one, and the cheapest one. Returns how many there are. */
static int
input_paths(PlannerInfo *root, RelOptInfo *rel, bool is_partial, Path *paths[2])
{
	Path	   *open = open_path(root, rel, is_partial);
	Path	   *cheapest = cheapest_path(rel, is_partial);
	int			count = 0;

	if (open != NULL && open->param_info == NULL)
		paths[count++] = open;
	if (cheapest != NULL && cheapest->param_info == NULL &&
		(count == 0 || cheapest->pathtype != open->pathtype || cheapest->total_cost != open->total_cost))
		paths[count++] = cheapest;
	return count;
}

/*
 * Paths.
 */

/* A join of two sides, of which one may be wrapped. */
static HashPath *
hash_path(PlannerInfo *root, RelOptInfo *joinrel, JoinType type, JoinPathExtraData *extra, Path *outer, Path *inner,
		  List *clauses, bool is_shared)
{
	JoinCostWorkspace workspace;

	initial_cost_hashjoin(root, &workspace, type, clauses, outer, inner, extra, is_shared);
	return create_hashjoin_path(root, joinrel, type, &workspace, extra, outer, inner, is_shared, extra->restrictlist, NULL,
								clauses);
}

/* The join with its filter, or null if none is worth making. */
static HashPath *
with_filter(PlannerInfo *root, const HashPath *path, JoinPathExtraData *extra, bool is_partial)
{
	JoinType	type = path->jpath.jointype;
	HashPath   *result = makeNode(HashPath);
	PathFilter	filter;
	List	   *indexes;

	*result = *path;
	/* In a parallel query, a process has not all rows of the outer side. */
	if (!is_partial && join_drops_inner(type) && find_filter(root, path, extra, false, &filter, &indexes))
		result->jpath.outerjoinpath = &filter_path_create(path->jpath.outerjoinpath, filter, indexes)->custom.path;
	else if (join_drops_outer(type) && find_filter(root, path, extra, true, &filter, &indexes))
		result->jpath.innerjoinpath = &filter_path_create(path->jpath.innerjoinpath, filter, indexes)->custom.path;
	else
		return NULL;
	path_cost_set(result);
	return result;
}

/*
 * Offer a join of two paths. If the outer one is partial, so is the join; the inner one is partial if they hash its rows
 * together.
 */
static void
offer_hash_join(PlannerInfo *root, RelOptInfo *joinrel, JoinType type, JoinPathExtraData *extra, Path *outer, Path *inner,
				List *clauses, bool is_partial, bool is_shared)
{
	HashPath   *plain = hash_path(root, joinrel, type, extra, outer, inner, clauses, is_shared);
	HashPath   *filtered = with_filter(root, plain, extra, is_partial);
	Path	  **open = open_path_entry(joinrel, is_partial);
	const Path *best = filtered != NULL ? &filtered->jpath.path : &plain->jpath.path;

	/* add_path may free the path. */
	if (outer == open_path(root, outer->parent, is_partial) && (*open == NULL || (*open)->total_cost > best->total_cost))
	{
		HashPath   *copy = makeNode(HashPath);

		*copy = *(const HashPath *) best;
		*open = &copy->jpath.path;
	}
	if (filtered == NULL)
		return;
	if (is_partial)
		add_partial_path(joinrel, &filtered->jpath.path);
	else
		add_path(joinrel, &filtered->jpath.path);
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

static void
offer_partial_joins(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel, JoinType type,
					JoinPathExtraData *extra, List *clauses)
{
	Path	   *outer[2];
	Path	   *inner[2];
	int			outers = input_paths(root, outerrel, true, outer);
	int			inners = input_paths(root, innerrel, true, inner);
	Path	   *whole = innerrel->cheapest_total_path;

	for (int i = 0; i < outers; i++)
	{
		if (whole != NULL && whole->parallel_safe && whole->param_info == NULL)
			offer_hash_join(root, joinrel, type, extra, outer[i], whole, clauses, true, false);
		for (int j = 0; enable_parallel_hash && j < inners; j++)
			offer_hash_join(root, joinrel, type, extra, outer[i], inner[j], clauses, true, true);
	}
}

/* The planner is free to make the rows of a side of a semi join unique; then it calls this for another type of join. */
static bool
is_offered(JoinType type)
{
	return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_RIGHT || type == JOIN_SEMI || type == JOIN_ANTI ||
		join_returns_inner_rows(type);
}

static set_join_pathlist_hook_type next_hook = NULL;

static void
offer_paths(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel, JoinType type,
			JoinPathExtraData *extra)
{
	List	   *clauses;
	Path	   *outer[2];
	Path	   *inner[2];
	int			outers;
	int			inners;

	if (next_hook != NULL)
		next_hook(root, joinrel, outerrel, innerrel, type, extra);
	/*
	 * The genetic planner frees its relations. A condition without variables adds a node above an input. What identifies the
	 * rows of a partitioned table that is changed is known as the output of scans and joins, but not of the wrapper.
	 */
	if (this_run == NULL || !enable_hashjoin || planner_is_genetic(root) || root->hasPseudoConstantQuals ||
		root->row_identity_vars != NIL || joinrel->lateral_relids != NULL || joinrel->reloptkind != RELOPT_JOINREL ||
		!is_offered(type) || !is_repeatable(root))
		return;
	clauses = hash_clauses(joinrel, outerrel, innerrel, type, extra->restrictlist);
	if (clauses == NIL)
		return;
	outers = input_paths(root, outerrel, false, outer);
	inners = input_paths(root, innerrel, false, inner);
	for (int i = 0; i < outers; i++)
		for (int j = 0; j < inners; j++)
			offer_hash_join(root, joinrel, type, extra, outer[i], inner[j], clauses, false, false);
	if (joinrel->consider_parallel && outerrel->partial_pathlist != NIL &&
		(type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI || type == JOIN_ANTI))
		offer_partial_joins(root, joinrel, outerrel, innerrel, type, extra, clauses);
}

JoinPathsRun *
join_paths_begin(bool offers)
{
	HASHCTL		control = {.keysize = sizeof(RelOptInfo *),.entrysize = sizeof(OpenPaths),.hcxt = CurrentMemoryContext};
	JoinPathsRun *outer = this_run;

	this_run = offers ? palloc0(sizeof(JoinPathsRun)) : NULL;
	if (offers)
		this_run->open = hash_create("open paths", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return outer;
}

void
join_paths_end(JoinPathsRun *outer)
{
	this_run = outer;
}

void
join_paths_install(void)
{
	next_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = offer_paths;
}
