/*
 * bf_agg and cf_agg: a filter of all values of a column.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/primnodes.h"

#include "functions/aggregate.h"
#include "functions/sql_function.h"

/* Raise error 42804 if a state is for another type of filter: another extension can read states that a user has made. */
static void
check_type(FilterType state, FilterType type)
{
	if (state != type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("state of an aggregate is for another type of filter")));
}

static bool
has_constant_parameters(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);

	if (PG_NARGS() <= AGGREGATE_FIRST_PARAMETER)
		return true;
	if (aggref == NULL)
		return false;
	for (int i = 1; i < list_length(aggref->args); i++)
	{
		const Expr *argument = list_nth_node(TargetEntry, aggref->args, i)->expr;

		if (!IsA(argument, Const) && !(IsA(argument, Param) && ((const Param *) argument)->paramkind == PARAM_EXTERN))
			return false;
	}
	return true;
}

AggregateSite *
aggregate_site_create(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);
	AggregateSite *site;

	if (!OidIsValid(get_fn_expr_argtype(fcinfo->flinfo, 1)))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of the value")));
	site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(AggregateSite));
	site->has_constant_parameters = has_constant_parameters(fcinfo);
	site->is_partial = aggref != NULL && DO_AGGSPLIT_SKIPFINAL(aggref->aggsplit);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

void
aggregate_site_set_type(AggregateSite *site, Oid type, Oid collation)
{
	site->hasher = value_hasher_create(type, collation, GetMemoryChunkContext(site));
	site->checks_values = site->hasher->is_short || type_is_rowtype(type);
}

static inline void
check_parameters(const FilterBuilder *builder, uint64 capacity, double rate)
{
	if (unlikely(capacity != builder->capacity || rate != builder->rate))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity and false positive rate of a filter must be the same in every row"),
				 errhint("The value comes first: %s(value, capacity, fpr). Use constants, or group by the parameters.",
						 builder->type == FILTER_BLOOM ? "bf_agg" : "cf_agg")));
}

/* The states of a pool are no longer needed, and the memory context of both is about to be reset. */
static void
end_pool(Datum argument)
{
	SitePool   *ended = (SitePool *) DatumGetPointer(argument);
	SitePool  **link = ended->first;

	hash_pool_close(&ended->pool);
	while (*link != ended)
		link = &(*link)->next;
	*link = ended->next;
}

/* The pool for the states in a memory context; null if they must stay in memory. */
static HashPool *
find_pool(FunctionCallInfo fcinfo, SitePool **first)
{
	MemoryContext context;
	SitePool   *found;

	/* Only an Agg node runs callbacks when it ends, so a window function's state stays in memory. */
	if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
		return NULL;
	for (found = *first; found != NULL; found = found->next)
		if (found->pool.context == context)
			return &found->pool;

	found = MemoryContextAllocZero(context, sizeof(SitePool));
	found->pool.context = context;
	found->first = first;
	AggRegisterCallback(fcinfo, end_pool, PointerGetDatum(found));
	found->next = *first;
	*first = found;
	return &found->pool;
}

void
aggregate_check_value(const AggregateSite *site, FilterBuilder *state)
{
	filter_builder_set_kind(state, &site->hasher->kind);
	if (state->type == FILTER_BLOOM || !site->hasher->is_short)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cf_agg cannot distinguish values of type %s", format_type_be(site->hasher->type)),
			 errdetail("The hash function of the type, or of a type inside it, returns 32 bits, so different values often have the same hash. They would be stored once, and deleting one would remove the others."),
			 errhint("Cast the value to text, or use bf_agg. cf_add stores a copy for each value.")));
}

static pg_noinline FilterBuilder *
begin_state(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type, uint64 capacity, double rate)
{
	MemoryContext context;
	FilterBuilder *state;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called in non-aggregate context");
	/*
	 * The parameters are checked, and the filter's size computed, once for all groups, before any memory is spent on values.
	 */
	if (capacity != site->capacity || rate != site->rate)
	{
		FilterHeader planned;

		site->filter_bytes = filter_plan(&planned, type, rate, capacity);
		site->capacity = capacity;
		site->rate = rate;
	}
	state = filter_builder_create(context, type, capacity, rate, find_pool(fcinfo, &site->pools));
	if (type == FILTER_BLOOM && capacity != 0 && !site->is_partial)
		state->stream_bytes = site->filter_bytes;
	/*
	 * The filter has a kind even if all values are null, but not from the hasher of anonymous rows, whose kind is that of the
	 * last row, of any group.
	 */
	if (site->hasher != NULL && site->hasher->type != RECORDOID)
		filter_builder_set_kind(state, &site->hasher->kind);
	return state;
}

FilterBuilder *
aggregate_state(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type, uint64 capacity, double rate)
{
	FilterBuilder *state;

	if (PG_ARGISNULL(0))
		return begin_state(fcinfo, site, type, capacity, rate);
	state = (FilterBuilder *) PG_GETARG_POINTER(0);
	check_type(state->type, type);
	check_parameters(state, capacity, rate);
	return state;
}

FilterBuilder *
aggregate_state_of_row(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type)
{
	uint64		capacity = capacity_parameter(fcinfo, AGGREGATE_FIRST_PARAMETER);

	return aggregate_state(fcinfo, site, type, capacity, rate_parameter(fcinfo, AGGREGATE_FIRST_PARAMETER + 1));
}

static pg_noinline AggregateSite *
begin_site(FunctionCallInfo fcinfo)
{
	AggregateSite *site = aggregate_site_create(fcinfo);

	aggregate_site_set_type(site, get_fn_expr_argtype(fcinfo->flinfo, 1), PG_GET_COLLATION());
	return site;
}

static pg_always_inline Datum
aggregate_transition(FunctionCallInfo fcinfo, FilterType type)
{
	AggregateSite *site = fcinfo->flinfo->fn_extra;

	if (unlikely(site == NULL))
		site = begin_site(fcinfo);
	return aggregate_advance(fcinfo, site, type);
}

static Datum
aggregate_final(FunctionCallInfo fcinfo, FilterType type)
{
	FilterBuilder *builder;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called in non-aggregate context");
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(aggregate_of_no_rows(fcinfo, type));
	builder = (FilterBuilder *) PG_GETARG_POINTER(0);
	check_type(builder->type, type);
	PG_RETURN_POINTER(filter_builder_finish(builder));
}

SQL_FUNCTION_OF_EACH_TYPE(agg_transition, aggregate_transition(fcinfo, type))

SQL_FUNCTION_OF_EACH_TYPE(agg_final, aggregate_final(fcinfo, type))
