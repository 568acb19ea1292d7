/*
 * A scan skips its partition by the bounds that the planner has noted in the plan (scan_planner/bounds.h).
 *
 * The bounds are searched once for each filter and partitioned table, by all distinct keys that the filter has kept, which
 * takes a binary search for each of them, whatever the number of partitions. The scan of each partition then looks up whether
 * it was found. Partitions that are attached or detached meanwhile are not among those that were searched, and are scanned.
 */
#include "scan_executor/skip.h"

#include "access/nbtree.h"
#include "access/table.h"
#include "nodes/makefuncs.h"
#include "partitioning/partdesc.h"
#include "partitioning/partprune.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/partcache.h"
#include "utils/rel.h"

#include "scan_executor/runtime_filter.h"

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

/* The indexes of the partitions that may have rows with some key of the range. */
static Bitmapset *
matching_partitions(PartitionKey partitions, PartitionDesc descriptor, const KeyRange *range)
{
	Oid			compare = get_opfamily_proc(partitions->partopfamily[0], partitions->partopcintype[0], range->type, BTORDER_PROC);
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
		PartitionPruneStepCombine *both = makeNode(PartitionPruneStepCombine);
		List	   *steps = list_make1(comparison_with_value(range, compare, 0, BTGreaterEqualStrategyNumber, range->value[0]));

		if (partitions->partnatts > 1)
			return get_matching_partitions(&context, steps);
		steps = lappend(steps, comparison_with_value(range, compare, 1, BTLessEqualStrategyNumber, range->value[range->count - 1]));
		both->step.step_id = 2;
		both->combineOp = PARTPRUNE_COMBINE_INTERSECT;
		both->source_stepids = list_make2_int(0, 1);
		return get_matching_partitions(&context, lappend(steps, both));
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

/* Whether a filter rejects all rows within one of the bounds. */
static bool
rejects_table(RuntimeFilter *filter, const List *bounds)
{
	ListCell   *cell;

	foreach(cell, bounds)
	{
		const RuntimeProbeBound *bound = lfirst(cell);
		KeyRange   *range = filter->ranges[bound->key];

		if (range == NULL || !range->known)
			continue;
		if (!list_member_oid(range->searched, bound->parent))
			search_bounds(range, bound->parent);
		if (list_member_oid(range->skipped, bound->partition))
			return true;
	}
	return false;
}

bool
skip_rest(SkipState *state, const List *probes, RowFilter *const *row_filters)
{
	ListCell   *cell;

	if (state->decided)
		return state->skips;
	state->decided = true;
	foreach(cell, probes)
	{
		const RuntimeProbePlan *probe = lfirst(cell);
		RowFilter  *common = row_filters[foreach_current_index(cell)];
		RuntimeFilter *filter;

		if (probe->bounds == NIL)
			continue;
		filter = runtime_probe_filter(common);
		if (filter == NULL)
			state->decided = false;
		else if (rejects_table(filter, probe->bounds))
		{
			state->skips = state->decided = true;
			common->counts->skipped++;
			break;
		}
	}
	return state->skips;
}
