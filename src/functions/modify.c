/*
 * Functions that create empty filters, and add and remove values.
 *
 * None returns null unless its filter argument is null: a null value leaves the filter unchanged, so that a null key in an
 * UPDATE does not erase a stored filter.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/supportnodes.h"

#include "compat.h"
#include "core/cuckoo_filter.h"
#include "core/pause.h"
#include "functions/call_site.h"
#include "functions/sql_function.h"
#include "stored/mutable.h"

typedef enum Change
{
	ADD,
	ADD_UNIQUE,
	REMOVE
} Change;

static Datum
modify_create(FunctionCallInfo fcinfo, FilterType type)
{
	uint64		capacity = capacity_parameter(fcinfo, 0);
	bool		grows = PG_ARGISNULL(3) || PG_GETARG_BOOL(3);
	MutableFilter mutable;

	if (!grows && capacity == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a filter that does not grow needs a capacity"),
				 errhint("Specify the expected number of distinct values.")));
	mutable_filter_create(&mutable, type, rate_parameter(fcinfo, 1), capacity);
	if (!PG_ARGISNULL(2))
		mutable_filter_set_kind(&mutable, &value_hasher_create_for_type(PG_GETARG_OID(2), CurrentMemoryContext)->kind);
	if (!grows)
		filter_set_fixed(&mutable.filter);
	PG_RETURN_POINTER(mutable.datum);
}

SQL_FUNCTION_OF_EACH_TYPE(create, modify_create(fcinfo, type))

/* Raise an error if the filter is a set, in which a value could be lost that shares its entry with the removed one. */
static void
check_can_remove(const FilterView *filter)
{
	if (filter->header.is_set)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot delete from a union of cuckoo filters"),
				 errdetail("A union does not count copies, and one entry can belong to values of different filters."),
				 errhint("Delete from the filters that were united, and unite them again, or build the filter from its values.")));
}

/* Tell the user if values that were to be removed stay, because nobody knows how many copies they have. */
static void
report_permanent(const FilterView *filter, const uint64 *hashes, Size count)
{
	Size		permanent = 0;

	for (Size i = 0, end; i < count; i = end)
		for (end = filter_stride(i, count, FILTER_STRIDE_HASHES); i < end; i++)
			permanent += filter_count(filter, hashes[i]) == CUCKOO_PERMANENT;
	if (permanent > 0)
		ereport(NOTICE,
				(errmsg_plural("%zu value stays in the filter, which does not know how many copies of it are left",
							   "%zu values stay in the filter, which does not know how many copies of each are left",
							   permanent, permanent),
				 errdetail("A filter counts up to %d copies of a value and of those that look like it.", CUCKOO_MAX_COUNT),
				 errhint("To remove such a value, build the filter again from its values.")));
}

/*
 * Add or remove one value in place. Returns false, with no change, if it needs another image. Raises no error after the first
 * change.
 */
static bool
change_in_place(FilterView *filter, Change change, uint64 hash)
{
	bool		changed;

	if (change != REMOVE)
		return filter_add(filter, hash, change == ADD_UNIQUE, &changed) == FILTER_OK;
	if (!filter_remove(filter, hash))
		report_permanent(filter, &hash, 1);
	return true;
}

/* Whether mutable_filter_set_kind would change a filter. */
static bool
adopts_kind_of(const ValueKind *filter, const ValueKind *value)
{
	return value->code != VALUE_KIND_NONE &&
		(filter->code == VALUE_KIND_NONE || value_kinds_united_sources(filter, value) != filter->sources);
}

/*
 * The filter in argument 0 with hashes added or removed. kind is the kind of the hashed values, which fits the filter's, or
 * null if they come from a literal, which was read as the filter's kind. If nothing changes, the argument itself is returned:
 * an UPDATE that sets the column to it writes no new copy.
 *
 * Adding nothing changes only a filter without a kind: it adopts the kind of the value's type.
 */
static Datum
change_filter(FunctionCallInfo fcinfo, CallSite *site, SeenFilter *seen, const ValueKind *kind, Change change, bool is_array,
			  const uint64 *hashes, Size count)
{
	Datum		datum = PG_GETARG_DATUM(0);
	MutableFilter *in_place = filter_to_change_in_place(datum);
	MutableFilter *result;
	Datum		ended;
	bool		adopts_kind = change != REMOVE && kind != NULL && adopts_kind_of(&seen->filter.header.kind, kind);
	bool		changed = false;

	if (change == REMOVE && count > 0)
		check_can_remove(&seen->filter);
	if (in_place != NULL && !adopts_kind && count > 0 && !is_array && change_in_place(&in_place->filter, change, hashes[0]))
		return datum;
	/* If the value is already there, nothing changes: a lookup is far cheaper than a copy of the filter. */
	if (!adopts_kind && count > 0 && !is_array &&
		(change == ADD_UNIQUE || (change == ADD && seen->filter.header.type == FILTER_BLOOM)) &&
		filter_cache_contains(&site->filters, seen, datum, hashes[0]))
		return datum;
	if (!adopts_kind && count == 0)
		return datum;

	result = filter_change_begin(fcinfo);
	if (adopts_kind)
		mutable_filter_set_kind(result, kind);
	if (change == REMOVE)
	{
		Size		removed = filter_remove_all(&result->filter, hashes, count);

		if (removed < count)
			report_permanent(&result->filter, hashes, count);
		changed = removed > 0;
	}
	else if (count > 0)
		changed = mutable_filter_add_all(result, hashes, count, change == ADD_UNIQUE);
	ended = filter_change_end(result);
	return changed || adopts_kind ? ended : datum;
}

