#include "value/scalar.h"

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

#include "compat.h"
#include "core/pause.h"
#include "value/kind_name.h"

/*
 * Canonical bytes of each kind. Text is hashed as UTF-8, so that a filter survives a restore into a database of
 * another encoding. For encodings where that is impossible see value_kind_text_is_unicode.
 */

static uint64
hash_of_characters(ValueHasher *hasher, const char *characters, int length)
{
	char	   *utf8;
	uint64		hash;

	if (likely(!value_kind_text_is_converted()))
		return value_hash_bytes(hasher, characters, length);
	utf8 = pg_server_to_any(characters, length, PG_UTF8);
	if (utf8 == characters)
		return value_hash_bytes(hasher, characters, length);
	hash = value_hash_bytes(hasher, utf8, strlen(utf8));
	pfree(utf8);
	return hash;
}

/* The number that represents a value of a fixed-size type. */
static pg_always_inline int64
whole_number(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
		case DATEOID:
			return DatumGetInt32(value);
		case CHAROID:
			/* A byte, read as signed on every machine. */
			return (signed char) DatumGetChar(value);
		case BOOLOID:
			return DatumGetBool(value) ? 1 : 0;
		default:
			return DatumGetInt64(value);
	}
}

static pg_always_inline double
float_number(Oid type, Datum value)
{
	return type == FLOAT4OID ? (double) DatumGetFloat4(value) : DatumGetFloat8(value);
}

static uint64
hash_of_int2(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(whole_number(INT2OID, value));
}

/* integer, and date, which is represented as one. */
static uint64
hash_of_int4(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(whole_number(INT4OID, value));
}

/* bigint, and the types represented as one: time, timestamp, timestamptz. */
static uint64
hash_of_int8(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(whole_number(INT8OID, value));
}

static pg_always_inline int
hashes_of_numbers(Oid type, const Datum *values, int count, uint64 *hashes)
{
	for (int i = 0; i < count; i++)
		hashes[i] = (uint64) whole_number(type, values[i]);
	filter_hash_integers(hashes, (size_t) count);
	return count;
}

static int
hashes_of_int2(const Datum *values, int count, uint64 *hashes)
{
	return hashes_of_numbers(INT2OID, values, count, hashes);
}

static int
hashes_of_int4(const Datum *values, int count, uint64 *hashes)
{
	return hashes_of_numbers(INT4OID, values, count, hashes);
}

static int
hashes_of_int8(const Datum *values, int count, uint64 *hashes)
{
	return hashes_of_numbers(INT8OID, values, count, hashes);
}

static uint64
hash_of_char(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(whole_number(CHAROID, value));
}

static uint64
hash_of_boolean(ValueHasher *hasher, Datum value)
{
	return filter_hash_integer(whole_number(BOOLOID, value));
}

static uint64
hash_of_float4(ValueHasher *hasher, Datum value)
{
	return filter_hash_float(float_number(FLOAT4OID, value));
}

static uint64
hash_of_float8(ValueHasher *hasher, Datum value)
{
	return filter_hash_float(float_number(FLOAT8OID, value));
}

static uint64
hash_of_uuid(ValueHasher *hasher, Datum value)
{
	return value_hash_bytes(hasher, DatumGetUUIDP(value)->data, UUID_LEN);
}

static int
hashes_of_uuid(const Datum *values, int count, uint64 *hashes)
{
	for (int i = 0; i < count; i++)
		hashes[i] = filter_hash_bytes(DatumGetUUIDP(values[i])->data, UUID_LEN);
	return count;
}

static uint64
hash_of_name(ValueHasher *hasher, Datum value)
{
	return hash_of_characters(hasher, NameStr(*DatumGetName(value)), strlen(NameStr(*DatumGetName(value))));
}

static uint64
hash_of_bytea(ValueHasher *hasher, Datum value)
{
	bytea	   *bytes = DatumGetByteaPP(value);
	uint64		hash = value_hash_bytes(hasher, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));

	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return hash;
}

/* bytea, and text in UTF-8. */
static int
hashes_of_bytes(const Datum *values, int count, uint64 *hashes)
{
	for (int i = 0; i < count; i++)
	{
		const struct varlena *bytes = (const struct varlena *) DatumGetPointer(values[i]);

		if (unlikely(VARATT_IS_EXTERNAL(bytes) || VARATT_IS_COMPRESSED(bytes)))
			return i;
		hashes[i] = filter_hash_bytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}
	return count;
}

