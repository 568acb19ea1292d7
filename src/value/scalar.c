/*
 * The hashers of values that contain no others. Types that the extension knows are hashed as canonical bytes, which are the
 * same in every database and on every CPU; all others by the hash function of their operator class, whose result may differ
 * between databases: see kind_name.c. Where types of one kind compare as equal in SQL, such as integers and numeric, their
 * bytes are equal.
 */
#include "value/scalar.h"

#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

#include "compat.h"
#include "core/hash.h"
#include "core/pause.h"
#include "value/kind_name.h"

/*
 * Canonical bytes of each kind. Text is hashed as UTF-8, so that a filter survives a restore into a database of
 * another encoding. For encodings where that is impossible see encodings_apart.
 */

static uint64
hash_of_characters(const char *characters, int length)
{
	char	   *utf8;
	uint64		hash;

	if (likely(!value_kind_text_is_converted()))
		return filter_hash_bytes(characters, length);
	utf8 = pg_server_to_any(characters, length, PG_UTF8);
	if (utf8 == characters)
		return filter_hash_bytes(characters, length);
	hash = filter_hash_bytes(utf8, strlen(utf8));
	pfree(utf8);
	return hash;
}

/* Define hash_of_NAME. */
#define HASH_OF(name, expression) \
static uint64 \
hash_of_##name(ValueHasher *hasher, Datum value) \
{ \
	return (expression); \
}

/* Define hashes_of_NAME for a type of numbers. */
#define HASHES_OF(name, from_datum) \
static int \
hashes_of_##name(const Datum *values, int count, uint64 *hashes) \
{ \
	for (int i = 0; i < count; i++) \
		hashes[i] = (uint64) from_datum(values[i]); \
	filter_hash_integers(hashes, (size_t) count); \
	return count; \
}

/* int4 is also date; int8 is also time, timestamp and timestamptz: they are represented as one. */
HASHES_OF(int2, DatumGetInt16)
HASHES_OF(int4, DatumGetInt32)
HASHES_OF(int8, DatumGetInt64)
HASH_OF(int2, filter_hash_integer(DatumGetInt16(value)))
HASH_OF(int4, filter_hash_integer(DatumGetInt32(value)))
HASH_OF(int8, filter_hash_integer(DatumGetInt64(value)))
/* A byte, read as signed on every machine. */
HASH_OF(char, filter_hash_integer((signed char) DatumGetChar(value)))
HASH_OF(boolean, filter_hash_integer(DatumGetBool(value) ? 1 : 0))
HASH_OF(float4, filter_hash_float(DatumGetFloat4(value)))
HASH_OF(float8, filter_hash_float(DatumGetFloat8(value)))
HASH_OF(uuid, filter_hash_bytes(DatumGetUUIDP(value)->data, UUID_LEN))
HASH_OF(name, hash_of_characters(NameStr(*DatumGetName(value)), strnlen(NameStr(*DatumGetName(value)), NAMEDATALEN)))

