/*
 * For a type that PostgreSQL's own functions hash, the name of the kind has everything that these depend on: collation,
 * encoding, locale, their versions, and the order of bytes. If a filter is moved to where hashes would differ, its kind is no
 * longer that of the values there, and a probe is an error, not a wrong answer.
 */
#include "value/kind_name.h"

#include "catalog/dependency.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "common/string.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash.h"
#include "value/scalar.h"

const char *
value_kind_display(const ValueKind *kind)
{
	return kind->code == VALUE_KIND_NAMED ? pnstrdup(kind->name, kind->name_length) : value_scalar_of_kind(kind->code)->name;
}

const char *
value_kind_cast(const ValueKind *kind)
{
	const char *cast = value_scalar_of_kind(kind->code)->cast;

	return cast != NULL ? cast : value_kind_display(kind);
}

/* Names of kinds are printable ASCII, so that any database can show them and each name is one byte sequence. */

/* Append text as UTF-8, percent-encoding characters that could be mistaken for punctuation in a kind's name. */
static void
append_encoded(StringInfo to, const char *text, const char *also_plain)
{
	/* ASCII is the same in every encoding, even in one that cannot be converted. */
	const char *utf8 = pg_is_ascii(text) ? text : pg_server_to_any(text, strlen(text), PG_UTF8);

	for (const char *at = utf8; *at != '\0'; at++)
	{
		if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_' ||
			strchr(also_plain, *at) != NULL)
			appendStringInfoChar(to, *at);
		else
			appendStringInfo(to, "%%%02X", (unsigned char) *at);
	}
}

char *
value_kind_type_name(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;
	char	   *schema;
	StringInfoData name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	form = (Form_pg_type) GETSTRUCT(tuple);
	schema = get_namespace_name(form->typnamespace);
	initStringInfo(&name);
	if (schema != NULL && strcmp(schema, "pg_catalog") != 0)
	{
		append_encoded(&name, schema, "");
		appendStringInfoChar(&name, '.');
	}
	append_encoded(&name, NameStr(form->typname), "");
	ReleaseSysCache(tuple);
	return name.data;
}

/* Append a property whose value is a locale or version, such as en_US.UTF-8, und-u-ks-level2 or 153.112. */
static void
append_property(StringInfo to, const char *what, const char *value)
{
	if (value == NULL)
		return;
	appendStringInfo(to, " %s ", what);
	append_encoded(to, value, ".-@");
}

/*
 * The version of the library that compares text under a collation. In another version, different strings may be
 * equal, or equal strings may have different hashes.
 */
static void
append_collation_version(StringInfo to, Oid collation)
{
	LOCAL_FCINFO(call, 1);
	Datum		version;

	/* DirectFunctionCall does not allow a NULL result. */
	InitFunctionCallInfoData(*call, NULL, 1, InvalidOid, NULL, NULL);
	call->args[0].value = ObjectIdGetDatum(collation);
	call->args[0].isnull = false;
	version = pg_collation_actual_version(call);
	if (!call->isnull)
		append_property(to, "version", TextDatumGetCString(version));
}

static void
append_locale(StringInfo to, const char *what, char provider, const char *locale, const char *rules)
{
	appendStringInfo(to, " %s %s", what,
					 provider == COLLPROVIDER_LIBC ? "libc" :
					 provider == COLLPROVIDER_ICU ? "icu" : psprintf("provider-%c", provider));
	if (locale != NULL)
	{
		appendStringInfoChar(to, ' ');
		append_encoded(to, locale, ".-@");
	}
	append_property(to, "rules", rules);
}

/*
 * Append the properties of a nondeterministic collation that define which strings are equal under it. Its name is not one of
 * them: the collation may be renamed, or replaced by another with the same name.
 */
static void
append_collation(StringInfo to, Oid collation)
{
	HeapTuple	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	char	   *locale,
			   *rules;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	icu_collation_locale(tuple, &locale, &rules);
	append_locale(to, "collate", ((Form_pg_collation) GETSTRUCT(tuple))->collprovider, locale, rules);
	ReleaseSysCache(tuple);
	append_collation_version(to, collation);
}

