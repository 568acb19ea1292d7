/*
 * bf_agg and cf_agg: a filter of all values of a column.
 *
 * The partial stage of a parallel plan hands over hashes: each process sees only its share of the values, and what filter
 * is right for all of them shows only when all are together. But see hands_over_filter.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "libpq/pqformat.h"
#include "nodes/primnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash.h"
#include "filter_builder.h"
#include "filter_datum.h"

/* What a call site of a transition function keeps in fn_extra. */
typedef struct AggregateSite
{
	ValueHasher *hasher;
	int64		capacity;		/* parameters that were checked last; -1 for none */
	double		rate;
	Size		filter_bytes;	/* of a filter with them, without a capacity 0 */
} AggregateSite;

static pg_noinline AggregateSite *
create_site(FunctionCallInfo fcinfo)
{
	AggregateSite *site;
	Oid			value_type = get_fn_expr_argtype(fcinfo->flinfo, 1);

	if (!OidIsValid(value_type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of the value")));
	site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(AggregateSite));
	site->hasher = value_hasher_create(value_type, PG_GET_COLLATION(), fcinfo->flinfo->fn_mcxt);
	site->capacity = -1;
	fcinfo->flinfo->fn_extra = site;
	return site;
}

/* Check the parameters before any memory is spent on values, once for all groups. */
static void
plan_filter(AggregateSite *site, FilterType type, int64 capacity, double rate)
{
	Filter		filter;
	double		bytes = 0.0;
	FilterStatus status;

	if (capacity == site->capacity && rate == site->rate)
		return;
	status = filter_init(&filter, type, rate);
	if (status == FILTER_OK && capacity != 0)
	{
		status = filter_append_layer(&filter, (uint64) capacity, &bytes);
		if (status == FILTER_OK)
			status = filter_lay_out(&filter, &bytes);
	}
	if (status != FILTER_OK)
		filter_report(status, bytes);
	site->capacity = capacity;
	site->rate = rate;
	site->filter_bytes = (Size) bytes;
}

static void
read_parameters(FunctionCallInfo fcinfo, int64 *capacity, double *rate)
{
	*capacity = 0;
	*rate = FILTER_DEFAULT_RATE;
	if (PG_NARGS() > 2 && !PG_ARGISNULL(2))
	{
		*capacity = PG_GETARG_INT64(2);
		if (*capacity < 1)
			filter_report(FILTER_BAD_CAPACITY, 0.0);
	}
	if (PG_NARGS() > 3 && !PG_ARGISNULL(3))
		*rate = PG_GETARG_FLOAT8(3);
}

static inline void
check_parameters(const FilterBuilder *builder, int64 capacity, double rate)
{
	if (unlikely(capacity != builder->capacity || rate != builder->rate))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity and false positive rate of a filter must be the same in every row"),
				 errhint("Give constants, or group by them.")));
}

static void
close_files(Datum builder)
{
	filter_builder_close((FilterBuilder *) DatumGetPointer(builder));
}

/* Have the files of a builder closed at the end of the aggregation, once there are any. */
static void
watch_files(FunctionCallInfo fcinfo, FilterBuilder *builder)
{
	if (likely(builder->collector.partitions == NULL) || builder->is_watched)
		return;
	AggRegisterCallback(fcinfo, close_files, PointerGetDatum(builder));
	builder->is_watched = true;
}

/* The state of the aggregates is a builder. */
static FilterBuilder *
create_state(FunctionCallInfo fcinfo, MemoryContext context, FilterType type, int64 capacity, double rate)
{
	/* Only an Agg node calls back when it ends; a window function's state never leaves memory. */
	bool		may_spill = AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_AGGREGATE;

	return filter_builder_create(context, type, capacity, rate, may_spill);
}

static bool
is_partial_stage(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);

	return aggref != NULL && DO_AGGSPLIT_SKIPFINAL(aggref->aggsplit);
}

static pg_noinline FilterBuilder *
begin_state(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type, int64 capacity, double rate)
{
	MemoryContext context;
	FilterBuilder *state;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called in non-aggregate context");
	plan_filter(site, type, capacity, rate);
	state = create_state(fcinfo, context, type, capacity, rate);
	if (type == FILTER_BLOOM && capacity != 0 && !is_partial_stage(fcinfo))
		filter_builder_allow_streaming(state, site->filter_bytes);
	/* Also where all values will be null. */
	filter_builder_take_kind(state, &site->hasher->kind);
	return state;
}

