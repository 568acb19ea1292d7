/*
 * bf_agg and cf_agg: a filter of all values of a column.
 *
 * The partial stage of a parallel plan hands over hashes: each process sees only part of the values, and the right
 * filter can be chosen only once all of them are together. For the exception see hands_over_filter.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "libpq/pqformat.h"
#include "nodes/primnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "build/builder.h"
#include "core/hash.h"
#include "core/pause.h"
#include "functions/parameters.h"
#include "stored/datum.h"

/* The pools of a call site: one per memory context in which it has states, so at most one per grouping set. */
typedef struct SitePool
{
	CollectorPool pool;
	struct SitePool *next;
	struct SitePool **first;	/* head of the list */
} SitePool;

/* The fn_extra of a transition function's call site. */
typedef struct AggregateSite
{
	SitePool   *pools;
	ValueHasher *hasher;
	uint64		capacity;		/* parameters checked last */
	double		rate;			/* 0: none yet */
	Size		filter_bytes;	/* of a filter with these parameters; 0 without a capacity */
} AggregateSite;

static pg_noinline AggregateSite *
create_site(FunctionCallInfo fcinfo, FilterType type)
{
	AggregateSite *site;
	Oid			value_type = get_fn_expr_argtype(fcinfo->flinfo, 1);

	if (!OidIsValid(value_type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of the value")));
	site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(AggregateSite));
	site->hasher = value_hasher_create(value_type, PG_GET_COLLATION(), fcinfo->flinfo->fn_mcxt);
	if (type == FILTER_CUCKOO)
		value_hasher_add_witness(site->hasher);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

/* Check the parameters before any memory is spent on values, once for all groups. */
static void
plan_filter(AggregateSite *site, FilterType type, uint64 capacity, double rate)
{
	Filter		filter;

	if (capacity == site->capacity && rate == site->rate)
		return;
	site->filter_bytes = filter_plan(&filter, type, rate, capacity);
	site->capacity = capacity;
	site->rate = rate;
}

static inline void
check_parameters(const FilterBuilder *builder, uint64 capacity, double rate)
{
	if (unlikely(capacity != builder->capacity || rate != builder->rate))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity and false positive rate of a filter must be the same in every row"),
				 errhint("Use constants, or group by the parameters.")));
}

/* The states of a pool are no longer needed, and the memory context of both is about to be reset. */
static void
end_pool(Datum argument)
{
	SitePool   *ended = (SitePool *) DatumGetPointer(argument);
	SitePool  **link = ended->first;

	collector_pool_close(&ended->pool);
	while (*link != ended)
		link = &(*link)->next;
	*link = ended->next;
}

/* The pool for the states in a memory context; null if they must stay in memory. */
static CollectorPool *
find_pool(FunctionCallInfo fcinfo, SitePool **first)
{
	MemoryContext context;
	SitePool   *found;

	/* Only an Agg node calls back at its end, so a window function's state stays in memory. */
	if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
		return NULL;
	for (found = *first; found != NULL; found = found->next)
		if (found->pool.context == context)
			return &found->pool;

	found = MemoryContextAlloc(context, sizeof(SitePool));
	collector_pool_init(&found->pool, context);
	found->first = first;
	AggRegisterCallback(fcinfo, end_pool, PointerGetDatum(found));
	found->next = *first;
	*first = found;
	return &found->pool;
}

static bool
is_partial_stage(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);

	return aggref != NULL && DO_AGGSPLIT_SKIPFINAL(aggref->aggsplit);
}

/* Keep different values with the same hash apart, so that deleting one does not lose the other. */
static void
add_witness(FilterBuilder *state, const ValueHasher *hasher, uint64 hash)
{
	if (hasher->quality == HASH_SHORT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cf_agg cannot distinguish values of type %s", format_type_be(hasher->type)),
				 errdetail("The hash function of the type, or of a type inside it, returns 32 bits, so different values often have the same hash. They would be stored once, and deleting one would remove the others."),
				 errhint("Cast the value to text, or use bf_agg. cf_add stores a copy for each value.")));
	filter_builder_add_witness(state, hash, hasher->witness);
}

static pg_noinline FilterBuilder *
begin_state(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type, uint64 capacity, double rate)
{
	MemoryContext context;
	FilterBuilder *state;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called in non-aggregate context");
	plan_filter(site, type, capacity, rate);
	state = filter_builder_create(context, type, capacity, rate, find_pool(fcinfo, &site->pools));
	if (type == FILTER_BLOOM && capacity != 0 && !is_partial_stage(fcinfo))
		filter_builder_allow_streaming(state, site->filter_bytes);
	/* Even if all values will be null. */
	filter_builder_take_kind(state, &site->hasher->kind);
	return state;
}

