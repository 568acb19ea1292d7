#include "value_hash.h"

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

#include "compat.h"
#include "core/bytes.h"
#include "core/hash.h"
#include "core/pause.h"
#include "value_kind_name.h"

/* The hash of a part of an array or row: a byte that tells null from not null, then the part's own hash. */
#define PART_BYTES 9

typedef struct RowHasher
{
	uint64		identifier;		/* of the type as it is now: ALTER TYPE and ALTER TABLE change it */
	int			columns;
	ValueHasher **column;		/* null for a dropped column */
	TupleDesc	descriptor;
} RowHasher;

/*
 * Canonical bytes of each kind. Text of any encoding is hashed as UTF-8, so that a filter survives a restore into a
 * database of another encoding.
 */

static uint64
hash_of_characters(const char *characters, int length)
{
	char	   *utf8;
	uint64		hash;

	if (GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII)
		return filter_hash_bytes(characters, length);
	utf8 = pg_server_to_any(characters, length, PG_UTF8);
	if (utf8 == characters)
		return filter_hash_bytes(characters, length);
	hash = filter_hash_bytes(utf8, strlen(utf8));
	pfree(utf8);
	return hash;
}

static uint64
hash_of_int2(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(DatumGetInt16(value));
}

static uint64
hash_of_int4(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(DatumGetInt32(value));
}

/* bigint, and the types that are a bigint inside: time, timestamp, timestamptz. */
static uint64
hash_of_int8(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(DatumGetInt64(value));
}

/* A byte, signed as it is on most machines but not on all. */
static uint64
hash_of_char(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer((signed char) DatumGetChar(value));
}

static uint64
hash_of_boolean(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(DatumGetBool(value) ? 1 : 0);
}

static uint64
hash_of_float4(ValueHasher *hasher, Datum value)
{
	return filter_hash_float((double) DatumGetFloat4(value));
}

static uint64
hash_of_float8(ValueHasher *hasher, Datum value)
{
	return filter_hash_float(DatumGetFloat8(value));
}

static uint64
hash_of_uuid(ValueHasher *hasher, Datum value)
{
	return filter_hash_bytes(DatumGetUUIDP(value)->data, UUID_LEN);
}

static uint64
hash_of_name(ValueHasher *hasher, Datum value)
{
	return hash_of_characters(NameStr(*DatumGetName(value)), strlen(NameStr(*DatumGetName(value))));
}

static uint64
hash_of_bytea(ValueHasher *hasher, Datum value)
{
	bytea	   *bytes = DatumGetByteaPP(value);
	uint64		hash = filter_hash_bytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));

	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return hash;
}

static uint64
hash_of_text(ValueHasher *hasher, Datum value)
{
	text	   *characters = DatumGetTextPP(value);
	uint64		hash = hash_of_characters(VARDATA_ANY(characters), VARSIZE_ANY_EXHDR(characters));

	if ((Pointer) characters != DatumGetPointer(value))
		pfree(characters);
	return hash;
}

/* bpchartruelen, which cannot be cancelled and counts the blanks of a value as long as a value can be. */
static int
length_without_padding(const char *characters, int length)
{
	for (; length > 0 && characters[length - 1] == ' '; length--)
		if (length % FILTER_STRIDE_WORDS == 0)
			CHECK_FOR_INTERRUPTS();
	return length;
}

static uint64
hash_of_bpchar(ValueHasher *hasher, Datum value)
{
	BpChar	   *characters = DatumGetBpCharPP(value);
	int			length = length_without_padding(VARDATA_ANY(characters), VARSIZE_ANY_EXHDR(characters));
	uint64		hash = hash_of_characters(VARDATA_ANY(characters), length);

	if ((Pointer) characters != DatumGetPointer(value))
		pfree(characters);
	return hash;
}

static uint64
hash_of_numeric(ValueHasher *hasher, Datum value)
{
	Numeric		number = DatumGetNumeric(value);
	char	   *normal = numeric_normalize(number);
	uint64		hash = filter_hash_bytes(normal, strlen(normal));

	pfree(normal);
	if ((Pointer) number != DatumGetPointer(value))
		pfree(number);
	return hash;
}

static uint64
hash_of_enum(ValueHasher *hasher, Datum value)
{
	HeapTuple	tuple = SearchSysCache1(ENUMOID, value);
	Form_pg_enum label;
	uint64		hash;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid internal value for enum: %u", DatumGetObjectId(value))));
	label = (Form_pg_enum) GETSTRUCT(tuple);
	hash = hash_of_characters(NameStr(label->enumlabel), strlen(NameStr(label->enumlabel)));
	ReleaseSysCache(tuple);
	return hash;
}

