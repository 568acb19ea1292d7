#include "value_kind_name.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "core/hash.h"

static const struct
{
	const char *name;
	const char *cast;			/* a type of that kind, for hints */
}			kinds[] =
{
	[VALUE_KIND_NONE] = {"none", "text"},
	[VALUE_KIND_INTEGER] = {"integer", "bigint"},
	[VALUE_KIND_TEXT] = {"text", "text"},
	[VALUE_KIND_BYTEA] = {"bytea", "bytea"},
	[VALUE_KIND_UUID] = {"uuid", "uuid"},
	[VALUE_KIND_BOOLEAN] = {"boolean", "boolean"},
	[VALUE_KIND_DATE] = {"date", "date"},
	[VALUE_KIND_TIME] = {"time", "time"},
	[VALUE_KIND_TIMESTAMP] = {"timestamp", "timestamp"},
	[VALUE_KIND_TIMESTAMPTZ] = {"timestamptz", "timestamptz"},
	[VALUE_KIND_FLOAT] = {"float", "float8"},
	[VALUE_KIND_NUMERIC] = {"numeric", "numeric"},
	[VALUE_KIND_ENUM] = {"enum", NULL},
	[VALUE_KIND_NAMED] = {NULL, NULL},
};

const char *
value_kind_display(ValueKind kind, const char *name, uint32 name_length)
{
	return kind == VALUE_KIND_NAMED ? pnstrdup(name, name_length) : kinds[kind].name;
}

const char *
value_kind_cast(const Filter *filter)
{
	const char *cast = kinds[filter->kind].cast;

	return cast != NULL ? cast : value_kind_display(filter->kind, filter->kind_name, filter->kind_name_length);
}

/*
 * Names of kinds: printable ASCII, so that any database can show them and one byte sequence stands for one name.
 */

/* Append text as UTF-8, percent-encoding whatever could be taken for the punctuation of a kind's name. */
static void
append_encoded(StringInfo to, const char *text, const char *also_plain)
{
	char	   *utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);

	for (const char *at = utf8; *at != '\0'; at++)
	{
		if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_' ||
			strchr(also_plain, *at) != NULL)
			appendStringInfoChar(to, *at);
		else
			appendStringInfo(to, "%%%02X", (unsigned char) *at);
	}
}

static void
append_name(StringInfo to, const char *name)
{
	append_encoded(to, name, "");
}

static void
append_qualified_name(StringInfo to, Oid namespace, const char *name)
{
	char	   *schema = get_namespace_name(namespace);

	if (schema != NULL && strcmp(schema, "pg_catalog") != 0)
	{
		append_name(to, schema);
		appendStringInfoChar(to, '.');
	}
	append_name(to, name);
}

void
value_kind_append_type(StringInfo to, Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	form = (Form_pg_type) GETSTRUCT(tuple);
	append_qualified_name(to, form->typnamespace, NameStr(form->typname));
	ReleaseSysCache(tuple);
}

static void
append_collation(StringInfo to, Oid collation)
{
	HeapTuple	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Form_pg_collation form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	form = (Form_pg_collation) GETSTRUCT(tuple);
	appendStringInfoString(to, " collate ");
	append_qualified_name(to, form->collnamespace, NameStr(form->collname));
	ReleaseSysCache(tuple);
}

/* Locales and versions, such as en_US.UTF-8, und-u-ks-level2 and 153.112. */
static void
append_locale(StringInfo to, const char *what, const char *locale)
{
	if (locale == NULL)
		return;
	appendStringInfo(to, " %s ", what);
	append_encoded(to, locale, ".-@");
}

/*
 * The version of the library that compares text under a collation. Another one may find other strings equal, or hash
 * equal ones to another number.
 */
static void
append_collation_version(StringInfo to, Oid collation)
{
	LOCAL_FCINFO(call, 1);
	Datum		version;

	/* Not by DirectFunctionCall, which takes no NULL. */
	InitFunctionCallInfoData(*call, NULL, 1, InvalidOid, NULL, NULL);
	call->args[0].value = ObjectIdGetDatum(collation);
	call->args[0].isnull = false;
	version = pg_collation_actual_version(call);
	if (!call->isnull)
		append_locale(to, "version", TextDatumGetCString(version));
}

