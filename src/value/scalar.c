/*
 * Types that the extension knows are hashed as canonical bytes, which are the same in every database and on every CPU; all
 * others by the hash function of their operator class, whose result may differ between databases: see kind_name.c. Where types
 * of one kind compare as equal in SQL, such as integers and numeric, their bytes are equal.
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

/*
 * A database's text is of the kind `text`, and its canonical bytes are UTF-8, if every way in which PostgreSQL brings it to
 * another such database keeps those bytes. This is not so for the following encodings. test/t/002_encodings.pl proves that
 * each must be listed, and that all others agree.
 *
 * The meaning of bytes in SQL_ASCII is undefined, and MULE_INTERNAL cannot be converted to UTF-8. A broken bar (U+00A6) that
 * is restored into EUC_JP becomes another character when it is converted back; in EUC_JIS_2004, the control character U+008F
 * with its successor does. Between LATIN2 and WIN1250, and between any two of WIN1251, KOI8R and WIN866, PostgreSQL converts
 * directly, with other results than by way of UTF-8. One encoding of each such pair must be listed; WIN1250 and WIN1251 are
 * not, since initdb chooses them on Windows.
 */
static const struct
{
	const char *name;			/* not every version has all of them */
	bool		converts;		/* to UTF-8; otherwise the bytes stay as they are */
}			encodings_apart[] =
{
	{"SQL_ASCII", false},
	{"MULE_INTERNAL", false},
	{"EUC_JP", true},
	{"EUC_JIS_2004", true},
	{"LATIN2", true},
	{"KOI8R", true},
	{"WIN866", true},
};

/* The index of the database's encoding in encodings_apart; -1 if it is not listed. */
static int
encoding_apart(void)
{
	static int	encoding = -1;
	static int	found;

	/* A process never changes its database once it has one. */
	if (encoding == GetDatabaseEncoding())
		return found;
	found = -1;
	for (int i = 0; i < (int) lengthof(encodings_apart); i++)
		if (strcmp(GetDatabaseEncodingName(), encodings_apart[i].name) == 0)
			found = i;
	encoding = GetDatabaseEncoding();
	return found;
}

bool
value_text_is_converted(void)
{
	return GetDatabaseEncoding() != PG_UTF8 && (encoding_apart() < 0 || encodings_apart[encoding_apart()].converts);
}

bool
value_text_is_apart(void)
{
	return encoding_apart() >= 0;
}

/*
 * Canonical bytes of each kind. Text is hashed as UTF-8, so that a filter survives a restore into a database of another
 * encoding. encodings_apart lists the encodings for which this is impossible.
 */

static uint64
hash_of_characters(const char *characters, int length)
{
	char	   *utf8;
	uint64		hash;

	if (likely(!value_text_is_converted()))
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

/* int4 also serves for date, and int8 for time, timestamp and timestamptz, whose representations are the same. */
HASHES_OF(int2, DatumGetInt16)
HASHES_OF(int4, DatumGetInt32)
HASHES_OF(int8, DatumGetInt64)
HASH_OF(int2, filter_hash_integer(DatumGetInt16(value)))
HASH_OF(int4, filter_hash_integer(DatumGetInt32(value)))
HASH_OF(int8, filter_hash_integer(DatumGetInt64(value)))
/* "char" is read as signed on every machine. */
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

/* This serves for bytea, and for text in UTF-8. */
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

/* The result of bpchartruelen; can be cancelled, since a long value can consist of blanks. */
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

/* Zero bytes after the digits make the canonical bytes of a number that is not a bigint longer than those of any bigint. */
#define NUMERIC_TAIL_BYTES 8

/*
 * SQL compares integers with numeric exactly, and an application often cannot know which of them a driver sends. A numeric
 * that equals a bigint therefore has the hash of that bigint.
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
 * Every other type has its own hash function, which returns the same number for equal values. This number is the value's
 * canonical form.
 */
uint64
value_hash_by_operator_class(ValueHasher *hasher, Datum value)
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
 * Text under a nondeterministic collation is hashed as type text. bpchar loses its padding, which its own hash function
 * includes under such a collation although its equality ignores it.
 */
uint64
value_hash_of_collated_text(ValueHasher *hasher, Datum value)
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
		return value_hash_by_operator_class(hasher, value);
	hash = value_hash_by_operator_class(hasher, PointerGetDatum(characters));
	pfree(characters);
	return hash;
}