/* Every other type: its own hash function, which knows when two of its values are equal, mixed over all 64 bits. */
static uint64
hash_by_operator_class(ValueHasher *hasher, Datum value)
{
	if (OidIsValid(hasher->type_entry->hash_extended_proc))
		return filter_hash_integer(DatumGetInt64(FunctionCall2Coll(&hasher->type_entry->hash_extended_proc_finfo,
																   hasher->collation, value, Int64GetDatum(0))));
	return filter_hash_integer(DatumGetUInt32(FunctionCall1Coll(&hasher->type_entry->hash_proc_finfo,
																hasher->collation, value)));
}

/*
 * Text under a nondeterministic collation, as text of the same characters: bpchar without its padding, which the hash
 * function of bpchar takes into account there although its equality does not.
 */
static uint64
hash_of_collated_text(ValueHasher *hasher, Datum value)
{
	text	   *characters;
	uint64		hash;

	if (hasher->type == NAMEOID)
		characters = cstring_to_text(NameStr(*DatumGetName(value)));
	else if (hasher->type == BPCHAROID)
	{
		BpChar	   *padded = DatumGetBpCharPP(value);

		characters = cstring_to_text_with_len(VARDATA_ANY(padded),
											  length_without_padding(VARDATA_ANY(padded), VARSIZE_ANY_EXHDR(padded)));
	}
	else
		return hash_by_operator_class(hasher, value);
	hash = hash_by_operator_class(hasher, PointerGetDatum(characters));
	pfree(characters);
	return hash;
}

static void
put_part(uint8 *part, bool is_null, uint64 hash)
{
	part[0] = is_null ? 0 : 1;
	store_le64(part + 1, is_null ? 0 : hash);
}

/* Dimensions, lower bounds, then the elements: all that array equality looks at. */
static uint64
hash_of_array(ValueHasher *hasher, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	int			dimensions = ARR_NDIM(array);
	int			count = ArrayGetNItems(dimensions, ARR_DIMS(array));
	ArrayIterator iterator;
	Datum		element;
	bool		is_null;
	uint8	   *bytes,
			   *to;
	uint64		hash;

	check_stack_depth();
	to = bytes = palloc_extended(4 + 8 * (Size) dimensions + PART_BYTES * (Size) count, MCXT_ALLOC_HUGE);
	store_le32(to, (uint32) dimensions);
	to += 4;
	for (int i = 0; i < dimensions; i++, to += 8)
	{
		store_le32(to, (uint32) ARR_DIMS(array)[i]);
		store_le32(to + 4, (uint32) ARR_LBOUND(array)[i]);
	}
	iterator = array_create_iterator(array, 0, NULL);
	for (; array_iterate(iterator, &element, &is_null); to += PART_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		put_part(to, is_null, is_null ? 0 : value_hash(hasher->element, element));
	}
	array_free_iterator(iterator);
	hash = filter_hash_bytes(bytes, to - bytes);

	pfree(bytes);
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
	return hash;
}

/*
 * Rows. The columns are those of the value at hand, which for anonymous rows may change from call to call.
 */

static ValueHasher *create_part(Oid type, Oid collation, MemoryContext context);

static void
prepare_row(ValueHasher *hasher, Oid type, int32 typmod)
{
	MemoryContext old = MemoryContextSwitchTo(hasher->context);
	TupleDesc	descriptor = lookup_rowtype_tupdesc(type, typmod);
	RowHasher  *row = palloc0(sizeof(RowHasher));
	StringInfoData name;
	bool		first = true;

	row->identifier = assign_record_type_identifier(type, typmod);
	row->columns = descriptor->natts;
	row->column = palloc0(sizeof(ValueHasher *) * Max(1, row->columns));
	row->descriptor = CreateTupleDescCopy(descriptor);
	initStringInfo(&name);
	appendStringInfoChar(&name, '(');
	for (int i = 0; i < row->columns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		if (column->attisdropped)
			continue;
		row->column[i] = create_part(column->atttypid, column->attcollation, hasher->context);
		if (!first)
			appendStringInfoChar(&name, ',');
		first = false;
		value_kind_append(&name, row->column[i]);
	}
	appendStringInfoChar(&name, ')');
	ReleaseTupleDesc(descriptor);
	value_kind_set_name(hasher, &name);
	hasher->row = row;
	MemoryContextSwitchTo(old);
}

