/*
 * What differs between PostgreSQL's major versions, and nowhere else.
 */
#ifndef FILTER_COMPAT_H
#define FILTER_COMPAT_H

#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "common/base64.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
/* Soft errors exist since 16; before, an input function's error is an ordinary one. */
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#endif

#if PG_VERSION_NUM < 160000
/* fmgr.h does so since 16. */
extern void _PG_init(void);
#endif

/* 13 does not take the planner's state, and gives no more than the number. */
#if PG_VERSION_NUM >= 140000
#define pull_varnos_of(root, node) pull_varnos(root, node)
#define estimate_group_number(root, expressions, rows) estimate_num_groups(root, expressions, rows, NULL, NULL)
#else
#define pull_varnos_of(root, node) pull_varnos(node)
#define estimate_group_number(root, expressions, rows) estimate_num_groups(root, expressions, rows, NULL)
#endif

#if PG_VERSION_NUM < 180000
/* Before the declaration since 18, behind it in earlier versions. */
#if defined(__GNUC__)
#define pg_noreturn __attribute__((noreturn))
#else
#define pg_noreturn
#endif
#endif

#if PG_VERSION_NUM >= 180000
#define FILTER_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "cuckoo_filter", .version = "1.0")
#define filter_base64_encode(from, length, to, room) pg_b64_encode((const uint8 *) (from), length, to, room)
#define filter_base64_decode(from, length, to, room) pg_b64_decode(from, length, (uint8 *) (to), room)
#else
#define FILTER_MODULE_MAGIC PG_MODULE_MAGIC
#define filter_base64_encode(from, length, to, room) pg_b64_encode((const char *) (from), length, to, room)
#define filter_base64_decode(from, length, to, room) pg_b64_decode(from, length, (char *) (to), room)
#endif

/* The locale that upper and lower case follow in a database, palloc'd; null where there is none. */
static inline char *
database_case_locale(HeapTuple database)
{
	Form_pg_database form = (Form_pg_database) GETSTRUCT(database);
#if PG_VERSION_NUM >= 150000
#if PG_VERSION_NUM >= 170000
	AttrNumber	locale = Anum_pg_database_datlocale;
#else
	AttrNumber	locale = Anum_pg_database_daticulocale;
#endif
	Datum		name;
	bool		is_null;

	if (form->datlocprovider == COLLPROVIDER_LIBC)
		locale = Anum_pg_database_datctype;
	name = SysCacheGetAttr(DATABASEOID, database, locale, &is_null);
	return is_null ? NULL : TextDatumGetCString(name);
#else
	return pstrdup(NameStr(form->datctype));
#endif
}

/* The range type of a multirange type, which exist since 14. */
static inline Oid
range_of_multirange(Oid type)
{
#if PG_VERSION_NUM >= 140000
	return type_is_multirange(type) ? get_multirange_range(type) : InvalidOid;
#else
	(void) type;
	return InvalidOid;
#endif
}

#endif