/* Only an aggregate can have a state to give, so whether this is one needs no look in every row. */
static Datum
transition(FunctionCallInfo fcinfo, FilterType type)
{
	AggregateSite *site = fcinfo->flinfo->fn_extra;
	FilterBuilder *state;
	int64		capacity;
	double		rate;

	if (unlikely(site == NULL))
		site = create_site(fcinfo);
	read_parameters(fcinfo, &capacity, &rate);
	if (PG_ARGISNULL(0))
		state = begin_state(fcinfo, site, type, capacity, rate);
	else
	{
		state = (FilterBuilder *) PG_GETARG_POINTER(0);
		check_parameters(state, capacity, rate);
	}

	if (!PG_ARGISNULL(1))
	{
		uint64		hash = filter_spread(value_hash(site->hasher, PG_GETARG_DATUM(1)));

		filter_builder_take_kind(state, &site->hasher->kind);
		filter_builder_add(state, hash);
		watch_files(fcinfo, state);
	}
	PG_RETURN_POINTER(state);
}

/* The filter of no rows: of the kind of the column, which the arguments that come behind the state have the type of. */
static struct varlena *
empty_filter(FunctionCallInfo fcinfo, FilterType type)
{
	Filter		empty;

	if (filter_init(&empty, type, FILTER_DEFAULT_RATE) != FILTER_OK)
		elog(ERROR, "the default false positive rate is out of range");
	empty.kind = create_site(fcinfo)->hasher->kind;
	return filter_allocate(&empty);
}

static Datum
final(FunctionCallInfo fcinfo, FilterType type)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called in non-aggregate context");
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(empty_filter(fcinfo, type));
	PG_RETURN_POINTER(filter_builder_finish((FilterBuilder *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(sql_bloom_agg_transition);
Datum
sql_bloom_agg_transition(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_agg_transition);
Datum
sql_cuckoo_agg_transition(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, FILTER_CUCKOO);
}

PG_FUNCTION_INFO_V1(sql_bloom_agg_final);
Datum
sql_bloom_agg_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_agg_final);
Datum
sql_cuckoo_agg_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo, FILTER_CUCKOO);
}

/*
 * Parallel plans: combine, serialize, deserialize. The serialized form travels between processes of one server only: the
 * parameters, then either the number of values and the image of a filter, or the kind and the hashes.
 */

/*
 * Whether a worker builds the Bloom filter of its own values and hands over that, which takes fewer bytes, leaves less to do
 * for the leader, and gives the same bits in the end, if together they do not outgrow the capacity.
 *
 * If they do, the leader puts filters side by side that are full of different values, and their rates add up. So a worker
 * hands over a filter only where all workers together can have no more values than 1.5 times the capacity: that is one full
 * filter and one half full at most, and half a filter has a rate that is next to nothing. That there is one such state of
 * each worker and no more is known where the partial aggregate is all that a worker's plan does.
 */
#define OUTGROWN_BY_FILTERS 1.5

static bool
hands_over_filter(FunctionCallInfo fcinfo, const FilterBuilder *builder, uint64 distinct)
{
	AggState   *aggregate = (AggState *) fcinfo->context;
	const Plan *plan;
	Filter		filter;
	double		bytes;
	/* What a plan made under other settings, and kept, may have: a worker knows at least the number of its own. */
	int			workers = Max(max_parallel_workers_per_gather, ParallelWorkerNumber + 1);
	int			processes = workers + (parallel_leader_participation ? 1 : 0);

	if (!IsParallelWorker() || builder->type != FILTER_BLOOM || builder->capacity == 0)
		return false;
	plan = aggregate->ss.ps.state->es_plannedstmt->planTree;
	if (IsA(plan, Sort))
		plan = outerPlan(plan);
	if (plan != aggregate->ss.ps.plan)
		return false;
	if ((double) distinct > OUTGROWN_BY_FILTERS * (double) builder->capacity / processes)
		return false;
	return filter_init(&filter, builder->type, builder->rate) == FILTER_OK &&
		filter_append_layer(&filter, (uint64) builder->capacity, &bytes) == FILTER_OK &&
		bytes < (double) distinct * sizeof(uint64);
}