static uint64
hash_of_text(ValueHasher *hasher, Datum value)
{
	text	   *characters = DatumGetTextPP(value);
	uint64		hash = hash_of_characters(hasher, VARDATA_ANY(characters), VARSIZE_ANY_EXHDR(characters));

	if ((Pointer) characters != DatumGetPointer(value))
		pfree(characters);
	return hash;
}

/* Like bpchartruelen, but can be cancelled, since a long value can consist of blanks. */
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
	uint64		hash = hash_of_characters(hasher, VARDATA_ANY(characters), length);

	if ((Pointer) characters != DatumGetPointer(value))
		pfree(characters);
	return hash;
}

/* Zero bytes after the digits of a number that is not a bigint make its canonical bytes longer than a bigint's. */
#define NUMERIC_TAIL_BYTES 8

/*
 * SQL compares integers with numeric exactly, and an application often cannot know which of them a driver sends. So a
 * numeric that equals a bigint has the hash of that bigint.
 */
static uint64
hash_of_numeric(ValueHasher *hasher, Datum value)
{
	Numeric		number = DatumGetNumeric(value);
	char	   *normal = numeric_normalize(number);
	Size		length = strlen(normal);
	char	   *end;
	long long	integer;
	uint64		hash;

	errno = 0;
	integer = strtoll(normal, &end, 10);
	hasher->is_bigint = errno == 0 && *end == '\0';
	normal = repalloc(normal, length + NUMERIC_TAIL_BYTES);
	memset(normal + length, 0, NUMERIC_TAIL_BYTES);
	if (hasher->is_bigint)
	{
		hash = filter_hash_integer(integer);
		if (unlikely(hasher->witness_key != 0))
			hasher->witness = filter_witness(normal, length + NUMERIC_TAIL_BYTES, hasher->witness_key);
		if (unlikely(hasher->canonical != NULL))
			value_append_integer(hasher->canonical, integer);
	}
	else
		hash = value_hash_bytes(hasher, normal, length + NUMERIC_TAIL_BYTES);
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
	hash = hash_of_characters(hasher, NameStr(label->enumlabel), strlen(NameStr(label->enumlabel)));
	ReleaseSysCache(tuple);
	return hash;
}

/*
 * Every other type has its own hash function, which returns the same number for equal values. That number is the
 * value's canonical form. The witness is the result of the same function for another seed.
 */
static uint64
hash_by_operator_class(ValueHasher *hasher, Datum value)
{
	TypeCacheEntry *entry = hasher->type_entry;
	int64		number;

	if (hasher->quality == HASH_SHORT)
		number = DatumGetUInt32(FunctionCall1Coll(&entry->hash_proc_finfo, hasher->collation, value));
	else
		number = DatumGetInt64(FunctionCall2Coll(&entry->hash_extended_proc_finfo, hasher->collation, value,
												 Int64GetDatum(0)));
	if (unlikely(hasher->witness_key != 0) && hasher->quality != HASH_SHORT)
		hasher->witness = DatumGetUInt64(FunctionCall2Coll(&entry->hash_extended_proc_finfo, hasher->collation, value,
														   UInt64GetDatum(hasher->witness_key)));
	if (unlikely(hasher->canonical != NULL))
		value_append_integer(hasher->canonical, number);
	return filter_hash_integer(number);
}

/*
 * Text under a nondeterministic collation, hashed as type text. bpchar loses its padding, which its own hash function
 * includes under such a collation although its equality ignores it.
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

/*
 * Choosing the kind for a type.
 */

static const struct
{
	Oid			type;
	ValueKindCode code;
	uint8		sources;
	HashQuality quality;
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	int			(*hash_many) (const Datum *values, int count, uint64 *hashes);
}			scalars[] =
{
	{INT2OID, VALUE_KIND_INTEGER, 0, HASH_EXACT, hash_of_int2, hashes_of_int2},
	{INT4OID, VALUE_KIND_INTEGER, 0, HASH_EXACT, hash_of_int4, hashes_of_int4},
	{INT8OID, VALUE_KIND_INTEGER, 0, HASH_EXACT, hash_of_int8, hashes_of_int8},
	{BOOLOID, VALUE_KIND_BOOLEAN, 0, HASH_EXACT, hash_of_boolean, NULL},
	{DATEOID, VALUE_KIND_DATE, 0, HASH_EXACT, hash_of_int4, hashes_of_int4},
	{TIMEOID, VALUE_KIND_TIME, 0, HASH_EXACT, hash_of_int8, hashes_of_int8},
	{TIMESTAMPOID, VALUE_KIND_TIMESTAMP, 0, HASH_EXACT, hash_of_int8, hashes_of_int8},
	{TIMESTAMPTZOID, VALUE_KIND_TIMESTAMPTZ, 0, HASH_EXACT, hash_of_int8, hashes_of_int8},
	{FLOAT4OID, VALUE_KIND_FLOAT, VALUE_FROM_FLOAT4, HASH_EXACT, hash_of_float4, NULL},
	{FLOAT8OID, VALUE_KIND_FLOAT, VALUE_FROM_FLOAT8, HASH_EXACT, hash_of_float8, NULL},
	{BYTEAOID, VALUE_KIND_BYTEA, 0, HASH_WITNESSED, hash_of_bytea, hashes_of_bytes},
	{UUIDOID, VALUE_KIND_UUID, 0, HASH_WITNESSED, hash_of_uuid, hashes_of_uuid},
	{NUMERICOID, VALUE_KIND_NUMERIC, 0, HASH_WITNESSED, hash_of_numeric, NULL},
};