/* Append the locale that the whole database uses for case conversion, and citext with it. */
static void
append_database_locale(StringInfo to)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	char		provider;
	char	   *locale,
			   *rules;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	database_case_locale(tuple, &provider, &locale, &rules);
	append_locale(to, "locale", provider, locale, rules);
	ReleaseSysCache(tuple);
	append_collation_version(to, DEFAULT_COLLATION_OID);
}

/*
 * The hash functions of PostgreSQL and of extensions depend on more than the value: on the encoding, if a value contains text,
 * and on the database's locale, if that text is case-folded. Which of the two is known for PostgreSQL's own types and for its
 * contrib modules. Any other type is assumed to depend on both, unless it is passed by value.
 */
typedef enum Dependence
{
	ON_NOTHING,
	ON_ENCODING,
	ON_ENCODING_AND_LOCALE
} Dependence;

static const struct
{
	const char *extension;
	Dependence	dependence;
}			known_extensions[] =
{
	{"citext", ON_ENCODING_AND_LOCALE},
	{"cube", ON_NOTHING},
	{"hstore", ON_ENCODING},
	{"isn", ON_NOTHING},
	{"ltree", ON_ENCODING},
	{"seg", ON_NOTHING},
};

/* The type of the bounds of a range or multirange type (not a domain), or InvalidOid. */
static Oid
bounds_of(Oid type)
{
	if (type_is_multirange(type))
		type = get_multirange_range(type);
	return type_is_range(type) ? getBaseType(get_range_subtype(type)) : InvalidOid;
}

static Dependence
dependence_of_hash(Oid type)
{
	Oid			bounds = bounds_of(type);
	Oid			extension;
	char	   *name;

	/* PostgreSQL hashes ranges by their bounds. */
	if (OidIsValid(bounds))
		return dependence_of_hash(bounds);
	if (type < FirstNormalObjectId)
	{
		/* inet, cidr and numeric contain no text; types of a fixed size except name are numbers. */
		if (type != NAMEOID && (get_typlen(type) > 0 || type == INETOID || type == CIDROID || type == NUMERICOID))
			return ON_NOTHING;
		return ON_ENCODING;
	}
	extension = getExtensionOfObject(TypeRelationId, type);
	name = OidIsValid(extension) ? get_extension_name(extension) : NULL;
	for (int i = 0; name != NULL && i < (int) lengthof(known_extensions); i++)
		if (strcmp(name, known_extensions[i].extension) == 0)
			return known_extensions[i].dependence;
	return get_typbyval(type) ? ON_NOTHING : ON_ENCODING_AND_LOCALE;
}

/* Append the encoding of the database, unless it is UTF-8, as in nearly every database. */
static void
append_encoding(StringInfo to)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		append_property(to, "encoding", GetDatabaseEncodingName());
}

ValueKind
value_kind_named(const char *name, MemoryContext context)
{
	ValueKind	kind = {.code = VALUE_KIND_NAMED};
	Size		length = strlen(name);
	char	   *copy;

	/* A hash of the whole name replaces a truncated end, such as some columns of a wide row. */
	kind.name_length = (uint16) Min(length, VALUE_KIND_MAX_NAME_BYTES);
	copy = MemoryContextAlloc(context, kind.name_length + 1);
	memcpy(copy, name, kind.name_length);
	if (length > VALUE_KIND_MAX_NAME_BYTES)
	{
		uint64		hash = filter_hash_bytes(name, length);

		snprintf(copy + VALUE_KIND_MAX_NAME_BYTES - 17, 18, "~%08x%08x", (uint32) (hash >> 32), (uint32) hash);
	}
	kind.name = copy;
	return kind;
}

ValueKind
value_kind_of_characters(ValueKindCode code, MemoryContext context)
{
	ValueKind	kind = {.code = code};
	StringInfoData name;

	if (!value_text_is_apart())
		return kind;
	initStringInfo(&name);
	appendStringInfoString(&name, value_scalar_of_kind(code)->name);
	append_encoding(&name);
	return value_kind_named(name.data, context);
}