/* Only an aggregate can pass a state, so the call context need not be checked in every row. */
static Datum
transition(FunctionCallInfo fcinfo, FilterType type)
{
	AggregateSite *site = fcinfo->flinfo->fn_extra;
	FilterBuilder *state;
	uint64		capacity;
	double		rate;

	if (unlikely(site == NULL))
		site = create_site(fcinfo, type);
	capacity = capacity_parameter(fcinfo, 2);
	rate = rate_parameter(fcinfo, 3);
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
		if (type == FILTER_CUCKOO && site->hasher->quality != HASH_EXACT)
			add_witness(state, site->hasher, hash);
		filter_builder_add(state, hash);
	}
	PG_RETURN_POINTER(state);
}

/* The filter of no rows, of the kind of the column: the arguments after the state have the type of the column. */
static struct varlena *
empty_filter(FunctionCallInfo fcinfo, FilterType type)
{
	Filter		empty;

	(void) filter_plan(&empty, type, FILTER_DEFAULT_RATE, 0);
	empty.kind = create_site(fcinfo, type)->hasher->kind;
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
 * parameters, the kind, the image of a filter (if there is one) with the number of its values, and hashes.
 */

/*
 * Whether a worker builds a Bloom filter of its own values and hands that over. A filter takes fewer bytes than the
 * hashes, leaves the leader less to do, and results in the same bits if all filters together do not outgrow the
 * capacity.
 *
 * If they do outgrow it, the leader puts filters full of different values side by side, and their rates add up. So a
 * worker hands over a filter only if all workers together can have at most 1.5 times the capacity in values: that is
 * at most one full filter and one half full, and the rate of a half-full filter is negligible. There is known to be
 * exactly one state per worker if the worker's plan consists of the partial aggregate only.
 */
#define OUTGROWN_BY_FILTERS 1.5

/* Fewer hashes take hardly any time, and the estimate for a union of small filters is too noisy. */
#define LEAST_HANDED_OVER	16384

static bool
hands_over_filter(FunctionCallInfo fcinfo, const FilterBuilder *builder, uint64 distinct)
{
	AggState   *aggregate = (AggState *) fcinfo->context;
	const Plan *plan;
	Filter		filter;
	/* A cached plan may have been made under other settings, but a worker knows at least its own number. */
	int			workers = Max(max_parallel_workers_per_gather, ParallelWorkerNumber + 1);
	int			processes = workers + (parallel_leader_participation ? 1 : 0);

	if (!IsParallelWorker() || builder->type != FILTER_BLOOM || builder->capacity < LEAST_HANDED_OVER)
		return false;
	plan = aggregate->ss.ps.state->es_plannedstmt->planTree;
	if (IsA(plan, Sort))
		plan = outerPlan(plan);
	if (plan != aggregate->ss.ps.plan)
		return false;
	if ((double) distinct > OUTGROWN_BY_FILTERS * (double) builder->capacity / processes)
		return false;
	return filter_plan(&filter, builder->type, builder->rate, builder->capacity) < distinct * sizeof(uint64);
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
	{
		if (fcinfo->flinfo->fn_extra == NULL)
			fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(SitePool *));
		target = filter_builder_create(context, source->type, source->capacity, source->rate,
									   find_pool(fcinfo, fcinfo->flinfo->fn_extra));
	}
	else
	{
		target = (FilterBuilder *) PG_GETARG_POINTER(0);
		check_parameters(target, source->capacity, source->rate);
	}
	filter_builder_combine(target, source);
	PG_RETURN_POINTER(target);
}

static bool
append_hashes(const uint64 *hashes, Size count, void *to)
{
	appendBinaryStringInfo(to, (const char *) hashes, (int) (count * sizeof(uint64)));
	return true;
}

/* pq_sendbytes that can be cancelled. */
static void
append_image(StringInfo to, const char *image, Size bytes)
{
	enlargeStringInfo(to, (int) bytes);
	filter_copy_bytes(to->data + to->len, image, bytes);
	to->len += (int) bytes;
	to->data[to->len] = '\0';
}