/* The locale that tells upper and lower case for all of a database, which citext goes by. */
static void
append_database_locale(StringInfo to)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	char	   *locale;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	locale = database_case_locale(tuple);
	ReleaseSysCache(tuple);
	append_locale(to, "locale", locale);
	append_collation_version(to, DEFAULT_COLLATION_OID);
}

/* The collation that a range type compares by, or none. */
static Oid
collation_of_range(Oid type)
{
	Oid			range = type_is_range(type) ? type : range_of_multirange(type);

	return OidIsValid(range) ? get_range_collation(range) : InvalidOid;
}

void
value_kind_append_hash_environment(StringInfo to, Oid type, Oid collation)
{
	char		category;
	bool		preferred;

	if (!collation_is_nondeterministic(collation))
		collation = collation_of_range(type);
	if (collation_is_nondeterministic(collation))
	{
		append_collation(to, collation);
		append_collation_version(to, collation);
	}
	get_type_category_preferred(type, &category, &preferred);
	if (category == TYPCATEGORY_STRING && type != TEXTOID)
		append_database_locale(to);
#ifdef WORDS_BIGENDIAN
	appendStringInfoString(to, " big-endian");
#endif
}

void
value_kind_append(StringInfo to, const ValueHasher *hasher)
{
	if (hasher->kind == VALUE_KIND_NAMED)
		appendBinaryStringInfo(to, hasher->kind_name, hasher->kind_name_length);
	else
		appendStringInfoString(to, kinds[hasher->kind].name);
}

void
value_kind_set_name(ValueHasher *hasher, StringInfo name)
{
	/* A row of many columns: the hash of the whole name stands for what is cut off. */
	if (name->len > VALUE_KIND_NAME_MAX)
	{
		uint64		hash = filter_hash_bytes(name->data, name->len);

		name->len = VALUE_KIND_NAME_MAX - 17;
		appendStringInfo(name, "~%08x%08x", (uint32) (hash >> 32), (uint32) hash);
	}
	hasher->kind = VALUE_KIND_NAMED;
	hasher->kind_name_length = name->len;
	hasher->kind_name = MemoryContextStrdup(hasher->context, name->data);
}

/*
 * Comparing kinds.
 */

/* Whether two kinds are values of one type, which are hashed differently: behind the type's name they differ. */
static bool
differs_in_environment(const Filter *filter, const ValueHasher *hasher)
{
	Size		type_length = strcspn(hasher->kind_name, " ");

	return filter->kind == VALUE_KIND_NAMED && hasher->kind == VALUE_KIND_NAMED &&
		filter->kind_name_length >= type_length &&
		memcmp(filter->kind_name, hasher->kind_name, type_length) == 0 &&
		(filter->kind_name_length == type_length || filter->kind_name[type_length] == ' ');
}

void
value_kind_check_in_full(const Filter *filter, const ValueHasher *hasher)
{
	if (filter->kind == VALUE_KIND_NONE)
		return;
	if (likely(filter->kind == hasher->kind && filter->kind_name_length == hasher->kind_name_length &&
			   (filter->kind_name_length == 0 ||
				memcmp(filter->kind_name, hasher->kind_name, filter->kind_name_length) == 0)))
		return;

	if (differs_in_environment(filter, hasher))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("filter holds values of kind %s, not %s",
						value_kind_display(filter->kind, filter->kind_name, filter->kind_name_length),
						value_kind_display(hasher->kind, hasher->kind_name, hasher->kind_name_length)),
				 errdetail("Equal values have other hashes under another collation, version of it or locale, and on machines of another byte order."),
				 errhint("Use the collation that the filter was built under, or build the filter again on this server.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("filter holds values of kind %s, not %s",
					value_kind_display(filter->kind, filter->kind_name, filter->kind_name_length),
					value_kind_display(hasher->kind, hasher->kind_name, hasher->kind_name_length)),
			 kinds[filter->kind].cast != NULL ?
			 errhint("Cast the value to a type of the filter's kind, such as value::%s.", kinds[filter->kind].cast) :
			 errhint("Cast the value to the type that the filter was built from.")));
}

void
value_kinds_check(const Filter *a, const Filter *b)
{
	if (!filter_same_kind(a, b))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("filters hold values of different kinds, %s and %s",
						value_kind_display(a->kind, a->kind_name, a->kind_name_length),
						value_kind_display(b->kind, b->kind_name, b->kind_name_length)),
				 errhint("Build one of them again with its values cast to the kind of the other.")));
}