static uint64
hash_of_row(ValueHasher *hasher, Datum value)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	HeapTupleData tuple;
	Datum	   *values;
	bool	   *nulls;
	uint8	   *bytes,
			   *to;
	RowHasher  *row = hasher->row;
	uint64		hash;

	check_stack_depth();
	if (row == NULL || row->identifier != assign_record_type_identifier(HeapTupleHeaderGetTypeId(header),
																		HeapTupleHeaderGetTypMod(header)))
	{
		if (hasher->is_part && row != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("type %s was altered while its values were being hashed", format_type_be(hasher->type)),
					 errhint("Repeat this in a new transaction.")));
		prepare_row(hasher, HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
		row = hasher->row;
	}

	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	values = palloc(sizeof(Datum) * Max(1, row->columns));
	nulls = palloc(sizeof(bool) * Max(1, row->columns));
	heap_deform_tuple(&tuple, row->descriptor, values, nulls);

	to = bytes = palloc(PART_BYTES * (Size) Max(1, row->columns));
	for (int i = 0; i < row->columns; i++)
		if (row->column[i] != NULL)
		{
			put_part(to, nulls[i], nulls[i] ? 0 : value_hash(row->column[i], values[i]));
			to += PART_BYTES;
		}
	hash = filter_hash_bytes(bytes, to - bytes);

	pfree(bytes);
	pfree(values);
	pfree(nulls);
	if ((Pointer) header != DatumGetPointer(value))
		pfree(header);
	return hash;
}

/*
 * Choosing the kind of a type.
 */

static void
set_kind(ValueHasher *hasher, ValueKind kind, uint64 (*hash) (ValueHasher *, Datum))
{
	hasher->kind = kind;
	hasher->hash = hash;
}

bool
collation_is_nondeterministic(Oid collation)
{
	return OidIsValid(collation) && !get_collation_isdeterministic(collation);
}

/* "char" is a kind of its own, although nothing about its hash is PostgreSQL's. */
static void
use_char(ValueHasher *hasher)
{
	StringInfoData name;

	hasher->hash = hash_of_char;
	initStringInfo(&name);
	value_kind_append_type(&name, CHAROID);
	value_kind_set_name(hasher, &name);
	pfree(name.data);
}

/* Hash by the operator class of a type, which is the hasher's own or, for text-like types, text. */
static void
use_operator_class(ValueHasher *hasher, Oid type)
{
	StringInfoData name;

	hasher->type_entry = lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(hasher->type_entry->hash_proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("type %s has no hash operator class", format_type_be(type)),
				 errdetail("A filter finds equal values by their equal hashes, so it can only hold types that can be hashed."),
				 errhint("Cast the value to a type that can be hashed, such as text.")));
	initStringInfo(&name);
	value_kind_append_type(&name, type);
	value_kind_append_hash_environment(&name, type, hasher->collation);
	value_kind_set_name(hasher, &name);
	pfree(name.data);
}

/* The hasher of an element or a column. */
static ValueHasher *
create_part(Oid type, Oid collation, MemoryContext context)
{
	ValueHasher *hasher;

	if (getBaseType(type) == RECORDOID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("filters do not hold anonymous rows inside other values"),
				 errdetail("The types of their columns are known only one row at a time, so values of other types would go unnoticed."),
				 errhint("Cast the row to a composite type.")));
	hasher = value_hasher_create(type, collation, context);
	hasher->is_part = true;
	return hasher;
}

static void
use_array(ValueHasher *hasher, Oid element_type)
{
	StringInfoData name;

	hasher->element = create_part(element_type, hasher->collation, hasher->context);
	hasher->hash = hash_of_array;
	initStringInfo(&name);
	value_kind_append(&name, hasher->element);
	appendStringInfoString(&name, "[]");
	value_kind_set_name(hasher, &name);
	pfree(name.data);
}