/*
 * The types whose values have canonical bytes, by kinds: the first type of a kind is the one of its `cast`.
 *
 * "char" is a separate kind, named after the type, although PostgreSQL's hash function is not used.
 *
 * char(n) is a separate kind, since SQL has no single equality for all kinds of text: it is compared with varchar as
 * char(n), where 'a ' equals 'a', but with text as text. A value equal to either would have to be equal to both.
 */
const ValueScalar value_scalars[VALUE_SCALARS] =
{
	{INT8OID, VALUE_KIND_INTEGER, "integer", "bigint", 0, true, hash_of_int8, hashes_of_int8},
	{INT4OID, VALUE_KIND_INTEGER, "integer", "bigint", 0, false, hash_of_int4, hashes_of_int4},
	{INT2OID, VALUE_KIND_INTEGER, "integer", "bigint", 0, false, hash_of_int2, hashes_of_int2},
	{TEXTOID, VALUE_KIND_TEXT, "text", "text", VALUE_FROM_TEXT, true, hash_of_text, hashes_of_bytes},
	{VARCHAROID, VALUE_KIND_TEXT, "text", "text", VALUE_FROM_TEXT, false, hash_of_text, hashes_of_bytes},
	{NAMEOID, VALUE_KIND_TEXT, "text", "text", VALUE_FROM_NAME, true, hash_of_name, NULL},
	{BPCHAROID, VALUE_KIND_CHARACTER, "character", "bpchar", 0, true, hash_of_bpchar, NULL},
	{BYTEAOID, VALUE_KIND_BYTEA, "bytea", "bytea", 0, true, hash_of_bytea, hashes_of_bytes},
	{UUIDOID, VALUE_KIND_UUID, "uuid", "uuid", 0, true, hash_of_uuid, hashes_of_uuid},
	{BOOLOID, VALUE_KIND_BOOLEAN, "boolean", "boolean", 0, true, hash_of_boolean, NULL},
	{DATEOID, VALUE_KIND_DATE, "date", "date", 0, false, hash_of_int4, hashes_of_int4},
	{TIMEOID, VALUE_KIND_TIME, "time", "time", 0, false, hash_of_int8, hashes_of_int8},
	{TIMESTAMPOID, VALUE_KIND_TIMESTAMP, "timestamp", "timestamp", 0, false, hash_of_int8, hashes_of_int8},
	{TIMESTAMPTZOID, VALUE_KIND_TIMESTAMPTZ, "timestamptz", "timestamptz", 0, false, hash_of_int8, hashes_of_int8},
	{FLOAT8OID, VALUE_KIND_FLOAT, "float", "float8", VALUE_FROM_FLOAT8, true, hash_of_float8, NULL},
	{FLOAT4OID, VALUE_KIND_FLOAT, "float", "float8", VALUE_FROM_FLOAT4, true, hash_of_float4, NULL},
	{NUMERICOID, VALUE_KIND_NUMERIC, "numeric", "numeric", 0, true, hash_of_numeric, NULL},
	{InvalidOid, VALUE_KIND_ENUM, "enum", NULL, 0, true, hash_of_enum, NULL},
	{CHAROID, VALUE_KIND_NAMED, NULL, NULL, 0, false, hash_of_char, NULL},
	{InvalidOid, VALUE_KIND_NONE, "none", NULL, 0, false, NULL, NULL},
};

const ValueScalar *
value_scalar_of_type(Oid type)
{
	for (int i = 0; i < VALUE_SCALARS; i++)
		if (value_scalars[i].type == type && OidIsValid(type))
			return &value_scalars[i];
	return NULL;
}

const ValueScalar *
value_scalar_of_kind(ValueKindCode code)
{
	const ValueScalar *first = value_scalars;

	while (first->code != code)
		first++;
	return first;
}
