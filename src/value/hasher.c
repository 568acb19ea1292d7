/*
 * The hasher of an array or row hashes each part as a value of its own type. The hash of the whole is computed from the parts'
 * hashes, not from their bytes, so parts of any size take little memory.
 */
#include "value/hasher.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/expandedrecord.h"
#include "utils/typcache.h"

#include "compat.h"
#include "core/bytes.h"
#include "core/hash.h"
#include "value/kind_name.h"
#include "value/known_function.h"

/* The canonical bytes of a part are one that distinguishes null from not null, then its hash. */
#define PART_BYTES 9

typedef struct RowHasher
{
	uint64		identifier;		/* of the type's definition; an equal definition may have another, as after ANALYZE */
	int			columns;
	ValueHasher **column;		/* null for a dropped column */
	TupleDesc	descriptor;
} RowHasher;

/* The canonical bytes of a value while they are assembled. */
typedef struct Parts
{
	uint8	   *bytes;
	Size		length;
} Parts;

static void
begin_parts(Parts *parts, Size size)
{
	parts->bytes = palloc_extended(Max(size, 1), MCXT_ALLOC_HUGE);
	parts->length = 0;
}

static void
put_u32(Parts *parts, uint32 number)
{
	store_le32(parts->bytes + parts->length, number);
	parts->length += 4;
}

/* Put a part; all zeroes stand for null. */
static void
put_part(Parts *parts, ValueHasher *part, Datum value, bool is_null)
{
	uint8	   *bytes = parts->bytes + parts->length;

	bytes[0] = !is_null;
	store_le64(bytes + 1, is_null ? 0 : value_hash(part, value));
	parts->length += PART_BYTES;
}

static uint64
hash_of_parts(Parts *parts)
{
	uint64		hash = filter_hash_bytes(parts->bytes, parts->length);

	pfree(parts->bytes);
	return hash;
}

static void
use_enum(ValueHasher *hasher)
{
	hasher->hash = value_scalar_of_kind(VALUE_KIND_ENUM)->hash;
	hasher->kind = value_kind_of_characters(VALUE_KIND_ENUM, hasher->context);
}

/* A type with canonical bytes uses its operator class only if it is text. */
static void
use_operator_class(ValueHasher *hasher)
{
	const ValueScalar *text = value_scalar_of_type(hasher->type);
	Oid			hashed_as = text != NULL ? TEXTOID : hasher->type;

	hasher->type_entry = lookup_type_cache(hashed_as, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(hasher->type_entry->hash_proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("type %s has no hash operator class", format_type_be(hashed_as)),
				 errdetail("A filter recognizes equal values by their equal hashes, so it can hold only values that can be hashed."),
				 errhint("Cast the value to a type with a hash operator class, such as text.")));
	hasher->hash = text != NULL ? value_hash_of_collated_text : value_hash_by_operator_class;
	hasher->is_short = !OidIsValid(hasher->type_entry->hash_extended_proc);
	hasher->kind = value_kind_of_type(hasher->type, text != NULL ? text->code : VALUE_KIND_NONE, hasher->collation,
									  hasher->is_short, hasher->context);
}

static void
use_text(ValueHasher *hasher, const ValueScalar *scalar)
{
	if (OidIsValid(hasher->collation) && !get_collation_isdeterministic(hasher->collation))
	{
		hasher->hash_many = NULL;
		use_operator_class(hasher);
		return;
	}
	if (value_text_is_converted())
		hasher->hash_many = NULL;
	hasher->kind = value_kind_of_characters(scalar->code, hasher->context);
}

/* Returns false unless the extension defines the canonical bytes of the type. */
static bool
use_scalar(ValueHasher *hasher)
{
	const ValueScalar *scalar = value_scalar_of_type(hasher->type);

	if (scalar == NULL)
		return false;
	hasher->hash = scalar->hash;
	hasher->hash_many = scalar->hash_many;
	if (scalar->code == VALUE_KIND_TEXT || scalar->code == VALUE_KIND_CHARACTER)
		use_text(hasher, scalar);
	else if (scalar->code == VALUE_KIND_NAMED)
		hasher->kind = value_kind_named(value_kind_type_name(hasher->type), hasher->context);
	else
		hasher->kind.code = scalar->code;
	hasher->kind.sources = scalar->sources;
	return true;
}

/* The hasher of an element or a column. Rejects anonymous rows, whose kind may differ from value to value. */
static ValueHasher *
create_part(ValueHasher *whole, Oid type, Oid collation, MemoryContext context)
{
	ValueHasher *part;

	if (getBaseType(type) == RECORDOID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("filters do not hold anonymous rows inside other values"),
				 errdetail("The types of their columns may differ from row to row, so values of other types would not be detected."),
				 errhint("Cast the row to a composite type.")));
	part = value_hasher_create(type, collation, context);
	part->is_part = true;
	whole->is_short |= part->is_short;
	return part;
}

/* An array is hashed by its dimensions, lower bounds and elements, which is everything that array equality compares. */

