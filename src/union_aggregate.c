/*
 * bf_union_agg, bf_intersection_agg and cf_union_agg: one filter of many.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "filter_datum.h"
#include "mutable_filter.h"

typedef void (*Merge) (MutableFilter *target, const Filter *source);

/* The state after a filter, which is copied where it is the first. */
static MutableFilter *
merge_into(MutableFilter *state, MemoryContext context, Datum datum, Merge merge)
{
	Filter		source;

	if (state == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		state = palloc0(sizeof(MutableFilter));
		mutable_filter_from(state, datum);
		MemoryContextSwitchTo(old);
		return state;
	}
	filter_view(&source, datum);
	merge(state, &source);
	return state;
}

static Datum
transition(FunctionCallInfo fcinfo, Merge merge)
{
	MemoryContext context;
	MutableFilter *state = NULL;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called in non-aggregate context");
	if (!PG_ARGISNULL(0))
		state = (MutableFilter *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
		state = merge_into(state, context, PG_GETARG_DATUM(1), merge);
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

static Datum
combine(FunctionCallInfo fcinfo, Merge merge)
{
	MemoryContext context;
	MutableFilter *state = NULL;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate combine function called in non-aggregate context");
	if (!PG_ARGISNULL(0))
		state = (MutableFilter *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
		state = merge_into(state, context, PointerGetDatum(((MutableFilter *) PG_GETARG_POINTER(1))->datum), merge);
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

static Datum
final(FunctionCallInfo fcinfo, FilterType type)
{
	MutableFilter *state;
	struct varlena *result;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called in non-aggregate context");
	if (PG_ARGISNULL(0))
	{
		MutableFilter empty;

		mutable_filter_create(&empty, type, FILTER_DEFAULT_RATE);
		PG_RETURN_POINTER(empty.datum);
	}
	state = (MutableFilter *) PG_GETARG_POINTER(0);
	/* The state may be finished again, after more rows of a window frame. */
	result = palloc(VARSIZE(state->datum));
	memcpy(result, state->datum, VARSIZE(state->datum));
	PG_RETURN_POINTER(result);
}

PG_FUNCTION_INFO_V1(sql_union_agg_transition);
Datum
sql_union_agg_transition(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, mutable_filter_merge);
}

PG_FUNCTION_INFO_V1(sql_union_agg_combine);
Datum
sql_union_agg_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, mutable_filter_merge);
}

PG_FUNCTION_INFO_V1(sql_intersection_agg_transition);
Datum
sql_intersection_agg_transition(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, mutable_filter_intersect);
}

PG_FUNCTION_INFO_V1(sql_intersection_agg_combine);
Datum
sql_intersection_agg_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, mutable_filter_intersect);
}

PG_FUNCTION_INFO_V1(sql_bloom_merge_agg_final);
Datum
sql_bloom_merge_agg_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_merge_agg_final);
Datum
sql_cuckoo_merge_agg_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo, FILTER_CUCKOO);
}

PG_FUNCTION_INFO_V1(sql_merge_agg_serialize);
Datum
sql_merge_agg_serialize(PG_FUNCTION_ARGS)
{
	struct varlena *datum;
	struct varlena *result;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called in non-aggregate context");
	datum = ((MutableFilter *) PG_GETARG_POINTER(0))->datum;
	result = palloc(VARSIZE(datum));
	memcpy(result, datum, VARSIZE(datum));
	PG_RETURN_POINTER(result);
}

PG_FUNCTION_INFO_V1(sql_merge_agg_deserialize);
Datum
sql_merge_agg_deserialize(PG_FUNCTION_ARGS)
{
	MutableFilter *state;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called in non-aggregate context");
	state = palloc0(sizeof(MutableFilter));
	mutable_filter_from(state, PG_GETARG_DATUM(0));
	PG_RETURN_POINTER(state);
}