static int
hashes_of_uuid(const Datum *values, int count, uint64 *hashes)
{
	for (int i = 0; i < count; i++)
		hashes[i] = filter_hash_bytes(DatumGetUUIDP(values[i])->data, UUID_LEN);
	return count;
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

/* Like bpchartruelen, but can be cancelled, since a long value can consist of blanks. */
static int
length_without_padding(const char *characters, int length)
{
	for (; length > 0 && characters[length - 1] == ' '; length--)
		if (length % FILTER_STRIDE_WORDS == 0)
			CHECK_FOR_INTERRUPTS();
	return length;
}

static pg_always_inline uint64
hash_of_varlena(Oid type, Datum value)
{
	struct varlena *stored = PG_DETOAST_DATUM_PACKED(value);
	const char *bytes = VARDATA_ANY(stored);
	int			length = VARSIZE_ANY_EXHDR(stored);
	uint64		hash;

	if (type == BYTEAOID)
		hash = filter_hash_bytes(bytes, length);
	else
		hash = hash_of_characters(bytes, type == BPCHAROID ? length_without_padding(bytes, length) : length);
	if ((Pointer) stored != DatumGetPointer(value))
		pfree(stored);
	return hash;
}

HASH_OF(bytea, hash_of_varlena(BYTEAOID, value))
HASH_OF(text, hash_of_varlena(TEXTOID, value))
HASH_OF(bpchar, hash_of_varlena(BPCHAROID, value))

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
	if (hasher->is_bigint)
		hash = filter_hash_integer(integer);
	else
	{
		normal = repalloc(normal, length + NUMERIC_TAIL_BYTES);
		memset(normal + length, 0, NUMERIC_TAIL_BYTES);
		hash = filter_hash_bytes(normal, length + NUMERIC_TAIL_BYTES);
	}
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

/*
 * Every other type has its own hash function, which returns the same number for equal values. That number is the
 * value's canonical form.
 */
static uint64
hash_by_operator_class(ValueHasher *hasher, Datum value)
{
	TypeCacheEntry *entry = hasher->type_entry;
	int64		number;

	if (hasher->is_short)
		number = DatumGetUInt32(FunctionCall1Coll(&entry->hash_proc_finfo, hasher->collation, value));
	else
		number = DatumGetInt64(FunctionCall2Coll(&entry->hash_extended_proc_finfo, hasher->collation, value,
												 Int64GetDatum(0)));
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

typedef struct Scalar
{
	Oid			type;
	ValueKindCode code;
	uint8		sources;
	uint64		(*hash) (ValueHasher *hasher, Datum value);
	int			(*hash_many) (const Datum *values, int count, uint64 *hashes);
} Scalar;

/*
 * "char" is a separate kind, named after the type, although PostgreSQL's hash function is not used.
 *
 * char(n) is a separate kind, since SQL has no single equality for all kinds of text: it is compared with varchar as
 * char(n), where 'a ' equals 'a', but with text as text. A value equal to either would have to be equal to both.
 */
static const Scalar scalars[] =
{
	{INT2OID, VALUE_KIND_INTEGER, 0, hash_of_int2, hashes_of_int2},
	{INT4OID, VALUE_KIND_INTEGER, 0, hash_of_int4, hashes_of_int4},
	{INT8OID, VALUE_KIND_INTEGER, 0, hash_of_int8, hashes_of_int8},
	{BOOLOID, VALUE_KIND_BOOLEAN, 0, hash_of_boolean, NULL},
	{DATEOID, VALUE_KIND_DATE, 0, hash_of_int4, hashes_of_int4},
	{TIMEOID, VALUE_KIND_TIME, 0, hash_of_int8, hashes_of_int8},
	{TIMESTAMPOID, VALUE_KIND_TIMESTAMP, 0, hash_of_int8, hashes_of_int8},
	{TIMESTAMPTZOID, VALUE_KIND_TIMESTAMPTZ, 0, hash_of_int8, hashes_of_int8},
	{FLOAT4OID, VALUE_KIND_FLOAT, VALUE_FROM_FLOAT4, hash_of_float4, NULL},
	{FLOAT8OID, VALUE_KIND_FLOAT, VALUE_FROM_FLOAT8, hash_of_float8, NULL},
	{BYTEAOID, VALUE_KIND_BYTEA, 0, hash_of_bytea, hashes_of_bytes},
	{UUIDOID, VALUE_KIND_UUID, 0, hash_of_uuid, hashes_of_uuid},
	{NUMERICOID, VALUE_KIND_NUMERIC, 0, hash_of_numeric, NULL},
	{CHAROID, VALUE_KIND_NAMED, 0, hash_of_char, NULL},
	{TEXTOID, VALUE_KIND_TEXT, VALUE_FROM_TEXT, hash_of_text, hashes_of_bytes},
	{VARCHAROID, VALUE_KIND_TEXT, VALUE_FROM_TEXT, hash_of_text, hashes_of_bytes},
	{NAMEOID, VALUE_KIND_TEXT, VALUE_FROM_NAME, hash_of_name, NULL},
	{BPCHAROID, VALUE_KIND_CHARACTER, 0, hash_of_bpchar, NULL},
};

static const Scalar *
find_scalar(Oid type)
{
	for (int i = 0; i < (int) lengthof(scalars); i++)
		if (scalars[i].type == type)
			return &scalars[i];
	return NULL;
}

void
value_scalar_use_enum(ValueHasher *hasher)
{
	hasher->hash = hash_of_enum;
	hasher->kind = value_kind_of_characters(VALUE_KIND_ENUM, hasher->context);
}

/* A type that has canonical bytes gets here only if it is text. */
void
value_scalar_use_operator_class(ValueHasher *hasher)
{
	const Scalar *text = find_scalar(hasher->type);
	Oid			hashed_as = text != NULL ? TEXTOID : hasher->type;

	hasher->type_entry = lookup_type_cache(hashed_as, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(hasher->type_entry->hash_proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("type %s has no hash operator class", format_type_be(hashed_as)),
				 errdetail("A filter recognizes equal values by their equal hashes, so it can hold only values that can be hashed."),
				 errhint("Cast the value to a type with a hash operator class, such as text.")));
	hasher->hash = text != NULL ? hash_of_collated_text : hash_by_operator_class;
	hasher->is_short = !OidIsValid(hasher->type_entry->hash_extended_proc);
	hasher->kind = value_kind_of_type(hasher->type, text != NULL ? text->code : VALUE_KIND_NONE, hasher->collation,
									  hasher->is_short, hasher->context);
}

static void
use_text(ValueHasher *hasher, const Scalar *scalar)
{
	if (OidIsValid(hasher->collation) && !get_collation_isdeterministic(hasher->collation))
	{
		hasher->hash_many = NULL;
		value_scalar_use_operator_class(hasher);
		return;
	}
	if (value_kind_text_is_converted())
		hasher->hash_many = NULL;
	hasher->kind = value_kind_of_characters(scalar->code, hasher->context);
}

bool
value_scalar_use(ValueHasher *hasher)
{
	const Scalar *scalar = find_scalar(hasher->type);

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

bool
value_scalar_never_fails(Oid type, Oid collation)
{
	const Scalar *scalar = find_scalar(getBaseType(type));

	if (scalar == NULL || (scalar->code != VALUE_KIND_TEXT && scalar->code != VALUE_KIND_CHARACTER))
		return scalar != NULL;
	return !value_kind_text_is_converted() && (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

bool
value_scalar_hashes_many(Oid type)
{
	const Scalar *scalar = find_scalar(getBaseType(type));

	return scalar != NULL && scalar->hash_many != NULL;
}
