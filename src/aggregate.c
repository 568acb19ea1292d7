/*
 * bf_agg and cf_agg: a filter of all values of a column.
 *
 * Both collect the 64-bit hashes of the values and build the filter at the end, when the number of distinct values is
 * known. A Bloom filter with a capacity given is built on the way instead, once the hashes and what sorting them takes
 * would need more memory than it does; not in the partial stage of a parallel plan, though, where each process sees only
 * its share: filters that are each full of different values could not be merged within the rate asked for, hashes can.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "libpq/pqformat.h"
#include "nodes/primnodes.h"
#include "utils/memutils.h"

#include "compat.h"
#include "filter_datum.h"
#include "hash_collector.h"
#include "mutable_filter.h"
#include "value_hash.h"
#include "value_kind_name.h"

/* Values gathered before they are added to a Bloom filter, so that their blocks can be fetched together. */
#define PENDING 64

typedef struct BuildState
{
	FilterType	type;
	double		rate;
	int64		capacity;		/* 0: that of the data */
	bool		files_are_watched;
	ValueKind	kind;			/* of the values so far */
	char	   *kind_name;
	uint32		kind_name_length;
	MemoryContext context;
	HashCollector collector;
	Size		streaming_at;	/* hashes in memory at which the filter takes over; SIZE_MAX for never */
	MutableFilter *streaming;	/* null while hashes are collected */
	int			pending;
	uint64	   *pending_hashes;
} BuildState;

/*
 * The state.
 */

static bool
is_partial_stage(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);

	return aggref != NULL && DO_AGGSPLIT_SKIPFINAL(aggref->aggsplit);
}

static void
close_collector(Datum state)
{
	collector_close(&((BuildState *) DatumGetPointer(state))->collector);
}

/* Have the files of a collector closed at the end of the aggregation, once there are any. */
static void
watch_files(FunctionCallInfo fcinfo, BuildState *state)
{
	if (state->collector.partitions == NULL || state->files_are_watched)
		return;
	AggRegisterCallback(fcinfo, close_collector, PointerGetDatum(state));
	state->files_are_watched = true;
}

static BuildState *
create_state(FunctionCallInfo fcinfo, MemoryContext context, FilterType type, int64 capacity, double rate)
{
	BuildState *state = MemoryContextAllocZero(context, sizeof(BuildState));
	/* Only an Agg node calls back when it ends; a window function's state never leaves memory. */
	bool		may_spill = AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_AGGREGATE;

	state->type = type;
	state->rate = rate;
	state->capacity = capacity;
	state->context = context;
	state->streaming_at = SIZE_MAX;
	collector_init(&state->collector, context, may_spill);
	return state;
}

/* Check the parameters once, before any memory is spent, and decide when a Bloom filter is the smaller state. */
static void
plan_state(FunctionCallInfo fcinfo, BuildState *state)
{
	Filter		filter;
	double		bytes = 0.0;
	FilterStatus status = filter_init(&filter, state->type, state->rate);

	if (status == FILTER_OK && state->capacity != 0)
	{
		status = filter_append_layer(&filter, (uint64) state->capacity, &bytes);
		if (status == FILTER_OK)
			status = filter_lay_out(&filter, &bytes);
	}
	if (status != FILTER_OK)
		filter_report(status, bytes);
	if (state->type == FILTER_BLOOM && state->capacity != 0 && !is_partial_stage(fcinfo))
		state->streaming_at = Min((Size) bytes / (2 * sizeof(uint64)), collector_memory_limit());
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

static void
check_parameters(const BuildState *state, int64 capacity, double rate)
{
	if (capacity != state->capacity || rate != state->rate)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity and false positive rate of a filter must be the same in every row"),
				 errhint("Give constants, or group by them.")));
}

static void
set_kind(BuildState *state, ValueKind kind, const char *name, uint32 name_length)
{
	state->kind = kind;
	state->kind_name_length = name_length;
	state->kind_name = MemoryContextAllocZero(state->context, name_length + 1);
	memcpy(state->kind_name, name, name_length);
}

/* The state's kind as a filter without layers, for comparing and for building. */
static void
describe_state(const BuildState *state, Filter *filter)
{
	if (filter_init(filter, state->type, state->rate) != FILTER_OK)
		filter_report(FILTER_BAD_RATE, 0.0);
	filter->kind = state->kind;
	filter->kind_name = state->kind_name;
	filter->kind_name_length = state->kind_name_length;
}

static void
check_kind(BuildState *state, const ValueHasher *hasher)
{
	Filter		filter;

	if (state->kind == VALUE_KIND_NONE)
	{
		set_kind(state, hasher->kind, hasher->kind_name, hasher->kind_name_length);
		return;
	}
	if (likely(state->kind == hasher->kind && hasher->kind != VALUE_KIND_NAMED))
		return;
	describe_state(state, &filter);
	value_kind_check(&filter, hasher);
}