/* "char" is a separate kind, named after the type, although PostgreSQL's hash function is not used. */
static void
use_char(ValueHasher *hasher)
{
	StringInfoData name;

	hasher->hash = hash_of_char;
	hasher->quality = HASH_EXACT;
	initStringInfo(&name);
	value_kind_append_type(&name, CHAROID);
	hasher->kind = value_kind_named(&name, hasher->context);
	pfree(name.data);
}

void
value_scalar_use_enum(ValueHasher *hasher)
{
	hasher->hash = hash_of_enum;
	hasher->quality = HASH_WITNESSED;
	hasher->kind = value_kind_of_enum(hasher->context);
}

/* Hash by the operator class of `hashed_as`: the hasher's own type or, for text-like types, text. */
static void
use_operator_class(ValueHasher *hasher, Oid hashed_as, uint64 (*hash) (ValueHasher *, Datum))
{
	hasher->type_entry = lookup_type_cache(hashed_as, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(hasher->type_entry->hash_proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("type %s has no hash operator class", format_type_be(hashed_as)),
				 errdetail("A filter recognizes equal values by their equal hashes, so it can hold only values that can be hashed."),
				 errhint("Cast the value to a type with a hash operator class, such as text.")));
	hasher->hash = hash;
	hasher->quality = OidIsValid(hasher->type_entry->hash_extended_proc) ? HASH_WITNESSED : HASH_SHORT;
	hasher->kind = value_kind_of_type(hasher->type, hasher->collation, hasher->quality == HASH_SHORT, hasher->context);
}

static void
use_text(ValueHasher *hasher)
{
	if (OidIsValid(hasher->collation) && !get_collation_isdeterministic(hasher->collation))
	{
		use_operator_class(hasher, TEXTOID, hash_of_collated_text);
		return;
	}
	hasher->hash = hasher->type == NAMEOID ? hash_of_name : hasher->type == BPCHAROID ? hash_of_bpchar : hash_of_text;
	if (hasher->hash == hash_of_text && !value_kind_text_is_converted())
		hasher->hash_many = hashes_of_bytes;
	hasher->quality = HASH_WITNESSED;
	hasher->kind = value_kind_of_text(hasher->type, hasher->context);
}

void
value_scalar_use_operator_class(ValueHasher *hasher)
{
	use_operator_class(hasher, hasher->type, hash_by_operator_class);
}

bool
value_scalar_use(ValueHasher *hasher)
{
	for (int i = 0; i < (int) lengthof(scalars); i++)
		if (scalars[i].type == hasher->type)
		{
			hasher->kind.code = scalars[i].code;
			hasher->kind.sources = scalars[i].sources;
			hasher->quality = scalars[i].quality;
			hasher->hash = scalars[i].hash;
			hasher->hash_many = scalars[i].hash_many;
			return true;
		}
	switch (hasher->type)
	{
		case CHAROID:
			use_char(hasher);
			return true;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case NAMEOID:
			use_text(hasher);
			return true;
		default:
			return false;
	}
}

bool
value_scalar_hashes_many(Oid type)
{
	type = getBaseType(type);
	for (int i = 0; i < (int) lengthof(scalars); i++)
		if (scalars[i].type == type)
			return scalars[i].hash_many != NULL;
	return type == TEXTOID || type == VARCHAROID;
}

void
value_scalar_canonical_bytes(const ValueHasher *hasher, Datum value, StringInfo bytes)
{
	if (hasher->kind.code == VALUE_KIND_FLOAT)
	{
		uint8		number[8];

		filter_float_bytes(float_number(hasher->type, value), number);
		appendBinaryStringInfo(bytes, (const char *) number, sizeof(number));
	}
	else
		value_append_integer(bytes, whole_number(hasher->type, value));
}