PG_FUNCTION_INFO_V1(sql_agg_combine);
Datum
sql_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	FilterBuilder *target,
			   *source;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate combine function called in non-aggregate context");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	source = (FilterBuilder *) PG_GETARG_POINTER(1);
	if (PG_ARGISNULL(0))
		target = create_state(fcinfo, context, source->type, source->capacity, source->rate);
	else
	{
		target = (FilterBuilder *) PG_GETARG_POINTER(0);
		check_parameters(target, source->capacity, source->rate);
	}
	filter_builder_combine(target, source);
	watch_files(fcinfo, target);
	PG_RETURN_POINTER(target);
}

static bool
append_hashes(const uint64 *hashes, Size count, void *to)
{
	appendBinaryStringInfo(to, (const char *) hashes, (int) (count * sizeof(uint64)));
	return true;
}

PG_FUNCTION_INFO_V1(sql_agg_serialize);
Datum
sql_agg_serialize(PG_FUNCTION_ARGS)
{
	FilterBuilder *builder;
	StringInfoData to;
	uint64		distinct;
	bool		hands_over;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called in non-aggregate context");
	builder = (FilterBuilder *) PG_GETARG_POINTER(0);

	distinct = collector_distinct(&builder->collector);
	hands_over = hands_over_filter(fcinfo, builder, distinct);

	pq_begintypsend(&to);
	pq_sendbyte(&to, (uint8) builder->type);
	pq_sendfloat8(&to, builder->rate);
	pq_sendint64(&to, (uint64) builder->capacity);
	pq_sendbyte(&to, hands_over);
	if (hands_over)
	{
		struct varlena *datum = filter_builder_finish(builder);

		pq_sendint64(&to, distinct);
		pq_sendbytes(&to, VARDATA(datum), (int) (VARSIZE(datum) - VARHDRSZ));
		PG_RETURN_BYTEA_P(pq_endtypsend(&to));
	}

	pq_sendbyte(&to, (uint8) builder->kind.code);
	pq_sendbyte(&to, builder->kind.sources);
	pq_sendint16(&to, builder->kind.name_length);
	pq_sendbytes(&to, builder->kind.name, builder->kind.name_length);
	if (distinct * sizeof(uint64) > MaxAllocSize - 65536)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a parallel worker collected " UINT64_FORMAT " distinct values, more than it can hand over",
						distinct),
				 errhint("Set max_parallel_workers_per_gather to 0 for this query.")));
	enlargeStringInfo(&to, (int) (distinct * sizeof(uint64)));
	(void) collector_visit(&builder->collector, append_hashes, &to);
	PG_RETURN_BYTEA_P(pq_endtypsend(&to));
}

PG_FUNCTION_INFO_V1(sql_agg_deserialize);
Datum
sql_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes;
	StringInfoData from;
	FilterBuilder *state;
	FilterType	type;
	double		rate;
	int64		capacity;
	ValueKind	kind;
	int			length;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called in non-aggregate context");
	bytes = PG_GETARG_BYTEA_PP(0);
	from.data = VARDATA_ANY(bytes);
	from.len = from.maxlen = VARSIZE_ANY_EXHDR(bytes);
	from.cursor = 0;

	type = pq_getmsgbyte(&from) == FILTER_BLOOM ? FILTER_BLOOM : FILTER_CUCKOO;
	rate = pq_getmsgfloat8(&from);
	capacity = pq_getmsgint64(&from);
	if (pq_getmsgbyte(&from))
	{
		uint64		counted = (uint64) pq_getmsgint64(&from);

		length = from.len - from.cursor;
		state = filter_builder_from_image(CurrentMemoryContext, capacity, rate, pq_getmsgbytes(&from, length),
										  (Size) length, counted);
		pq_getmsgend(&from);
		PG_RETURN_POINTER(state);
	}

	state = filter_builder_create(CurrentMemoryContext, type, capacity, rate, false);
	kind.code = (ValueKindCode) pq_getmsgbyte(&from);
	kind.sources = (uint8) pq_getmsgbyte(&from);
	kind.name_length = (uint16) pq_getmsgint(&from, 2);
	kind.name = pq_getmsgbytes(&from, kind.name_length);
	filter_builder_take_kind(state, &kind);
	length = from.len - from.cursor;
	/* The bytes outlive the state, which the combine function is called with at once. */
	filter_builder_borrow(state, pq_getmsgbytes(&from, length), (Size) length / sizeof(uint64));
	pq_getmsgend(&from);
	PG_RETURN_POINTER(state);
}
