#include "call_site.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "value_kind_name.h"

CallSite *
call_site_create(FunctionCallInfo fcinfo, int value_argument, bool is_array)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	CallSite   *site = MemoryContextAllocZero(context, sizeof(CallSite));
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, value_argument);
	Oid		   *declared;
	int			arguments;

	filter_cache_init(&site->filters, context);

	/* Where the argument is not declared polymorphic, it is the literal type of the extension. */
	get_func_signature(fcinfo->flinfo->fn_oid, &declared, &arguments);
	site->is_literal = arguments > value_argument && !IsPolymorphicType(declared[value_argument]);
	if (site->is_literal)
		type = TEXTOID;
	else if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of the value")));
	else if (is_array)
	{
		type = get_base_element_type(type);
		/* The columns of pg_statistic, which are arrays of anything. */
		if (!OidIsValid(type))
			ereport(ERROR,
					(errcode(ERRCODE_INDETERMINATE_DATATYPE),
					 errmsg("could not determine the type of the elements of the array"),
					 errhint("Cast the array to its type, by way of text: value::text::bigint[].")));
	}
	site->hasher = value_hasher_create(type, PG_GET_COLLATION(), context);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

uint64
call_site_place_literal(CallSite *site, const Filter *filter, Datum literal)
{
	return filter_spread(value_hash_literal(filter, site->hasher, literal));
}

uint64 *
call_site_place_array(CallSite *site, const Filter *filter, Datum array, Size *count, bool *nulls)
{
	ArrayType  *elements = DatumGetArrayTypeP(array);
	ArrayIterator iterator;
	Filter		first;
	uint64	   *hashes;
	Datum		element;
	bool		is_null;

	*count = 0;
	*nulls = false;
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
		hashes[(*count)++] = filter_spread(value_hash(site->hasher, element));
		value_kind_check(filter, site->hasher);
		/* Anonymous rows of one array can be of different kinds, which a filter without one would not notice. */
		if (site->hasher->kind != VALUE_KIND_NAMED || filter->kind != VALUE_KIND_NONE)
			continue;
		if (*count == 1)
		{
			first.kind = VALUE_KIND_NAMED;
			first.kind_name = pnstrdup(site->hasher->kind_name, site->hasher->kind_name_length);
			first.kind_name_length = site->hasher->kind_name_length;
		}
		value_kind_check(&first, site->hasher);
	}
	array_free_iterator(iterator);
	return hashes;
}
