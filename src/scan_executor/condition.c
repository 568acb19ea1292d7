/*
 * The filter of a condition is evaluated once per scan, and the library of the types probes it through probe_api.h. Without
 * that library, no condition is probed by pages.
 */
#include "scan_executor/condition.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "compat.h"

typedef struct ConditionFilter
{
	RowFilter	common;
	ExprState  *expression;
	ExprContext *econtext;
	KeyReader	key;
	const ProbeApi *api;
	ProbeState *probe;

	/* From the first use in a scan on, these hold its filter. */
	bool		evaluated;
	bool		is_null;		/* then no row passes */
	MemoryContext scan_context; /* reset before the next scan */
} ConditionFilter;

static void
condition_evaluate(ConditionFilter *filter)
{
	MemoryContext caller = MemoryContextSwitchTo(filter->scan_context);
	Datum		datum = ExecEvalExpr(filter->expression, filter->econtext, &filter->is_null);

	if (!filter->is_null)
		filter->api->open(filter->probe, datum);
	MemoryContextSwitchTo(caller);
	filter->evaluated = true;
}

static bool
condition_hash(RowFilter *common, PageRows *rows, uint64 *hashes)
{
	ConditionFilter *filter = (ConditionFilter *) common;
	Datum		keys[MaxHeapTuplesPerPage];

	if (!filter->evaluated)
		condition_evaluate(filter);
	if (filter->is_null)
		rows->count = 0;
	else
		keys_read(&filter->key, rows, keys, hashes);
	next_page_prefetch(&rows->next);
	if (rows->count > 0)
		filter->api->hash(filter->probe, keys, rows->count, hashes);
	if (filter->is_null || rows->count > 0)
		common->settled = true;
	return true;
}

static int
condition_contained(RowFilter *common, const PageRows *rows, const uint64 *hashes, uint32 *index)
{
	ConditionFilter *filter = (ConditionFilter *) common;

	return filter->api->contained(filter->probe, hashes, rows->count, (uint64) (rows->expected * rows->count / rows->taken), index);
}

static void
condition_forget(RowFilter *common)
{
	ConditionFilter *filter = (ConditionFilter *) common;

	common->settled = false;
	filter->evaluated = false;
	MemoryContextReset(filter->scan_context);
}

RowFilter *
condition_filter_create(const ProbeCondition *condition, PlanState *node, TupleDesc descriptor)
{
	RowFilter  *common = row_filter_create(sizeof(ConditionFilter));
	ConditionFilter *filter = (ConditionFilter *) common;

	common->hash = condition_hash;
	common->contained = condition_contained;
	common->forget = condition_forget;
	filter->expression = ExecInitExpr(condition->filter, node);
	filter->econtext = node->ps_ExprContext;
	filter->api = probe_api_find();
	filter->probe = filter->api->create(condition);
	key_reader_init(&filter->key, descriptor, condition->column);
	filter->scan_context = AllocSetContextCreate(CurrentMemoryContext, "filter of a scan", ALLOCSET_SMALL_SIZES);
	return common;
}
