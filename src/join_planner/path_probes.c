/*
 * In the finished plan, push.c pushes the filter to the same scans: from the join downwards, through subqueries, nodes that group
 * rows by the keys, and arms of UNION ALL. On the way, the keys become columns of each path's input.
 */
#include "join_planner/path_probes.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "join_planner/filter_path.h"
#include "join_planner/keys.h"
#include "join_planner/rules.h"
#include "scan_planner/offer.h"
#include "scan_planner/path.h"

static bool
are_of(List *keys, const Path *path)
{
	ListCell   *cell;

	foreach(cell, keys)
		if (!bms_is_member((int) castNode(Var, ((JoinKey *) lfirst(cell))->value)->varno, path->parent->relids))
			return false;
	return keys != NIL;
}

Path *
path_probed_input(const JoinPath *join, List *keys)
{
	bool		from_outer = are_of(keys, join->outerjoinpath);
	Path	   *input = from_outer ? join->outerjoinpath : join->innerjoinpath;

	return are_of(keys, input) && join_passes_filter(join->jointype, from_outer) ? input : NULL;
}

bool
path_scans_table(Path *path)
{
	ListCell   *cell;

	if (path->parent->reloptkind == RELOPT_JOINREL || path->parent->rtekind != RTE_RELATION)
		return false;
	if (IsA(path, AppendPath))
	{
		foreach(cell, ((AppendPath *) path)->subpaths)
			if (!path_scans_table(lfirst(cell)))
				return false;
		return ((AppendPath *) path)->subpaths != NIL;
	}
	return (IsA(path, Path) && path->pathtype == T_SeqScan) || filter_scan_is_path(path);
}

double
path_scanned_rows(Path *path, bool by_all)
{
	double		rows = 0;
	ListCell   *cell;

	if (IsA(path, AppendPath))
	{
		foreach(cell, ((AppendPath *) path)->subpaths)
			rows += path_scanned_rows(lfirst(cell), by_all);
		return rows;
	}
	if (!join_scan_probes(path->parent->tuples))
		return 0;
	/* The rows of a parallel path are those of one process. */
	return path->parent->tuples * (by_all ? 1 : Min(path->rows / path->parent->rows, 1));
}

Path **
path_grouped_input(Path *path, Size *size)
{
#define INPUT_OF(type) (*size = sizeof(type), &((type *) path)->subpath)
	switch (nodeTag(path))
	{
		case T_AggPath:
			return INPUT_OF(AggPath);
		case T_GroupPath:
			return INPUT_OF(GroupPath);
		case T_DistinctPath:
			return INPUT_OF(DistinctPath);
		case T_WindowAggPath:
			return INPUT_OF(WindowAggPath);
		default:
			return NULL;
	}
}

/* The clauses by which a path groups the rows of its input. */
static List *
grouping_of(const PlannerInfo *root, const Path *path)
{
	if (IsA(path, AggPath))
		return ((const AggPath *) path)->groupClause;
	if (IsA(path, GroupPath))
		return ((const GroupPath *) path)->groupClause;
	return IsA(path, DistinctPath) ? root->parse->distinctClause : ((const WindowAggPath *) path)->winclause->partitionClause;
}

/* Whether each key is one of the expressions of some clauses: see are_among in push.c. */
static bool
are_grouped(const PlannerInfo *root, List *clauses, List *keys)
{
	ListCell   *cell,
			   *output;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		bool		found = false;

		foreach(output, root->processed_tlist)
		{
			TargetEntry *entry = lfirst_node(TargetEntry, output);
			const SortGroupClause *clause = entry->ressortgroupref == 0 ? NULL :
				get_sortgroupref_clause_noerr(entry->ressortgroupref, clauses);

			found |= clause != NULL && equal(entry->expr, key->value) &&
				join_key_is_grouped(key, clause->eqop, exprCollation((Node *) entry->expr));
		}
		if (!found)
			return false;
	}
	return true;
}

Path *
path_passed_input(PlannerInfo **root, Path *path, List **keys)
{
	Path	  **grouped;
	Size		size;

	switch (nodeTag(path))
	{
		case T_SubqueryScanPath:
			*root = path->parent->subroot;
			*keys = (*root)->parse->setOperations != NULL ? NIL : join_keys_of_columns(*keys, (*root)->processed_tlist);
			return *keys != NIL ? ((SubqueryScanPath *) path)->subpath : NULL;
		case T_GatherPath:
			return ((GatherPath *) path)->subpath;
		case T_GatherMergePath:
			return ((GatherMergePath *) path)->subpath;
		default:
			grouped = path_grouped_input(path, &size);
			if (grouped == NULL)
				return path_input(path);
			return are_grouped(*root, grouping_of(*root, path), *keys) ? *grouped : NULL;
	}
}

/* Whether a path needs a filter when it is first asked for a row. */
static bool
reads_first(const Path *path)
{
	return IsA(path, GatherPath) || IsA(path, GatherMergePath) ||
		node_reads_first(path->pathtype, IsA(path, AggPath) ? ((const AggPath *) path)->aggstrategy : AGG_SORTED);
}

/* Whether a join needs a filter in one of its inputs when it is first asked for a row. A merge join may sort an input. */
static bool
join_reads_first(const JoinPath *join, const Path *input)
{
	if (IsA(join, MergePath))
		return (input == join->innerjoinpath ? ((const MergePath *) join)->innersortkeys : ((const MergePath *) join)->outersortkeys) != NIL;
	return IsA(join, HashPath) && input == join->innerjoinpath;
}

List *
path_keys_of_arm(const PlannerInfo *root, const Path *arm, List *keys)
{
	if (arm->parent->reloptkind != RELOPT_OTHER_MEMBER_REL)
		return NIL;
	return join_keys_of_columns(keys, root->append_rel_array[arm->parent->relid]->translated_vars);
}

/* Whether workers can find a filter in the memory that they share for a scan, or for the scan of a partition. */
static bool
is_shared_scan(Path *path)
{
	ListCell   *cell;

	if (IsA(path, AppendPath))
		foreach(cell, ((AppendPath *) path)->subpaths)
			if (is_shared_scan(lfirst(cell)))
				return true;
	return !IsA(path, AppendPath) && path->parallel_aware;
}

static double
probes_below(PlannerInfo *root, Path *path, List *keys, bool at_once, bool gathered)
{
	Path	   *input;
	double		rows = 0;
	ListCell   *cell;

	if (keys == NIL)
		return 0;
	if (path_scans_table(path))
		return are_of(keys, path) && filter_scan_can_read(root, path->parent->relid) && (!gathered || is_shared_scan(path)) ?
			path_scanned_rows(path, true) : 0;
	if (path_is_join(path))
	{
		input = path_probed_input((const JoinPath *) path, keys);
		if (at_once && join_reads_first((const JoinPath *) path, input))
			return 0;
	}
	else if (IsA(path, AppendPath))
	{
		foreach(cell, ((AppendPath *) path)->subpaths)
		{
			double		of_arm = probes_below(root, lfirst(cell), path_keys_of_arm(root, lfirst(cell), keys), at_once, gathered);

			if (of_arm == 0)
				return 0;
			rows += of_arm;
		}
		return rows;
	}
	else
	{
		gathered |= IsA(path, GatherPath) || IsA(path, GatherMergePath);
		input = at_once && reads_first(path) ? NULL : path_passed_input(&root, path, &keys);
	}
	return input != NULL ? probes_below(root, input, keys, at_once, gathered) : 0;
}

double
path_probes(PlannerInfo *root, Path *path, List *keys, bool at_once)
{
	return probes_below(root, path, keys, at_once, false);
}