static void
refuse_oid_alias(Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("filters do not hold values of type %s", format_type_be(type)),
			 errdetail("Its values are object identifiers, which change when a database is dumped and restored."),
			 errhint("Cast the value to text to use its name, or to oid to use its number.")));
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
	hasher->kind_name = "";

	switch (hasher->type)
	{
		case INT2OID:
			set_kind(hasher, VALUE_KIND_INTEGER, hash_of_int2);
			return hasher;
		case INT4OID:
			set_kind(hasher, VALUE_KIND_INTEGER, hash_of_int4);
			return hasher;
		case INT8OID:
			set_kind(hasher, VALUE_KIND_INTEGER, hash_of_int8);
			return hasher;
		case CHAROID:
			use_char(hasher);
			return hasher;
		case BYTEAOID:
			set_kind(hasher, VALUE_KIND_BYTEA, hash_of_bytea);
			return hasher;
		case UUIDOID:
			set_kind(hasher, VALUE_KIND_UUID, hash_of_uuid);
			return hasher;
		case BOOLOID:
			set_kind(hasher, VALUE_KIND_BOOLEAN, hash_of_boolean);
			return hasher;
		case DATEOID:
			set_kind(hasher, VALUE_KIND_DATE, hash_of_int4);
			return hasher;
		case TIMEOID:
			set_kind(hasher, VALUE_KIND_TIME, hash_of_int8);
			return hasher;
		case TIMESTAMPOID:
			set_kind(hasher, VALUE_KIND_TIMESTAMP, hash_of_int8);
			return hasher;
		case TIMESTAMPTZOID:
			set_kind(hasher, VALUE_KIND_TIMESTAMPTZ, hash_of_int8);
			return hasher;
		case FLOAT4OID:
			set_kind(hasher, VALUE_KIND_FLOAT, hash_of_float4);
			return hasher;
		case FLOAT8OID:
			set_kind(hasher, VALUE_KIND_FLOAT, hash_of_float8);
			return hasher;
		case NUMERICOID:
			set_kind(hasher, VALUE_KIND_NUMERIC, hash_of_numeric);
			return hasher;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case NAMEOID:
			if (collation_is_nondeterministic(collation))
			{
				hasher->hash = hash_of_collated_text;
				use_operator_class(hasher, TEXTOID);
				return hasher;
			}
			set_kind(hasher, VALUE_KIND_TEXT,
					 hasher->type == NAMEOID ? hash_of_name : hasher->type == BPCHAROID ? hash_of_bpchar : hash_of_text);
			return hasher;
		case REGPROCOID:
		case REGPROCEDUREOID:
		case REGOPEROID:
		case REGOPERATOROID:
		case REGCLASSOID:
		case REGTYPEOID:
		case REGROLEOID:
		case REGNAMESPACEOID:
		case REGCONFIGOID:
		case REGDICTIONARYOID:
		case REGCOLLATIONOID:
			refuse_oid_alias(hasher->type);
			break;
		case UNKNOWNOID:
			ereport(ERROR,
					(errcode(ERRCODE_INDETERMINATE_DATATYPE),
					 errmsg("could not determine the type of a value"),
					 errhint("Cast the literal to its type, as in 'apple'::text.")));
			break;
		default:
			break;
	}

	element_type = get_element_type(hasher->type);
	if (OidIsValid(element_type))
		use_array(hasher, element_type);
	else if (type_is_enum(hasher->type))
		set_kind(hasher, VALUE_KIND_ENUM, hash_of_enum);
	else if (hasher->type == RECORDOID)
	{
		hasher->kind = VALUE_KIND_NAMED;	/* its name follows from the value */
		hasher->hash = hash_of_row;
	}
	else if (type_is_rowtype(hasher->type))
	{
		hasher->hash = hash_of_row;
		prepare_row(hasher, hasher->type, -1);
	}
	else
	{
		hasher->hash = hash_by_operator_class;
		use_operator_class(hasher, hasher->type);
	}
	return hasher;
}

/*
 * Untyped literals. Besides text, only kinds whose text form means the same in every session can be read here.
 */
uint64
value_hash_literal(const Filter *filter, ValueHasher *as_text, Datum literal)
{
	char	   *characters;

	switch (filter->kind)
	{
		case VALUE_KIND_NONE:
		case VALUE_KIND_TEXT:
		case VALUE_KIND_NAMED:	/* text under a nondeterministic collation is one of them */
			value_kind_check(filter, as_text);
			return value_hash(as_text, literal);
		case VALUE_KIND_ENUM:
			return hash_of_text(as_text, literal);
		default:
			break;
	}

	characters = TextDatumGetCString(literal);
	switch (filter->kind)
	{
		case VALUE_KIND_INTEGER:
			return hash_of_int8(NULL, DirectFunctionCall1(int8in, CStringGetDatum(characters)));
		case VALUE_KIND_BYTEA:
			return hash_of_bytea(NULL, DirectFunctionCall1(byteain, CStringGetDatum(characters)));
		case VALUE_KIND_UUID:
			return hash_of_uuid(NULL, DirectFunctionCall1(uuid_in, CStringGetDatum(characters)));
		case VALUE_KIND_BOOLEAN:
			return hash_of_boolean(NULL, DirectFunctionCall1(boolin, CStringGetDatum(characters)));
		case VALUE_KIND_FLOAT:
			return hash_of_float8(NULL, DirectFunctionCall1(float8in, CStringGetDatum(characters)));
		case VALUE_KIND_NUMERIC:
			return hash_of_numeric(NULL, DirectFunctionCall3(numeric_in, CStringGetDatum(characters),
															 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("filter holds values of kind %s, which an untyped literal cannot stand for",
							value_kind_display(filter->kind, filter->kind_name, filter->kind_name_length)),
					 errhint("Cast the literal to the type of the values, as in '...'::%s.", value_kind_cast(filter))));
	}
	pg_unreachable();
}
