/*
 * Creating filters by hand, and adding and removing values.
 *
 * None of these ever returns null for a filter that is not: a null value leaves the filter as it is, so that a null key
 * in an UPDATE does not wipe out a stored filter.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "call_site.h"
#include "compat.h"
#include "expanded_filter.h"
#include "filter_datum.h"
#include "mutable_filter.h"

typedef enum Change
{
	ADD,
	ADD_UNIQUE,
	REMOVE
} Change;

/* The kind of a type by its name, which says nothing of a collation: text is that under the database's own. */
static const ValueKind *
kind_of(Oid type)
{
	ValueHasher *hasher;

	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type with OID %u does not exist", type)));
	if (get_typtype(type) == TYPTYPE_PSEUDO)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create a filter for values of pseudo-type %s", format_type_be(type)),
				 errhint("Name a type that a column can have.")));
	hasher = value_hasher_create(type, get_typcollation(type), CurrentMemoryContext);
	return &hasher->kind;
}

static Datum
create(FunctionCallInfo fcinfo, FilterType type)
{
	double		rate = PG_ARGISNULL(1) ? FILTER_DEFAULT_RATE : PG_GETARG_FLOAT8(1);
	MutableFilter mutable;

	mutable_filter_create(&mutable, type, rate);
	if (!PG_ARGISNULL(2))
		mutable_filter_set_kind(&mutable, kind_of(PG_GETARG_OID(2)));
	if (!PG_ARGISNULL(0))
	{
		if (PG_GETARG_INT64(0) < 1)
			filter_report(FILTER_BAD_CAPACITY, 0.0);
		mutable_filter_grow(&mutable, (uint64) PG_GETARG_INT64(0));
	}
	PG_RETURN_POINTER(mutable.datum);
}

PG_FUNCTION_INFO_V1(sql_bloom_create);
Datum
sql_bloom_create(PG_FUNCTION_ARGS)
{
	return create(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_create);
Datum
sql_cuckoo_create(PG_FUNCTION_ARGS)
{
	return create(fcinfo, FILTER_CUCKOO);
}

static bool
remove_all(MutableFilter *mutable, const uint64 *hashes, Size count)
{
	bool		changed = false;

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		changed |= filter_remove(&mutable->filter, hashes[i]);
	}
	return changed;
}

/*
 * Add or remove one value in place; false, with nothing changed, if that takes another image. Nothing here can fail after it
 * changed anything.
 */
static bool
change_in_place(Filter *filter, Change change, uint64 hash)
{
	bool		changed;

	if (change != REMOVE)
		return filter_add(filter, hash, change == ADD_UNIQUE, &changed) == FILTER_OK;
	(void) filter_remove(filter, hash);
	return true;
}

/*
 * The filter of argument 0 with values added or removed. Where nothing changes, the argument itself is returned, as it
 * is stored: an UPDATE that sets the column to it writes no new copy.
 *
 * Adding a null, or an array without elements, is no change but for a filter without a kind: their type says what it is for.
 */
static Datum
change_filter(FunctionCallInfo fcinfo, CallSite *site, Change change, bool is_array)
{
	Datum		datum = PG_GETARG_DATUM(0);
	SeenFilter *seen = filter_cache_find(&site->filters, datum);
	MutableFilter *in_place = filter_to_change_in_place(datum);
	FilterChange result;
	uint64		hash;
	uint64	   *hashes = &hash;
	Size		count = PG_ARGISNULL(1) ? 0 : 1;
	bool		nulls;
	bool		takes_kind = false;
	bool		changed = false;

	if (count > 0 && is_array)
		hashes = call_site_place_array(site, &seen->filter, PG_GETARG_DATUM(1), &count, &nulls);
	else if (count > 0 && site->literals != NULL)
		hash = call_site_place_only_literal(site, &seen->filter, PG_GETARG_DATUM(1));
	else if (count > 0)
		hash = call_site_place(site, &seen->filter, PG_GETARG_DATUM(1));

	if (site->literals == NULL)
	{
		value_kind_check(&seen->filter.kind, &site->hasher->kind);
		takes_kind = change != REMOVE && mutable_filter_would_take_kind(&seen->filter.kind, &site->hasher->kind);
	}
	if (in_place != NULL && !takes_kind && count > 0 && !is_array && change_in_place(&in_place->filter, change, hash))
		PG_RETURN_DATUM(datum);
	/* A lookup is far cheaper than the copy. */
	if (!takes_kind && count > 0 && !is_array &&
		(change == ADD_UNIQUE || (change == ADD && seen->filter.type == FILTER_BLOOM)) &&
		filter_cache_contains(&site->filters, seen, datum, hash))
		PG_RETURN_DATUM(datum);
	if (!takes_kind && count == 0)
		PG_RETURN_DATUM(datum);

	filter_change_begin(&result, fcinfo);
	if (takes_kind)
		mutable_filter_set_kind(result.mutable, &site->hasher->kind);
	if (change == REMOVE)
		changed = remove_all(result.mutable, hashes, count);
	else if (count > 0)
		changed = mutable_filter_add_all(result.mutable, hashes, count, change == ADD_UNIQUE);
	if (!changed && !takes_kind)
		PG_RETURN_DATUM(datum);
	PG_RETURN_DATUM(filter_change_end(&result));
}

static Datum
change_by_value(FunctionCallInfo fcinfo, Change change)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return change_filter(fcinfo, call_site(fcinfo, 1), change, false);
}

static Datum
change_by_array(FunctionCallInfo fcinfo, Change change)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return change_filter(fcinfo, call_site_of_array(fcinfo, 1), change, true);
}

PG_FUNCTION_INFO_V1(sql_add);
Datum
sql_add(PG_FUNCTION_ARGS)
{
	return change_by_value(fcinfo, ADD);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_add_unique);
Datum
sql_cuckoo_add_unique(PG_FUNCTION_ARGS)
{
	return change_by_value(fcinfo, ADD_UNIQUE);
}

PG_FUNCTION_INFO_V1(sql_add_all);
Datum
sql_add_all(PG_FUNCTION_ARGS)
{
	return change_by_array(fcinfo, ADD);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_delete);
Datum
sql_cuckoo_delete(PG_FUNCTION_ARGS)
{
	return change_by_value(fcinfo, REMOVE);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_delete_all);
Datum
sql_cuckoo_delete_all(PG_FUNCTION_ARGS)
{
	return change_by_array(fcinfo, REMOVE);
}
