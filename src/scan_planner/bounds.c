/*
 * Each partitioned table above the scanned one that is partitioned by a key of the filter gives bounds.
 */
#include "scan_planner/bounds.h"

#include "access/nbtree.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "optimizer/cost.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"

const AppendRelInfo **
append_parents(const PlannedStmt *statement)
{
	const AppendRelInfo **parents = palloc0((list_length(statement->rtable) + 1) * sizeof(AppendRelInfo *));
	ListCell   *cell;

	foreach(cell, statement->appendRelations)
		parents[lfirst_node(AppendRelInfo, cell)->child_relid] = lfirst(cell);
	return parents;
}

/* Whether a table is partitioned by a column, in the order of the key, with the collation of the join. */
static bool
is_partitioned_by(Oid table, AttrNumber column, const JoinKey *build)
{
	Relation	relation = table_open(table, NoLock);
	PartitionKey partitions = RelationGetPartitionKey(relation);
	bool		result = (partitions->strategy == PARTITION_STRATEGY_RANGE || partitions->strategy == PARTITION_STRATEGY_LIST) &&
		partitions->partattrs[0] == column && partitions->partopfamily[0] == build->order &&
		partitions->partcollation[0] == build->collation &&
		OidIsValid(get_opfamily_proc(build->order, partitions->partopcintype[0], build->type, BTORDER_PROC));

	table_close(relation, NoLock);
	return result;
}

/* The bounds for one key: the tables above, from the scanned one on, that are partitioned by it. */
static List *
bounds_of_key(const PlannedStmt *statement, const AppendRelInfo **parents, Index table, AttrNumber column, const JoinKey *build,
			  int key)
{
	List	   *bounds = NIL;

	for (const AppendRelInfo *info = parents[table]; info != NULL; info = parents[table])
	{
		const RangeTblEntry *parent = rt_fetch(info->parent_relid, statement->rtable);

		if (parent->rtekind != RTE_RELATION || parent->relkind != RELKIND_PARTITIONED_TABLE || column > info->num_child_cols)
			break;
		column = info->parent_colnos[column - 1];
		if (is_partitioned_by(parent->relid, column, build))
		{
			RuntimeProbeBound *bound = plan_struct_create(RuntimeProbeBound);

			bound->key = key;
			bound->parent = parent->relid;
			bound->partition = rt_fetch(table, statement->rtable)->relid;
			bounds = lappend(bounds, bound);
		}
		table = info->parent_relid;
	}
	return bounds;
}

List *
partition_bounds(const PlannedStmt *statement, const AppendRelInfo **parents, const Plan *scan, const List *probe,
				 const List *build)
{
	List	   *bounds = NIL;
	ListCell   *cell,
			   *cell_build;

	if (!enable_partition_pruning)
		return NIL;
	forboth(cell, probe, cell_build, build)
	{
		const JoinKey *key = lfirst(cell);
		const Var  *column = castNode(Var, key->value);

		/* The column has the type that the join's operator takes, but for a cast that changes no bytes. */
		if (OidIsValid(key->order) && OidIsValid(((JoinKey *) lfirst(cell_build))->order) &&
			IsBinaryCoercible(column->vartype, key->type))
			bounds = list_concat(bounds, bounds_of_key(statement, parents, ((const Scan *) scan)->scanrelid,
													   column->varattno, lfirst(cell_build), foreach_current_index(cell)));
	}
	return bounds;
}