ValueKind
value_kind_of_type(Oid type, ValueKindCode text, Oid collation, bool is_short, MemoryContext context)
{
	StringInfoData name;
	Dependence	dependence = text != VALUE_KIND_NONE ? ON_ENCODING : dependence_of_hash(type);
	Oid			bounds = bounds_of(type);

	initStringInfo(&name);
	appendStringInfoString(&name, text != VALUE_KIND_NONE ? value_scalar_of_kind(text)->name : value_kind_type_name(type));
	/* A range type of the same name can have other bounds in another database. */
	if (OidIsValid(bounds))
		appendStringInfo(&name, "(%s)", value_kind_type_name(bounds));
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		append_collation(&name, collation);
	if (dependence != ON_NOTHING)
		append_encoding(&name);
	if (dependence == ON_ENCODING_AND_LOCALE)
		append_database_locale(&name);
	if (is_short)
		appendStringInfoString(&name, " hash32");
#ifdef WORDS_BIGENDIAN
	appendStringInfoString(&name, " big-endian");
#endif
	return value_kind_named(name.data, context);
}

/* The length of the type's name in a kind's name. The rest names everything else that the hash depends on. */
static Size
type_length(const char *display)
{
	return strcspn(display, " [");
}

/* Whether the kind is one of arrays (false if a long name lacks its end). */
static bool
is_of_arrays(const ValueKind *kind)
{
	return kind->code == VALUE_KIND_NAMED && kind->name_length > 2 &&
		memcmp(kind->name + kind->name_length - 2, "[]", 2) == 0;
}

/* Whether the names of two kinds differ only after the type's name; sets the detail of the error about this. */
static bool
same_type(const ValueKind *a, const ValueKind *b, const char **detail)
{
	const char *one = value_kind_display(a);
	const char *other = value_kind_display(b);

	if (is_of_arrays(a) != is_of_arrays(b) || type_length(one) != type_length(other) ||
		memcmp(one, other, type_length(one)) != 0)
		return false;
	*detail = "The hash of such a value also depends on what follows the type's name: collation, encoding or locale, their versions, or byte order.";
	return true;
}

/* Whether values of a kind can be cast to another one. This is unknown, and false, for enums and named kinds. */
static bool
can_cast(const ValueKind *from, const ValueKind *to)
{
	const ValueScalar *source = value_scalar_of_kind(from->code);
	const ValueScalar *target = value_scalar_of_kind(to->code);
	Oid			function;

	return source->cast != NULL &&
		find_coercion_pathway(target->type, source->type, COERCION_EXPLICIT, &function) != COERCION_PATH_NONE;
}

pg_noreturn static void
report_different(const char *message, const ValueKind *a, const ValueKind *b, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg(message, value_kind_display(a), value_kind_display(b)),
			 detail == NULL ? 0 : errdetail("%s", detail),
			 errhint("%s", hint)));
}

void
value_kind_check_in_full(const ValueKind *filter, const ValueKind *value)
{
	const char *detail = NULL,
			   *hint = "Cast the value to the type that the filter was built from. If it is this type, which was renamed, moved or altered since, build the filter again.";

	if (filter->code == VALUE_KIND_NONE || likely(value_kinds_equal(filter, value)))
		return;

	if (is_of_arrays(value) && !is_of_arrays(filter))
		hint = VALUE_LIST_HINT;
	else if (is_of_arrays(filter) && !is_of_arrays(value))
		hint = "Each value of the filter is an array. For their elements, build it by bf_add_all or cf_add_all, or by an aggregate over unnest().";
	else if (same_type(filter, value, &detail))
		hint = "Use the collation under which the filter was built, or rebuild the filter in this database.";
	else if (value_scalar_of_kind(filter->code)->cast != NULL)
		hint = psprintf(can_cast(value, filter) ? "Cast the value to a type of the filter's kind, such as value::%s." :
						"Pass a value of the filter's kind, such as one of type %s.", value_scalar_of_kind(filter->code)->cast);
	report_different("filter holds values of kind %s, not %s", filter, value, detail, hint);
}

void
value_kinds_check(const ValueKind *a, const ValueKind *b)
{
	const char *detail = NULL,
			   *hint = "Rebuild one of them with its values cast to the kind of the other.";

	if (value_kinds_fit(a, b))
		return;

	if (same_type(a, b, &detail))
		hint = "Rebuild one of them in the database of the other, under its collation.";
	report_different("filters hold values of different kinds, %s and %s", a, b, detail, hint);
}

ValueKind
value_kind_copy(const ValueKind *kind, MemoryContext context)
{
	ValueKind	copy = *kind;

	if (kind->name_length > 0)
		copy.name = memcpy(MemoryContextAlloc(context, kind->name_length), kind->name, kind->name_length);
	return copy;
}
