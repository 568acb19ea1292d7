/*
 * The filter of a condition is evaluated once per scan, and the library of the types probes it through probe_api.h. Without
 * that library, no condition is probed by pages.
 */
#include "scan_executor/condition.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "compat.h"

typedef struct ConditionProbe
{
	RowFilter	common;
	ExprState  *expression;
	ExprContext *econtext;
	KeyReader	key;
	const ProbeApi *api;
	ProbeState *state;

	/* From the first use in a scan on, these hold its filter. */
	bool		evaluated;
	bool		is_null;		/* then no row passes */
	MemoryContext scan_context; /* reset before the next scan */
} ConditionProbe;

static void
condition_evaluate(ConditionProbe *probe)
{
	MemoryContext caller = MemoryContextSwitchTo(probe->scan_context);
	Datum		datum = ExecEvalExpr(probe->expression, probe->econtext, &probe->is_null);

	if (!probe->is_null)
		probe->api->open(probe->state, datum);
	MemoryContextSwitchTo(caller);
	probe->evaluated = true;
}

static bool
condition_hash(RowFilter *common, PageRows *rows, uint64 *hashes)
{
	ConditionProbe *probe = (ConditionProbe *) common;
	Datum		keys[MaxHeapTuplesPerPage];

	if (!probe->evaluated)
		condition_evaluate(probe);
	if (probe->is_null)
		rows->count = 0;
	else
		keys_read(&probe->key, rows, keys, hashes);
	next_page_prefetch(&rows->next);
	if (rows->count > 0)
		probe->api->hash(probe->state, keys, rows->count, hashes);
	if (probe->is_null || rows->count > 0)
		common->settled = true;
	return true;
}

static int
condition_contained(RowFilter *common, const PageRows *rows, const uint64 *hashes, uint32 *index)
{
	ConditionProbe *probe = (ConditionProbe *) common;

	return probe->api->contained(probe->state, hashes, rows->count, (uint64) (rows->expected * rows->count / rows->total), index);
}

static void
condition_forget(RowFilter *common)
{
	ConditionProbe *probe = (ConditionProbe *) common;

	common->settled = false;
	probe->evaluated = false;
	MemoryContextReset(probe->scan_context);
}

RowFilter *
condition_probe_create(const ProbeCondition *condition, PlanState *node, TupleDesc descriptor)
{
	RowFilter  *common = row_filter_create(sizeof(ConditionProbe));
	ConditionProbe *probe = (ConditionProbe *) common;

	common->hash = condition_hash;
	common->contained = condition_contained;
	common->forget = condition_forget;
	probe->expression = ExecInitExpr(condition->filter, node);
	probe->econtext = node->ps_ExprContext;
	probe->api = probe_api_find();
	probe->state = probe->api->create(condition);
	key_reader_init(&probe->key, descriptor, condition->column);
	probe->scan_context = AllocSetContextCreate(CurrentMemoryContext, "filter of a scan", ALLOCSET_SMALL_SIZES);
	return common;
}