static uint64
hash_of_array(ValueHasher *hasher, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	int			dimensions = ARR_NDIM(array);
	int			count = ArrayGetNItems(dimensions, ARR_DIMS(array));
	ArrayIterator iterator;
	Parts		parts;
	Datum		element;
	bool		is_null;
	uint64		hash;

	check_stack_depth();
	begin_parts(&parts, 4 + 8 * (Size) dimensions + PART_BYTES * (Size) count);
	put_u32(&parts, (uint32) dimensions);
	for (int i = 0; i < dimensions; i++)
	{
		put_u32(&parts, (uint32) ARR_DIMS(array)[i]);
		put_u32(&parts, (uint32) ARR_LBOUND(array)[i]);
	}
	iterator = array_create_iterator(array, 0, NULL);
	while (array_iterate(iterator, &element, &is_null))
	{
		CHECK_FOR_INTERRUPTS();
		put_part(&parts, hasher->part, element, is_null);
	}
	array_free_iterator(iterator);
	hash = hash_of_parts(&parts);

	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
	return hash;
}

static void
use_array(ValueHasher *hasher, Oid element_type)
{
	hasher->hash = hash_of_array;
	hasher->part = create_part(hasher, element_type, hasher->collation, hasher->context);
	hasher->kind = value_kind_named(psprintf("%s[]", value_kind_display(&hasher->part->kind)), hasher->context);
}

/*
 * A row is hashed by its columns. The columns of anonymous rows may change from call to call, so data that depends on them is
 * in a separate memory context, which is reset whenever they change.
 */

static void
prepare_row(ValueHasher *hasher, Oid type, int32 typmod)
{
	MemoryContext old;
	TupleDesc	descriptor = lookup_rowtype_tupdesc(type, typmod);
	RowHasher  *row;
	StringInfoData name;

	hasher->row = NULL;
	if (hasher->row_context == NULL)
		hasher->row_context = AllocSetContextCreate(hasher->context, "hasher of rows", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(hasher->row_context);
	old = MemoryContextSwitchTo(hasher->row_context);

	row = palloc0(sizeof(RowHasher));
	row->identifier = assign_record_type_identifier(type, typmod);
	row->columns = descriptor->natts;
	row->column = palloc0(sizeof(ValueHasher *) * Max(1, row->columns));
	row->descriptor = CreateTupleDescCopy(descriptor);
	ReleaseTupleDesc(descriptor);
	hasher->is_short = false;
	initStringInfo(&name);
	for (int i = 0; i < row->columns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(row->descriptor, i);

		if (column->attisdropped)
			continue;
		row->column[i] = create_part(hasher, column->atttypid, column->attcollation, hasher->row_context);
		appendStringInfo(&name, ",%s", value_kind_display(&row->column[i]->kind));
	}
	hasher->kind = value_kind_named(psprintf("(%s)", name.len > 0 ? name.data + 1 : ""), hasher->row_context);
	hasher->row = row;
	MemoryContextSwitchTo(old);
}

/* Raise an error if the definition of a value's type is no longer the described one: the value or the hasher is older. */
static void
check_not_altered(TupleDesc described, Oid type, int32 typmod)
{
	TupleDesc	current = lookup_rowtype_tupdesc(type, typmod);
	/* Copies are compared, since only the current definition has constraints. */
	TupleDesc	copies[] = {CreateTupleDescCopy(described), CreateTupleDescCopy(current)};

	ReleaseTupleDesc(current);
	if (!equalTupleDescs(copies[0], copies[1]))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("type %s was altered while its values were being hashed", format_type_be(described->tdtypeid)),
				 errhint("Retry in a new transaction.")));
	FreeTupleDesc(copies[0]);
	FreeTupleDesc(copies[1]);
}

/*
 * The row in a value. A PL/pgSQL variable keeps the definition that it was created with. PostgreSQL checks other values since
 * the releases of November 2026; before these, nothing tells that a value is older than the definition.
 */
static HeapTupleHeader
row_of_value(Datum value)
{
	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
	{
		ExpandedRecordHeader *record = (ExpandedRecordHeader *) DatumGetEOHP(value);

		if (record->er_typeid != RECORDOID &&
			record->er_tupdesc_id != assign_record_type_identifier(record->er_typeid, record->er_typmod))
			check_not_altered(expanded_record_get_tupdesc(record), record->er_typeid, record->er_typmod);
	}
	return DatumGetHeapTupleHeader(value);
}