/* change_filter for the value, or array of values, in argument 1. */
static Datum
change_by_argument(FunctionCallInfo fcinfo, Change change, bool is_array)
{
	CallSite   *site;
	SeenFilter *seen;
	const ValueKind *kind = NULL;
	uint64		hash = 0;
	uint64	   *hashes = &hash;
	Size		count = PG_ARGISNULL(1) ? 0 : 1;
	bool		nulls;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	site = call_site(fcinfo, 1, is_array);
	site->changes = true;
	seen = filter_cache_find(&site->filters, PG_GETARG_DATUM(0));
	if (count > 0 && is_array)
		hashes = call_site_hash_array(site, &seen->filter, PG_GETARG_DATUM(1), &count, &nulls);
	else if (count > 0 && site->literals != NULL)
		hash = literal_reader_read_one(site->literals, &seen->filter.header.kind, PG_GETARG_DATUM(1));
	else if (count > 0)
		hash = call_site_hash(site, &seen->filter, PG_GETARG_DATUM(1));

	if (site->literals == NULL)
	{
		kind = &site->hasher->kind;
		call_site_check(site, &seen->filter, false);
	}
	return change_filter(fcinfo, site, seen, kind, change, is_array, hashes, count);
}

SQL_FUNCTION(sql_add, change_by_argument(fcinfo, ADD, false))
SQL_FUNCTION(sql_cuckoo_add_unique, change_by_argument(fcinfo, ADD_UNIQUE, false))
SQL_FUNCTION(sql_add_all, change_by_argument(fcinfo, ADD, true))
SQL_FUNCTION(sql_cuckoo_delete, change_by_argument(fcinfo, REMOVE, false))
SQL_FUNCTION(sql_cuckoo_delete_all, change_by_argument(fcinfo, REMOVE, true))

/*
 * Change a filter by hash: argument 1 is the result of filter_hash for a value, argument 2 the type of that value, or null.
 * Without the type, the hash is assumed to be that of a value of the filter's kind, from any of the types of that kind.
 */
static Datum
change_by_hash(FunctionCallInfo fcinfo, Change change)
{
	CallSite   *site;
	SeenFilter *seen;
	ValueKind	kind;
	uint64		hash = 0;
	Size		count = PG_ARGISNULL(1) ? 0 : 1;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	site = call_site_of_hash(fcinfo);
	seen = filter_cache_find(&site->filters, PG_GETARG_DATUM(0));
	if (count > 0)
		hash = filter_mix((uint64) PG_GETARG_INT64(1));
	if (site->hasher != NULL)
	{
		site->changes = true;
		kind = site->hasher->kind;
		call_site_check(site, &seen->filter, count > 0);
	}
	else
	{
		kind = seen->filter.header.kind;
		/* The value may have come from any type of the kind. */
		if (count > 0)
			kind.sources = 0;
		if (count > 0 && change != REMOVE && kind.code == VALUE_KIND_NONE)
			ereport(ERROR,
					(errcode(ERRCODE_INDETERMINATE_DATATYPE),
					 errmsg("could not determine the kind of value of a hash"),
					 errdetail("The filter does not hold values of any kind yet."),
					 errhint("Specify the type of the hashed value, as in of => 'text', in this call or when creating the filter.")));
	}
	return change_filter(fcinfo, site, seen, &kind, change, false, &hash, count);
}

SQL_FUNCTION(sql_add_hash, change_by_hash(fcinfo, ADD))
SQL_FUNCTION(sql_cuckoo_delete_hash, change_by_hash(fcinfo, REMOVE))

/*
 * For `f := bf_add(f, x)` where f is visible after an error, PL/pgSQL asks this support function whether bf_add may change f
 * in place. It may, since all values are hashed before anything changes. Functions of two filters do not have this support
 * function, because the second may be f itself.
 */
PG_FUNCTION_INFO_V1(sql_change_support);
Datum
sql_change_support(PG_FUNCTION_ARGS)
{
#if FILTER_VARIABLES_CHANGE_IN_PLACE
	const SupportRequestModifyInPlace *request = (const SupportRequestModifyInPlace *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestModifyInPlace))
	{
		Param	   *argument = linitial(request->args);

		if (argument != NULL && IsA(argument, Param) && argument->paramkind == PARAM_EXTERN &&
			argument->paramid == request->paramid)
			PG_RETURN_POINTER(argument);
	}
#endif
	PG_RETURN_POINTER(NULL);
}