/*
 * Building.
 */

static bool
build_with(const uint64 *hashes, Size count, void *filter)
{
	return filter_build(filter, hashes, count) == FILTER_OK;
}

/* A Bloom filter of the distinct hashes collected, with more layers where they are more than its capacity. */
static void
build_bloom(BuildState *state, MutableFilter *mutable, uint64 distinct)
{
	describe_state(state, &mutable->filter);
	mutable->context = CurrentMemoryContext;
	mutable->datum = filter_allocate(&mutable->filter);
	mutable_filter_grow(mutable, state->capacity != 0 ? (uint64) state->capacity : distinct);
	while (filter_capacity(&mutable->filter) < distinct)
		mutable_filter_grow(mutable, 0);
	(void) collector_visit(&state->collector, build_with, &mutable->filter);
}

static void
flush_pending(BuildState *state)
{
	(void) mutable_filter_add_all(state->streaming, state->pending_hashes, state->pending, false);
	state->pending = 0;
}

/* Turn the hashes collected so far into a Bloom filter and go on with that. */
static void
start_streaming(BuildState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	uint64		distinct = collector_distinct(&state->collector);

	state->streaming = palloc0(sizeof(MutableFilter));
	state->pending_hashes = palloc(sizeof(uint64) * PENDING);
	build_bloom(state, state->streaming, distinct);
	/* The hashes were distinct, so what they leave of the capacity is known without a look at the bits. */
	if (state->streaming->filter.layers == 1)
		state->streaming->filter.room = (uint64) state->capacity - distinct;
	collector_close(&state->collector);
	MemoryContextSwitchTo(old);
}

static void
add_hash(BuildState *state, uint64 hash)
{
	if (state->streaming != NULL)
	{
		state->pending_hashes[state->pending++] = hash;
		if (state->pending == PENDING)
			flush_pending(state);
		return;
	}
	/* Looked at only when the collector is full anyway, so that repeats do not make it sort for every row. */
	if (unlikely(state->collector.count == state->collector.allocated && state->collector.count >= state->streaming_at) &&
		collector_compact(&state->collector) >= state->streaming_at)
	{
		start_streaming(state);
		state->pending_hashes[state->pending++] = hash;
		return;
	}
	collector_add(&state->collector, hash);
}

static bool
add_to_collector(const uint64 *hashes, Size count, void *collector)
{
	collector_add_all(collector, hashes, count);
	return true;
}

static struct varlena *
finish_cuckoo(BuildState *state, uint64 distinct)
{
	Filter		planned,
				filter;
	struct varlena *datum;
	double		bytes;
	FilterStatus status;

	describe_state(state, &planned);
	status = filter_append_layer(&planned, Max((uint64) state->capacity, distinct), &bytes);
	for (;;)
	{
		if (status != FILTER_OK)
			filter_report(status, bytes);
		filter = planned;
		datum = filter_allocate(&filter);
		if (collector_visit(&state->collector, build_with, &filter))
			return datum;
		/* Rare: the values' places were too crowded somewhere. */
		pfree(datum);
		status = filter_enlarge_newest(&planned, &bytes);
	}
}

static struct varlena *
finish(BuildState *state)
{
	uint64		distinct;

	if (state->streaming != NULL)
	{
		struct varlena *datum;

		flush_pending(state);
		/* The state may be finished again, after more rows of a window frame. */
		datum = palloc(VARSIZE(state->streaming->datum));
		memcpy(datum, state->streaming->datum, VARSIZE(state->streaming->datum));
		return datum;
	}
	distinct = collector_distinct(&state->collector);
	if (distinct == 0 && state->capacity == 0)
	{
		Filter		empty;

		describe_state(state, &empty);
		return filter_allocate(&empty);
	}
	if (state->type == FILTER_BLOOM)
	{
		MutableFilter mutable;

		build_bloom(state, &mutable, distinct);
		return mutable.datum;
	}
	return finish_cuckoo(state, distinct);
}

/*
 * SQL: transition and final functions.
 */

