/*
 * bf_agg and cf_agg of one type, which cuckoo_filter_citus creates: the functions that differ from those of the aggregates of
 * any type, since Citus calls them, too. It makes a new call site for every row, and hands every state over.
 */
#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/memutils.h"

#include "citus/value_type.h"
#include "functions/aggregate.h"
#include "functions/each_type.h"

/* A site in the memory context of the states: for which function, and called from which aggregate of the plan. */
typedef struct ContextSite
{
	AggregateSite site;
	MemoryContextCallback registration;
	Oid			function;
	const Aggref *aggregate;
} ContextSite;

/* The registration only marks the site in the list of its context. */
static void
forget_site(void *site)
{
}

static AggregateSite *
site_in_context(FunctionCallInfo fcinfo)
{
	const Aggref *aggregate = AggGetAggref(fcinfo);
	MemoryContext context;
	ContextSite *site;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	for (const MemoryContextCallback *found = context->reset_cbs; found != NULL; found = found->next)
	{
		if (found->func != forget_site)
			continue;
		site = found->arg;
		if (site->function == fcinfo->flinfo->fn_oid && site->aggregate == aggregate)
			return &site->site;
	}
	site = MemoryContextAllocZero(context, sizeof(ContextSite));
	site->site.is_partial = true;
	site->function = fcinfo->flinfo->fn_oid;
	site->aggregate = aggregate;
	site->registration.func = forget_site;
	site->registration.arg = site;
	MemoryContextRegisterResetCallback(context, &site->registration);
	return &site->site;
}

static pg_noinline AggregateSite *
find_site(FunctionCallInfo fcinfo)
{
	if (!is_called_by_executor(fcinfo))
		return site_in_context(fcinfo);
	return aggregate_site_create(fcinfo);
}

static pg_noinline AggregateSite *
find_transition_site(FunctionCallInfo fcinfo, FilterType filter_type)
{
	AggregateSite *site = find_site(fcinfo);
	Oid			type,
				collation;

	if (site->hasher == NULL)
	{
		citus_value_type(fcinfo, &type, &collation);
		aggregate_site_take_type(site, filter_type, type, collation);
	}
	return site;
}

static pg_always_inline Datum
transition(FunctionCallInfo fcinfo, FilterType type)
{
	AggregateSite *site = fcinfo->flinfo->fn_extra;

	if (unlikely(site == NULL))
		site = find_transition_site(fcinfo, type);
	return aggregate_advance(fcinfo, site, type);
}

SQL_FUNCTION_OF_TYPE(sql_citus_bloom_agg_transition, FILTER_BLOOM, transition(fcinfo, type))
SQL_FUNCTION_OF_TYPE(sql_citus_cuckoo_agg_transition, FILTER_CUCKOO, transition(fcinfo, type))

PG_FUNCTION_INFO_V1(sql_citus_agg_combine);
Datum
sql_citus_agg_combine(PG_FUNCTION_ARGS)
{
	AggregateSite *site = fcinfo->flinfo->fn_extra;

	return aggregate_combine(fcinfo, site != NULL ? site : find_site(fcinfo));
}

/*
 * bf_agg(NULL), cf_agg('apple'): PostgreSQL would choose the aggregate of text for an untyped value. Without aggregates of one
 * type, PostgreSQL itself raises an error.
 */
PG_FUNCTION_INFO_V1(sql_citus_agg_refuse);
Datum
sql_citus_agg_refuse(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_DATATYPE),
			 errmsg("could not determine the type of an untyped value"),
			 errdetail("An aggregate builds a filter for values of one type."),
			 errhint("Cast the value, as in NULL::bigint, '...'::text or $1::uuid.")));
	PG_RETURN_NULL();
}
