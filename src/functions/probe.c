/*
 * Functions that probe a filter: contains, by value and by hash, contains any, contains all, count; and the hash of a value.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "functions/call_site.h"
#include "functions/sql_function.h"
#include "stored/datum.h"

/* A literal is contained if any of the values that it can be read as is contained. */
static pg_noinline bool
contains_literal(CallSite *site, SeenFilter *seen, Datum datum, Datum literal)
{
	uint64		hashes[LITERAL_MAX_READINGS];
	int			count = literal_reader_read(site->literals, &seen->filter.header.kind, literal, hashes);

	for (int i = 0; i < count; i++)
		if (filter_cache_contains(&site->filters, seen, datum, hashes[i]))
			return true;
	return false;
}

static pg_always_inline Datum
probe_contains(FunctionCallInfo fcinfo, int filter_argument, int value_argument)
{
	CallSite   *site = call_site(fcinfo, value_argument, false);
	Datum		datum = PG_GETARG_DATUM(filter_argument);
	SeenFilter *seen = filter_cache_find(&site->filters, datum);
	uint64		hash;

	if (unlikely(site->literals != NULL))
		PG_RETURN_BOOL(contains_literal(site, seen, datum, PG_GETARG_DATUM(value_argument)));
	hash = call_site_hash(site, &seen->filter, PG_GETARG_DATUM(value_argument));
	PG_RETURN_BOOL(filter_cache_contains(&site->filters, seen, datum, hash));
}

SQL_FUNCTION(sql_contains, probe_contains(fcinfo, 0, 1))
SQL_FUNCTION(sql_contained, probe_contains(fcinfo, 1, 0))

SQL_FUNCTION(sql_filter_hash, UInt64GetDatum(value_hash(call_site(fcinfo, 0, false)->hasher, PG_GETARG_DATUM(0))))

/* Probe by the result of filter_hash for a value. The type of that value, if given, must be of the filter's kind. */
PG_FUNCTION_INFO_V1(sql_contains_hash);
Datum
sql_contains_hash(PG_FUNCTION_ARGS)
{
	CallSite   *site;
	SeenFilter *seen;

	/* Not strict, since the type may be null. */
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	site = call_site_of_hash(fcinfo);
	seen = filter_cache_find(&site->filters, PG_GETARG_DATUM(0));
	if (site->hasher != NULL)
		call_site_check(site, &seen->filter, true);
	PG_RETURN_BOOL(filter_cache_contains(&site->filters, seen, PG_GETARG_DATUM(0),
										 filter_mix((uint64) PG_GETARG_INT64(1))));
}

/* Whether a literal in an array decides the result. A contained one decides any, and one that is not decides all. */
static bool
literal_decides(CallSite *site, SeenFilter *seen, Datum datum, Datum array, bool any, bool *nulls)
{
	Datum	   *literals;
	bool	   *is_null;
	int			count = literal_elements(array, &literals, &is_null);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_null[i])
			*nulls = true;
		else if (contains_literal(site, seen, datum, literals[i]) == any)
			return true;
	}
	return false;
}

/* Whether a value in an array decides the result. */
static bool
value_decides(CallSite *site, SeenFilter *seen, Datum datum, Datum array, bool any, bool *nulls)
{
	Size		count;
	uint64	   *hashes = call_site_hash_array(site, &seen->filter, array, &count, nulls);

	filter_cache_expect(&site->filters, seen, datum, (double) count, true);
	if (seen->filter.image != NULL)
		return filter_contains_run(&seen->filter, hashes, count, !any) < count;
	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (filter_cache_contains(&site->filters, seen, datum, hashes[i]) == any)
			return true;
	}
	return false;
}

/*
 * The functions follow SQL's ANY and ALL: a null element counts as unknown, and the result is null if no other element decides
 * it.
 */
static Datum
contains_many(FunctionCallInfo fcinfo, bool any)
{
	CallSite   *site = call_site(fcinfo, 1, true);
	Datum		datum = PG_GETARG_DATUM(0);
	SeenFilter *seen = filter_cache_find(&site->filters, datum);
	bool		nulls = false;

	if (site->literals != NULL ? literal_decides(site, seen, datum, PG_GETARG_DATUM(1), any, &nulls) :
		value_decides(site, seen, datum, PG_GETARG_DATUM(1), any, &nulls))
		PG_RETURN_BOOL(any);
	if (nulls)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!any);
}

SQL_FUNCTION(sql_contains_any, contains_many(fcinfo, true))
SQL_FUNCTION(sql_contains_all, contains_many(fcinfo, false))

PG_FUNCTION_INFO_V1(sql_cuckoo_count);
Datum
sql_cuckoo_count(PG_FUNCTION_ARGS)
{
	CallSite   *site = call_site(fcinfo, 1, false);
	Datum		datum = PG_GETARG_DATUM(0);
	SeenFilter *seen = filter_cache_find(&site->filters, datum);
	uint64		hashes[LITERAL_MAX_READINGS];
	int			readings = 1;
	unsigned	copies = 0;

	if (site->literals != NULL)
		readings = literal_reader_read(site->literals, &seen->filter.header.kind, PG_GETARG_DATUM(1), hashes);
	else
		hashes[0] = call_site_hash(site, &seen->filter, PG_GETARG_DATUM(1));
	/* Take the maximum, so that the count is not too low, whichever reading is meant. */
	for (int i = 0; i < readings; i++)
	{
		unsigned	count = filter_cache_count(&site->filters, seen, datum, hashes[i]);

		copies = Max(copies, count);
	}
	PG_RETURN_INT32((int32) copies);
}
