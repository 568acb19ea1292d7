/*
 * A call keeps from row to row what takes longer to find than to probe a filter: the hasher of its argument's type, and the
 * filters that it has seen.
 */
#include "functions/call_site.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

CallSite *
call_site_create(FunctionCallInfo fcinfo, int value_argument, bool is_array)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	CallSite   *site = MemoryContextAllocZero(context, sizeof(CallSite));
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, value_argument);
	Oid		   *declared;
	int			arguments;

	filter_cache_init(&site->filters, context);

	/* An argument that is not declared polymorphic has the extension's literal type. */
	get_func_signature(fcinfo->flinfo->fn_oid, &declared, &arguments);
	if (arguments > value_argument && !IsPolymorphicType(declared[value_argument]))
	{
		site->literals = literal_reader_create(PG_GET_COLLATION(), is_array, context);
		fcinfo->flinfo->fn_extra = site;
		return site;
	}
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of the value")));
	if (is_array)
	{
		type = get_base_element_type(type);
		/* anyarray columns, such as those of pg_statistic, have no fixed element type. */
		if (!OidIsValid(type))
			ereport(ERROR,
					(errcode(ERRCODE_INDETERMINATE_DATATYPE),
					 errmsg("could not determine the type of the elements of the array"),
					 errhint("Cast the array to its type through text, as in value::text::bigint[].")));
	}
	site->hasher = value_hasher_create(type, PG_GET_COLLATION(), context);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

void
call_site_check_in_full(CallSite *site, const FilterView *filter, bool hashed)
{
	const ValueHasher *hasher = site->hasher;
	bool		stores_other = hashed && site->changes && filter->header.kind.code == VALUE_KIND_INTEGER && !hasher->is_bigint;

	if (!value_kinds_exact_numbers(&filter->header.kind, &hasher->kind))
		value_kind_check_in_full(&filter->header.kind, &hasher->kind);
	else if (stores_other && site->hasher_context != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("filter holds values of kind integer, and the hash can be of a number that is not a bigint"),
				 errhint("If the number is a bigint, specify of => 'bigint': it has the same hash.")));
	else if (stores_other)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("filter holds values of kind integer, and the value is not a bigint"),
				 errhint("Round the value, or build the filter from values of type numeric.")));
}

CallSite *
call_site_of_hash(FunctionCallInfo fcinfo)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;
	Oid			type = PG_ARGISNULL(2) ? InvalidOid : PG_GETARG_OID(2);

	if (unlikely(site == NULL))
	{
		MemoryContext context = fcinfo->flinfo->fn_mcxt;

		site = MemoryContextAllocZero(context, sizeof(CallSite));
		filter_cache_init(&site->filters, context);
		site->hasher_context = AllocSetContextCreate(context, "hasher of a type", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = site;
	}
	/* The type is usually a constant. */
	if (unlikely(type != site->hashed_type))
	{
		site->hasher = NULL;
		site->hashed_type = InvalidOid;
		MemoryContextReset(site->hasher_context);
		if (OidIsValid(type))
			site->hasher = value_hasher_create_for_type(type, site->hasher_context);
		site->hashed_type = type;
	}
	return site;
}

static uint64 *
hash_literal_array(CallSite *site, const FilterView *filter, Datum literal, Size *count, bool *nulls)
{
	Datum	   *elements;
	bool	   *is_null;
	int			length = literal_elements(literal, &elements, &is_null);
	uint64	   *hashes = palloc(sizeof(uint64) * (Size) Max(1, length));

	for (int i = 0; i < length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_null[i])
			*nulls = true;
		else
			hashes[(*count)++] = literal_reader_read_one(site->literals, &filter->header.kind, elements[i]);
	}
	return hashes;
}

uint64 *
call_site_hash_array(CallSite *site, const FilterView *filter, Datum array, Size *count, bool *nulls)
{
	ArrayType  *elements;
	ArrayIterator iterator;
	ValueKind	first = {.code = VALUE_KIND_NONE};
	uint64	   *hashes;
	Datum		element;
	bool		is_null;

	*count = 0;
	*nulls = false;
	if (site->literals != NULL)
		return hash_literal_array(site, filter, array, count, nulls);
	elements = DatumGetArrayTypeP(array);
	hashes = palloc(sizeof(uint64) * (Size) Max(1, ArrayGetNItems(ARR_NDIM(elements), ARR_DIMS(elements))));
	iterator = array_create_iterator(elements, 0, NULL);
	while (array_iterate(iterator, &element, &is_null))
	{
		CHECK_FOR_INTERRUPTS();
		if (is_null)
		{
			*nulls = true;
			continue;
		}
		hashes[(*count)++] = call_site_hash(site, filter, element);
		/* Anonymous rows in one array can be of different kinds, which a filter without a kind would not detect. */
		if (filter->header.kind.code != VALUE_KIND_NONE || site->hasher->kind.code != VALUE_KIND_NAMED)
			continue;
		if (*count == 1)
			first = value_kind_copy(&site->hasher->kind, CurrentMemoryContext);
		value_kind_check(&first, &site->hasher->kind);
	}
	array_free_iterator(iterator);
	return hashes;
}
