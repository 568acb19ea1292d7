#include "value/hasher.h"

#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "known_function.h"
#include "value/nested.h"
#include "value/scalar.h"

/*
 * Whether values of a type contain oids or column numbers, which change with dump and restore. The aliases of oid,
 * including those of later releases, are the types that have a binary-coercible cast to oid. oid itself is allowed:
 * the user chose a number.
 */
static bool
contains_oids(Oid type)
{
	switch (type)
	{
		case OIDOID:
			return false;
		case ACLITEMOID:
		case PG_NODE_TREEOID:
		case PG_NDISTINCTOID:
		case PG_DEPENDENCIESOID:
		case PG_MCV_LISTOID:
			return true;
		default:
			return IsBinaryCoercible(type, OIDOID);
	}
}

static void
refuse_oids(Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("filters do not hold values of type %s", format_type_be(type)),
			 errdetail("Its values contain object identifiers, which change when a database is dumped and restored."),
			 errhint("Cast the value to text to use the names of the objects, or to oid, if possible, to use their numbers.")));
}

static bool
is_filter(Oid type)
{
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(type, &output, &is_varlena);
	return is_known_function(output, sql_filter_out);
}

/* Filters can be hashed, but a filter of filters is a mistake: usually @> was mistaken for set containment. */
static void
refuse_filter(Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("filters do not hold values of type %s", format_type_be(type)),
			 errdetail("A filter cannot list its values, so nothing can test whether another filter contains them all."),
			 errhint("Test the values themselves, for example with bf_contains_all.")));
}

ValueHasher *
value_hasher_create(Oid type, Oid collation, MemoryContext context)
{
	ValueHasher *hasher = MemoryContextAllocZero(context, sizeof(ValueHasher));
	Oid			element_type;

	check_stack_depth();
	hasher->type = getBaseType(type);
	hasher->collation = collation;
	hasher->context = context;
	hasher->create = value_hasher_create;
	element_type = get_element_type(hasher->type);

	if (hasher->type == UNKNOWNOID)
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of a value"),
				 errhint("Cast the literal to its type, as in 'apple'::text.")));
	else if (value_scalar_use(hasher))
		return hasher;
	else if (is_filter(hasher->type))
		refuse_filter(hasher->type);
	else if (contains_oids(hasher->type))
		refuse_oids(hasher->type);
	else if (OidIsValid(element_type))
		value_nested_use_array(hasher, element_type);
	else if (type_is_enum(hasher->type))
		value_scalar_use_enum(hasher);
	else if (type_is_rowtype(hasher->type))
		value_nested_use_row(hasher);
	else if (type_is_range(hasher->type))
		value_nested_use_range(hasher);
	else if (type_is_multirange(hasher->type))
		value_nested_use_multirange(hasher);
	else
		value_scalar_use_operator_class(hasher);
	return hasher;
}

ValueHasher *
value_hasher_create_for_type(Oid type, MemoryContext context)
{
	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type with OID %u does not exist", type)));
	if (get_typtype(type) == TYPTYPE_PSEUDO)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("filters do not hold values of pseudo-type %s", format_type_be(type)),
				 errhint("Specify a type that a column can have.")));
	return value_hasher_create(type, get_typcollation(type), context);
}

void
value_canonical_bytes(ValueHasher *hasher, Datum value, StringInfo bytes)
{
	if (hasher->kind.code != VALUE_KIND_NONE && hasher->quality == HASH_EXACT)
	{
		value_scalar_canonical_bytes(hasher, value, bytes);
		return;
	}
	hasher->canonical = bytes;
	(void) value_hash(hasher, value);
	hasher->canonical = NULL;
}

void
value_hasher_add_witness(ValueHasher *hasher)
{
	uint64		key;

	/* The cluster's nonce for mock authentication: secret, chosen at random by initdb, the same in every process. */
	key = filter_hash_bytes(GetMockAuthenticationNonce(), MOCK_AUTH_NONCE_LEN);
	hasher->witness_key = Max(key, 1);
	value_nested_add_witness(hasher);
}
