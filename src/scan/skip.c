/*
 * Skipping partitions: which bounds the planner notes in the plan, and what the executor makes of them.
 *
 * The bounds are searched once for each filter and partitioned table, by all distinct keys that the filter has kept: that
 * takes a binary search for each of them, whatever the number of partitions. The scan of each partition then looks up whether
 * it was found. Partitions that are attached or detached meanwhile are not among those that were searched, and are scanned.
 */
#include "scan/skip.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "partitioning/partdesc.h"
#include "partitioning/partprune.h"
#include "utils/memutils.h"
#include "utils/partcache.h"
#include "utils/rel.h"

#include "scan/runtime_filter.h"

/*
 * In the plan.
 */

static const AppendRelInfo *
parent_of(const PlannedStmt *statement, Index child)
{
	ListCell   *cell;

	foreach(cell, statement->appendRelations)
		if (lfirst_node(AppendRelInfo, cell)->child_relid == child)
			return lfirst(cell);
	return NULL;
}

/* The function that compares bounds of a partitioned table with keys of a type; InvalidOid if there is none. */
static Oid
bound_comparison(PartitionKey partitions, Oid type)
{
	return get_opfamily_proc(partitions->partopfamily[0], partitions->partopcintype[0], type, BTORDER_PROC);
}

/* Whether a table is partitioned by a column, in the order of the key, with the collation of the join. */
static bool
is_partitioned_by(Oid table, AttrNumber column, const JoinKey *build)
{
	Relation	relation = table_open(table, NoLock);
	PartitionKey partitions = RelationGetPartitionKey(relation);
	bool		result = (partitions->strategy == PARTITION_STRATEGY_RANGE || partitions->strategy == PARTITION_STRATEGY_LIST) &&
		partitions->partattrs[0] == column && partitions->partopfamily[0] == build->order &&
		partitions->partcollation[0] == build->collation && OidIsValid(bound_comparison(partitions, build->type));

	table_close(relation, NoLock);
	return result;
}

/* The same for one key: the tables above, from the scanned one on, that are partitioned by it. */
static List *
bounds_of_key(const PlannedStmt *statement, Index table, AttrNumber column, const JoinKey *build, int key)
{
	List	   *bounds = NIL;
	const AppendRelInfo *info;

	for (info = parent_of(statement, table); info != NULL; info = parent_of(statement, table))
	{
		const RangeTblEntry *parent = rt_fetch(info->parent_relid, statement->rtable);

		if (parent->rtekind != RTE_RELATION || parent->relkind != RELKIND_PARTITIONED_TABLE || column > info->num_child_cols)
			break;
		column = info->parent_colnos[column - 1];
		if (is_partitioned_by(parent->relid, column, build))
			bounds = list_concat(bounds, list_make3_oid((Oid) key, parent->relid, rt_fetch(table, statement->rtable)->relid));
		table = info->parent_relid;
	}
	return bounds;
}

List *
skip_bounds(const PlannedStmt *statement, const Plan *scan, const List *probe, const List *build)
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

		/* The column is what the join's operator takes, but for a cast that changes no bytes. */
		if (OidIsValid(key->order) && OidIsValid(((JoinKey *) lfirst(cell_build))->order) &&
			IsBinaryCoercible(column->vartype, key->type))
			bounds = list_concat(bounds, bounds_of_key(statement, ((const Scan *) scan)->scanrelid, column->varattno,
													   lfirst(cell_build), foreach_current_index(cell)));
	}
	return bounds;
}

/*
 * In the executor.
 */

static PartitionPruneStep *
comparison_with_value(const KeyRange *range, Oid compare, int id, StrategyNumber strategy, Datum value)
{
	PartitionPruneStepOp *step = makeNode(PartitionPruneStepOp);

	step->step.step_id = id;
	step->opstrategy = strategy;
	step->exprs = list_make1(makeConst(range->type, -1, range->collation, range->length, value, false, range->by_value));
	step->cmpfns = list_make1_oid(compare);
	return &step->step;
}

static PartitionPruneStep *
both_steps(int id)
{
	PartitionPruneStepCombine *step = makeNode(PartitionPruneStepCombine);

	step->step.step_id = id;
	step->combineOp = PARTPRUNE_COMBINE_INTERSECT;
	step->source_stepids = list_make2_int(0, 1);
	return &step->step;
}