PG_FUNCTION_INFO_V1(sql_agg_serialize);
Datum
sql_agg_serialize(PG_FUNCTION_ARGS)
{
	FilterBuilder *builder;
	StringInfoData to;
	const struct varlena *streamed;
	uint64		hashes,
				witnesses,
				counted = 0;
	Size		image_bytes;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called in non-aggregate context");
	builder = (FilterBuilder *) PG_GETARG_POINTER(0);

	/* A partial stage does not stream, but the caller need not be one. */
	streamed = filter_builder_streamed(builder, &counted);
	hashes = collector_distinct(&builder->collector);
	if (streamed == NULL && hands_over_filter(fcinfo, builder, hashes))
	{
		streamed = filter_builder_finish(builder);
		counted = hashes;
		hashes = 0;
	}
	image_bytes = streamed != NULL ? VARSIZE(streamed) - VARHDRSZ : 0;

	pq_begintypsend(&to);
	pq_sendbyte(&to, (uint8) builder->type);
	pq_sendfloat8(&to, builder->rate);
	pq_sendint64(&to, builder->capacity);
	pq_sendbyte(&to, (uint8) builder->kind.code);
	pq_sendbyte(&to, builder->kind.sources);
	pq_sendint16(&to, builder->kind.name_length);
	pq_sendbytes(&to, builder->kind.name, builder->kind.name_length);
	pq_sendint64(&to, counted);
	pq_sendint32(&to, (uint32) image_bytes);
	if (image_bytes > 0)
		append_image(&to, VARDATA(streamed), image_bytes);
	witnesses = builder->witnesses != NULL ? collector_distinct(builder->witnesses) : 0;
	if (hashes + witnesses > (MaxAllocSize - 65536 - image_bytes) / sizeof(uint64))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a parallel worker collected " UINT64_FORMAT " distinct values, more than it can hand over",
						hashes),
				 errhint("Set max_parallel_workers_per_gather to 0 for this query.")));
	enlargeStringInfo(&to, (int) ((hashes + witnesses) * sizeof(uint64)) + 8);
	pq_sendint64(&to, hashes);
	if (hashes > 0)
		(void) collector_visit(&builder->collector, append_hashes, &to);
	if (witnesses > 0)
		(void) collector_visit(builder->witnesses, append_hashes, &to);
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
	uint64		capacity;
	ValueKind	kind;
	uint64		counted;
	Size		hashes;
	int			length;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called in non-aggregate context");
	bytes = PG_GETARG_BYTEA_PP(0);
	from.data = VARDATA_ANY(bytes);
	from.len = from.maxlen = VARSIZE_ANY_EXHDR(bytes);
	from.cursor = 0;

	type = pq_getmsgbyte(&from) == FILTER_BLOOM ? FILTER_BLOOM : FILTER_CUCKOO;
	rate = pq_getmsgfloat8(&from);
	capacity = (uint64) pq_getmsgint64(&from);
	state = filter_builder_create(CurrentMemoryContext, type, capacity, rate, NULL);
	kind.code = (ValueKindCode) pq_getmsgbyte(&from);
	kind.sources = (uint8) pq_getmsgbyte(&from);
	kind.name_length = (uint16) pq_getmsgint(&from, 2);
	kind.name = pq_getmsgbytes(&from, kind.name_length);
	filter_builder_take_kind(state, &kind);
	counted = (uint64) pq_getmsgint64(&from);
	length = (int) pq_getmsgint(&from, 4);
	if (length > 0)
		filter_builder_take_image(state, pq_getmsgbytes(&from, length), (Size) length, counted);
	/* The bytes outlive the state: the combine function is called with it immediately. */
	hashes = (Size) pq_getmsgint64(&from);
	filter_builder_borrow(state, pq_getmsgbytes(&from, (int) (hashes * sizeof(uint64))), hashes);
	length = from.len - from.cursor;
	filter_builder_borrow_witnesses(state, pq_getmsgbytes(&from, length), (Size) length / sizeof(uint64));
	pq_getmsgend(&from);
	PG_RETURN_POINTER(state);
}

/* bf_agg(NULL), cf_agg('apple'): the kind of the filter would be unknown. */
PG_FUNCTION_INFO_V1(sql_agg_refuse);
Datum
sql_agg_refuse(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_DATATYPE),
			 errmsg("could not determine the type of an untyped value"),
			 errdetail("An aggregate builds a filter for values of one type."),
			 errhint("Cast the value, as in NULL::bigint, '...'::text or $1::uuid.")));
	PG_RETURN_NULL();
}