static Datum
transition(FunctionCallInfo fcinfo, FilterType type)
{
	MemoryContext context;
	BuildState *state;
	ValueHasher *hasher;
	int64		capacity;
	double		rate;
	uint64		hash;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called in non-aggregate context");

	read_parameters(fcinfo, &capacity, &rate);
	if (PG_ARGISNULL(0))
	{
		state = create_state(fcinfo, context, type, capacity, rate);
		plan_state(fcinfo, state);
	}
	else
	{
		state = (BuildState *) PG_GETARG_POINTER(0);
		check_parameters(state, capacity, rate);
	}

	if (!PG_ARGISNULL(1))
	{
		hasher = fcinfo->flinfo->fn_extra;
		if (unlikely(hasher == NULL))
		{
			Oid			value_type = get_fn_expr_argtype(fcinfo->flinfo, 1);

			if (!OidIsValid(value_type))
				ereport(ERROR,
						(errcode(ERRCODE_INDETERMINATE_DATATYPE),
						 errmsg("could not determine the type of the value")));
			hasher = value_hasher_create(value_type, PG_GET_COLLATION(), fcinfo->flinfo->fn_mcxt);
			fcinfo->flinfo->fn_extra = hasher;
		}
		hash = value_hash(hasher, PG_GETARG_DATUM(1));
		check_kind(state, hasher);
		add_hash(state, hash);
		watch_files(fcinfo, state);
	}
	PG_RETURN_POINTER(state);
}

static Datum
final(FunctionCallInfo fcinfo, FilterType type)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called in non-aggregate context");
	if (PG_ARGISNULL(0))
	{
		Filter		empty;

		if (filter_init(&empty, type, FILTER_DEFAULT_RATE) != FILTER_OK)
			elog(ERROR, "the default false positive rate is out of range");
		PG_RETURN_POINTER(filter_allocate(&empty));
	}
	PG_RETURN_POINTER(finish((BuildState *) PG_GETARG_POINTER(0)));
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
 * parameters, the kind, then the hashes. No state of a partial stage, nor one that others are combined into, streams.
 */

PG_FUNCTION_INFO_V1(sql_agg_combine);
Datum
sql_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	BuildState *target;
	BuildState *source;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate combine function called in non-aggregate context");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	source = (BuildState *) PG_GETARG_POINTER(1);
	if (PG_ARGISNULL(0))
	{
		target = create_state(fcinfo, context, source->type, source->capacity, source->rate);
	}
	else
	{
		target = (BuildState *) PG_GETARG_POINTER(0);
		check_parameters(target, source->capacity, source->rate);
	}

	if (source->kind != VALUE_KIND_NONE)
	{
		Filter		of_target,
					of_source;

		describe_state(target, &of_target);
		describe_state(source, &of_source);
		value_kinds_check(&of_target, &of_source);
		if (target->kind == VALUE_KIND_NONE)
			set_kind(target, source->kind, source->kind_name, source->kind_name_length);
	}
	(void) collector_visit(&source->collector, add_to_collector, &target->collector);
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
	BuildState *state;
	StringInfoData to;
	uint64		distinct;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called in non-aggregate context");
	state = (BuildState *) PG_GETARG_POINTER(0);

	pq_begintypsend(&to);
	pq_sendbyte(&to, (uint8) state->type);
	pq_sendfloat8(&to, state->rate);
	pq_sendint64(&to, (uint64) state->capacity);
	pq_sendbyte(&to, (uint8) state->kind);
	pq_sendint32(&to, state->kind_name_length);
	if (state->kind_name_length > 0)
		pq_sendbytes(&to, state->kind_name, (int) state->kind_name_length);
	distinct = collector_distinct(&state->collector);
	if (distinct * sizeof(uint64) > MaxAllocSize - 65536)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a parallel worker collected " UINT64_FORMAT " distinct values, more than it can hand over",
						distinct),
				 errhint("Set max_parallel_workers_per_gather to 0 for this query.")));
	enlargeStringInfo(&to, (int) (distinct * sizeof(uint64)));
	(void) collector_visit(&state->collector, append_hashes, &to);
	PG_RETURN_BYTEA_P(pq_endtypsend(&to));
}

PG_FUNCTION_INFO_V1(sql_agg_deserialize);
Datum
sql_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes;
	StringInfoData from;
	BuildState *state;
	int			length;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called in non-aggregate context");
	bytes = PG_GETARG_BYTEA_PP(0);
	from.data = VARDATA_ANY(bytes);
	from.len = from.maxlen = VARSIZE_ANY_EXHDR(bytes);
	from.cursor = 0;

	state = palloc0(sizeof(BuildState));
	state->context = CurrentMemoryContext;
	state->type = pq_getmsgbyte(&from) == FILTER_BLOOM ? FILTER_BLOOM : FILTER_CUCKOO;
	state->rate = pq_getmsgfloat8(&from);
	state->capacity = pq_getmsgint64(&from);
	state->streaming_at = SIZE_MAX;
	state->kind = (ValueKind) pq_getmsgbyte(&from);
	length = (int) pq_getmsgint(&from, 4);
	set_kind(state, state->kind, pq_getmsgbytes(&from, length), (uint32) length);
	length = from.len - from.cursor;
	collector_init(&state->collector, CurrentMemoryContext, false);
	collector_take_sorted(&state->collector, pq_getmsgbytes(&from, length), (Size) length / sizeof(uint64));
	pq_getmsgend(&from);
	PG_RETURN_POINTER(state);
}
