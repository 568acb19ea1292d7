/*
 * bf_union_agg, bf_intersection_agg and cf_union_agg: filters are merged into the first one, as each comes.
 */
#include "functions/aggregate.h"
#include "functions/sql_function.h"

/* Merge the next filter into the state. The first filter is copied; nulls are skipped. */
static Datum
merge_next(FunctionCallInfo fcinfo, bool is_combine, MutableFilterMerge merge)
{
	MemoryContext context;
	MutableFilter *state;
	Datum		datum;
	Filter		source;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}

	datum = PG_GETARG_DATUM(1);
	if (is_combine)
		datum = PointerGetDatum(((MutableFilter *) DatumGetPointer(datum))->datum);
	if (PG_ARGISNULL(0))
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		state = palloc0(sizeof(MutableFilter));
		mutable_filter_from(state, datum);
		MemoryContextSwitchTo(old);
		PG_RETURN_POINTER(state);
	}
	state = (MutableFilter *) PG_GETARG_POINTER(0);
	filter_view(&source, datum);
	aggregate_check_type(source.type, state->filter.type);
	merge(state, &source);
	PG_RETURN_POINTER(state);
}

/* The union of no filters is empty; the intersection would be everything, which no filter holds. */
static Datum
finish_merge(FunctionCallInfo fcinfo, FilterType type, bool is_union)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called in non-aggregate context");
	if (PG_ARGISNULL(0))
	{
		MutableFilter empty;

		if (!is_union)
			PG_RETURN_NULL();
		mutable_filter_create(&empty, type, FILTER_DEFAULT_RATE, 0);
		PG_RETURN_POINTER(empty.datum);
	}
	aggregate_check_type(((MutableFilter *) PG_GETARG_POINTER(0))->filter.type, type);
	/* The state may be finished again, after more rows of a window frame. */
	PG_RETURN_POINTER(filter_copy(((MutableFilter *) PG_GETARG_POINTER(0))->datum));
}

SQL_FUNCTION(sql_union_agg_transition, merge_next(fcinfo, false, mutable_filter_merge))
SQL_FUNCTION(sql_union_agg_combine, merge_next(fcinfo, true, mutable_filter_merge))
SQL_FUNCTION(sql_intersection_agg_transition, merge_next(fcinfo, false, mutable_filter_intersect))
SQL_FUNCTION(sql_intersection_agg_combine, merge_next(fcinfo, true, mutable_filter_intersect))
SQL_FUNCTION(sql_bloom_union_agg_final, finish_merge(fcinfo, FILTER_BLOOM, true))
SQL_FUNCTION(sql_cuckoo_union_agg_final, finish_merge(fcinfo, FILTER_CUCKOO, true))
SQL_FUNCTION(sql_intersection_agg_final, finish_merge(fcinfo, FILTER_BLOOM, false))

PG_FUNCTION_INFO_V1(sql_merge_agg_serialize);
Datum
sql_merge_agg_serialize(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called in non-aggregate context");
	PG_RETURN_POINTER(filter_copy(((MutableFilter *) PG_GETARG_POINTER(0))->datum));
}

PG_FUNCTION_INFO_V1(sql_merge_agg_deserialize);
Datum
sql_merge_agg_deserialize(PG_FUNCTION_ARGS)
{
	MutableFilter *state;
	const char *reason;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called in non-aggregate context");
	state = palloc0(sizeof(MutableFilter));
	mutable_filter_from(state, PG_GETARG_DATUM(0));
	/* Another extension can read states that a user has made. */
	reason = filter_invalid_reason(state->filter.type, state->datum);
	if (reason != NULL)
		filter_report_state(reason);
	PG_RETURN_POINTER(state);
}