/* The indexes of the partitions that may have rows with some key of the range. */
static Bitmapset *
matching_partitions(PartitionKey partitions, PartitionDesc descriptor, const KeyRange *range)
{
	Oid			compare = bound_comparison(partitions, range->type);
	PartitionPruneContext context = {
		.strategy = partitions->strategy,
		.partnatts = partitions->partnatts,
		.nparts = descriptor->nparts,
		.boundinfo = descriptor->boundinfo,
		.partcollation = partitions->partcollation,
		.partsupfunc = partitions->partsupfunc,
		.stepcmpfuncs = palloc0(sizeof(FmgrInfo) * partitions->partnatts * 3),
		.ppccontext = CurrentMemoryContext,
	};
	Bitmapset  *matching = NULL;

	/*
	 * With several partition columns, PostgreSQL before the minor releases of November 2026 (15.20 and others) leaves out
	 * partitions whose bounds begin with the greatest value.
	 */
	if (range->overflowed)
	{
		List	   *steps = list_make1(comparison_with_value(range, compare, 0, BTGreaterEqualStrategyNumber, range->value[0]));

		if (partitions->partnatts > 1)
			return get_matching_partitions(&context, steps);
		steps = lappend(steps, comparison_with_value(range, compare, 1, BTLessEqualStrategyNumber, range->value[range->count - 1]));
		return get_matching_partitions(&context, lappend(steps, both_steps(2)));
	}
	for (int i = 0; i < range->count; i++)
	{
		PartitionPruneStep *step = comparison_with_value(range, compare, 0, BTEqualStrategyNumber, range->value[i]);

		matching = bms_join(matching, get_matching_partitions(&context, list_make1(step)));
	}
	return matching;
}

/* Note which partitions have none of the values. The parent is already locked, by the leader of a parallel query. */
static void
search_bounds(KeyRange *range, Oid parent)
{
	MemoryContext search = AllocSetContextCreate(CurrentMemoryContext, "search in the bounds of partitions", ALLOCSET_DEFAULT_SIZES);
	Relation	table = table_open(parent, AccessShareLock);
	PartitionDesc descriptor = RelationGetPartitionDesc(table, false);
	MemoryContext caller = MemoryContextSwitchTo(search);
	Bitmapset  *matching = NULL;

	if (descriptor->nparts > 0)
		matching = matching_partitions(RelationGetPartitionKey(table), descriptor, range);
	MemoryContextSwitchTo(GetMemoryChunkContext(range));
	range->searched = lappend_oid(range->searched, parent);
	for (int i = 0; i < descriptor->nparts; i++)
		if (!bms_is_member(i, matching))
			range->skipped = lappend_oid(range->skipped, descriptor->oids[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(search);
	table_close(table, AccessShareLock);
}

static bool
is_skipped(KeyRange *range, Oid parent, Oid partition)
{
	if (range == NULL || !range->known)
		return false;
	if (!list_member_oid(range->searched, parent))
		search_bounds(range, parent);
	return list_member_oid(range->skipped, partition);
}

/* Whether a filter rejects all rows within one of the bounds. */
static bool
rejects_table(RuntimeFilter *filter, const List *bounds)
{
	for (int i = 0; i < list_length(bounds); i += 3)
		if (is_skipped(filter->ranges[list_nth_oid(bounds, i)], list_nth_oid(bounds, i + 1), list_nth_oid(bounds, i + 2)))
			return true;
	return false;
}

bool
skip_rest(SkipState *state, RowFilter *const *filters, int count)
{
	if (state->decided)
		return state->skips;
	state->decided = true;
	for (int i = 0; i < count && !state->skips; i++)
	{
		const List *bounds = runtime_probe_bounds(filters[i]);
		RuntimeFilter *filter;

		if (bounds == NIL)
			continue;
		filter = runtime_probe_filter(filters[i]);
		if (filter == NULL)
			state->decided = false;
		else if (rejects_table(filter, bounds))
		{
			state->skips = state->decided = true;
			filters[i]->counts->skipped++;
		}
	}
	return state->skips;
}