static uint64
hash_of_row(ValueHasher *hasher, Datum value)
{
	HeapTupleHeader header = row_of_value(value);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
	Oid			type = HeapTupleHeaderGetTypeId(header);
	int32		typmod = HeapTupleHeaderGetTypMod(header);
	uint64		identifier = assign_record_type_identifier(type, typmod);
	Datum	   *values;
	bool	   *nulls;
	Parts		parts;
	RowHasher  *row = hasher->row;
	uint64		hash;

	check_stack_depth();
	if (row != NULL && row->identifier != identifier &&
		(hasher->is_part || (type != RECORDOID && type == row->descriptor->tdtypeid)))
	{
		check_not_altered(row->descriptor, type, typmod);
		row->identifier = identifier;
	}
	if (row == NULL || row->identifier != identifier)
	{
		prepare_row(hasher, type, typmod);
		row = hasher->row;
	}

	values = palloc(sizeof(Datum) * Max(1, row->columns));
	nulls = palloc(sizeof(bool) * Max(1, row->columns));
	heap_deform_tuple(&tuple, row->descriptor, values, nulls);

	begin_parts(&parts, PART_BYTES * (Size) row->columns);
	for (int i = 0; i < row->columns; i++)
		if (row->column[i] != NULL)
			put_part(&parts, row->column[i], values[i], nulls[i]);
	hash = hash_of_parts(&parts);

	pfree(values);
	pfree(nulls);
	if ((Pointer) header != DatumGetPointer(value))
		pfree(header);
	return hash;
}

static void
use_row(ValueHasher *hasher)
{
	hasher->hash = hash_of_row;
	if (hasher->type != RECORDOID)
		prepare_row(hasher, hasher->type, -1);
}

/*
 * PostgreSQL hashes ranges and multiranges, by the default operator class of the bounds' type, which must therefore be the
 * operator class that compares the bounds. Under a nondeterministic collation, equal bounds of type char(n) may have different
 * hashes (see value_hash_of_collated_text). An enum is hashed by its oid, and arrays, rows and ranges may contain enums.
 */
static void
use_ranges(ValueHasher *hasher, const TypeCacheEntry *range)
{
	Oid			bound_type = getBaseType(range->rngelemtype->type_id);
	const char *detail = NULL;

	/* This raises the errors of the bounds' type. */
	(void) value_hasher_create(bound_type, range->rng_collation, hasher->context);

	if (range->rng_cmp_proc_finfo.fn_oid != lookup_type_cache(bound_type, TYPECACHE_CMP_PROC)->cmp_proc)
		detail = psprintf("Its bounds are compared by an operator class other than the default of type %s, which determines hashes.",
						  format_type_be(bound_type));
	else if (type_is_enum(bound_type))
		detail = "Its bounds are enums, whose object identifiers change when a database is dumped and restored.";
	else if (OidIsValid(get_element_type(bound_type)) || type_is_rowtype(bound_type) || type_is_range(bound_type) ||
			 type_is_multirange(bound_type))
		detail = "Its bounds are arrays, rows or ranges, which may contain object identifiers.";
	else if (OidIsValid(range->rng_collation) && !get_collation_isdeterministic(range->rng_collation))
		detail = "Its bounds are compared under a nondeterministic collation.";
	if (detail != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("filters do not hold values of type %s", format_type_be(hasher->type)),
				 errdetail("%s", detail)));
	use_operator_class(hasher);
}

/*
 * Whether values of a type contain oids or column numbers, which change with dump and restore. A type with a binary-coercible
 * cast to oid is an alias of oid, even in later releases. oid itself is allowed: the user chose a number.
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

static bool
is_filter(Oid type)
{
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(type, &output, &is_varlena);
	return is_known_function(output, sql_filter_out);
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
	if (hasher->type == UNKNOWNOID)
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of a value"),
				 errhint("Cast the literal to its type, as in 'apple'::text.")));
	if (use_scalar(hasher))
		return hasher;

	element_type = get_element_type(hasher->type);
	/* Filters can be hashed, but a filter of filters is a mistake: usually @> was mistaken for set containment. */
	if (is_filter(hasher->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("filters do not hold values of type %s", format_type_be(hasher->type)),
				 errdetail("A filter cannot list its values, so nothing can test whether another filter contains them all."),
				 errhint("Test the values themselves, for example with bf_contains_all.")));
	if (contains_oids(hasher->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("filters do not hold values of type %s", format_type_be(hasher->type)),
				 errdetail("Its values contain object identifiers, which change when a database is dumped and restored."),
				 errhint("Cast the value to text to use the names of the objects, or to oid, if possible, to use their numbers.")));
	if (OidIsValid(element_type))
		use_array(hasher, element_type);
	else if (type_is_enum(hasher->type))
		use_enum(hasher);
	else if (type_is_rowtype(hasher->type))
		use_row(hasher);
	else if (type_is_range(hasher->type))
		use_ranges(hasher, lookup_type_cache(hasher->type, TYPECACHE_RANGE_INFO));
	else if (type_is_multirange(hasher->type))
		use_ranges(hasher, lookup_type_cache(hasher->type, TYPECACHE_MULTIRANGE_INFO)->rngtype);
	else
		use_operator_class(hasher);
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

bool
value_scalar_never_fails(Oid type, Oid collation)
{
	const ValueScalar *scalar = value_scalar_of_type(getBaseType(type));

	if (scalar == NULL || (scalar->code != VALUE_KIND_TEXT && scalar->code != VALUE_KIND_CHARACTER))
		return scalar != NULL;
	return !value_text_is_converted() && (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

bool
value_scalar_hashes_many(Oid type)
{
	const ValueScalar *scalar = value_scalar_of_type(getBaseType(type));

	return scalar != NULL && scalar->hash_many != NULL;
}
