#include "scan/condition.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash.h"
#include "estimate/probe.h"
#include "scan/rows.h"
#include "stored/cache.h"
#include "stored/datum.h"
#include "value/hasher.h"
#include "value/kind_name.h"

typedef struct ConditionFilter
{
	RowFilter	common;
	ExprState  *expression;
	ExprContext *econtext;
	KeyReader	key;
	Oid			type;
	Oid			collation;
	MemoryContext context;		/* the query's */
	ValueHasher *hasher;		/* null until there is a key that is not null */
	FilterCache cache;

	/* From its first use in a scan on. */
	bool		evaluated;
	bool		is_null;		/* then no row passes */
	MemoryContext scan_context; /* reset before the next scan */
	Datum		datum;
	SeenFilter *seen;			/* valid until the next scan */
} ConditionFilter;

/* Whether an expression has one value during a scan that it has no columns of. */
static bool
is_constant_during_scan(Node *expression)
{
	return !contain_var_clause(expression) && !contain_volatile_functions(expression) && !contain_subplans(expression);
}

bool
filter_condition_find(FilterCondition *condition, Node *clause)
{
	Oid			function;
	List	   *args;
	Probe		probe;

	if (IsA(clause, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) clause;

		function = call->funcid;
		args = call->args;
		condition->collation = call->inputcollid;
	}
	else if (IsA(clause, OpExpr))
	{
		OpExpr	   *call = (OpExpr *) clause;

		function = get_opcode(call->opno);
		args = call->args;
		condition->collation = call->inputcollid;
	}
	else
		return false;

	if (probe_init(&probe, NULL, function, condition->collation, args, 0))
	{
		Var		   *column = (Var *) probe.value;

		/* A column may have become an untyped literal by a cast, which is read in a different way. */
		if (!IsA(column, Var) || column->varlevelsup != 0 || column->varattno <= 0 || !probe_value_is_typed(&probe))
			return false;
		condition->filter = list_nth(args, probe.filter_argument);
		condition->column = column->varattno;
		condition->type = exprType(list_nth(args, 1 - probe.filter_argument));
		return is_constant_during_scan((Node *) condition->filter);
	}
	return false;
}

/*
 * The filter of a condition.
 */

static void
condition_filter_evaluate(ConditionFilter *filter)
{
	MemoryContext caller = MemoryContextSwitchTo(filter->scan_context);

	filter->datum = ExecEvalExpr(filter->expression, filter->econtext, &filter->is_null);
	if (!filter->is_null)
	{
		struct varlena *stored = (struct varlena *) DatumGetPointer(filter->datum);

		/* The cache uses any other filter in place. */
		if (!VARATT_IS_EXTERNAL_ONDISK(stored) && !VARATT_IS_4B_C(stored))
			filter->datum = PointerGetDatum(filter_detoast(filter->datum));
		filter->seen = filter_cache_find(&filter->cache, filter->datum);
	}
	filter->evaluated = true;
	filter->common.settled = filter->is_null;
	MemoryContextSwitchTo(caller);
}

static bool
condition_filter_begin(RowFilter *common, const PageRows *rows)
{
	ConditionFilter *filter = (ConditionFilter *) common;

	(void) rows;
	if (!filter->evaluated)
		condition_filter_evaluate(filter);
	return true;
}

/* Make the hasher, and compare its kind with the filter's: the same error as that of contains. */
static void
condition_filter_check_kinds(ConditionFilter *filter)
{
	const ValueKind *kind = &filter->seen->filter.kind;

	if (filter->hasher == NULL)
		filter->hasher = value_hasher_create(filter->type, filter->collation, filter->context);
	if (!value_kinds_exact_numbers(kind, &filter->hasher->kind))
		value_kind_check(kind, &filter->hasher->kind);
	filter->common.settled = true;
}

static void
condition_filter_hash(RowFilter *common, PageRows *rows, uint64 *hashes)
{
	ConditionFilter *filter = (ConditionFilter *) common;
	Datum		keys[MaxHeapTuplesPerPage];
	int			count;

	if (filter->is_null)
	{
		rows->count = 0;
		return;
	}
	keys_read(&filter->key, rows, keys);
	page_prefetch_next(rows);
	count = rows->count;
	if (count == 0)
		return;
	if (unlikely(!common->settled))
		condition_filter_check_kinds(filter);
	for (int i = 0; i < count; i++)
	{
		if (filter->hasher->hash_many != NULL)
			i += filter->hasher->hash_many(keys + i, count - i, hashes + i);
		if (i == count)
			break;
		hashes[i] = value_hash(filter->hasher, keys[i]);
		/* One that has to be decompressed, for example. */
		if (unlikely(!common->key_context->isReset))
			row_filter_reset_key(common);
	}
	for (int i = 0; i < count; i++)
		hashes[i] = filter_spread(hashes[i]);
}

static int
condition_filter_contained(RowFilter *common, const PageRows *rows, const uint64 *hashes, uint32 *index)
{
	ConditionFilter *filter = (ConditionFilter *) common;
	int			count = 0;

	if (filter->seen->filter.image == NULL)
		filter_cache_expect(&filter->cache, filter->seen, filter->datum,
							(uint64) (rows->expected * rows->count / rows->taken));
	if (filter->seen->filter.image != NULL)
		return (int) filter_contained(&filter->seen->filter, hashes, (size_t) rows->count, index);
	/* Of a stored filter, only the header has been fetched so far. */
	for (int i = 0; i < rows->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		index[count] = (uint32) i;
		count += filter_cache_contains(&filter->cache, filter->seen, filter->datum, hashes[i]);
	}
	MemoryContextReset(common->key_context);
	return count;
}

static void
condition_filter_forget(RowFilter *common)
{
	ConditionFilter *filter = (ConditionFilter *) common;

	common->settled = false;
	filter->evaluated = false;
	filter->seen = NULL;
	MemoryContextReset(filter->scan_context);
}

RowFilter *
condition_filter_create(const FilterCondition *condition, PlanState *node, TupleDesc descriptor)
{
	RowFilter  *common = row_filter_create(sizeof(ConditionFilter));
	ConditionFilter *filter = (ConditionFilter *) common;

	common->begin = condition_filter_begin;
	common->hash = condition_filter_hash;
	common->contained = condition_filter_contained;
	common->forget = condition_filter_forget;
	filter->expression = ExecInitExpr(condition->filter, node);
	filter->econtext = node->ps_ExprContext;
	key_reader_init(&filter->key, descriptor, condition->column);
	filter->type = condition->type;
	filter->collation = condition->collation;
	filter->context = CurrentMemoryContext;
	filter->scan_context = AllocSetContextCreate(CurrentMemoryContext, "filter of a scan", ALLOCSET_SMALL_SIZES);
	filter_cache_init(&filter->cache, CurrentMemoryContext);
	return common;
}
