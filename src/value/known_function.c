/*
 * A C function is recognized by its name in the catalog, and only then by its address, for which its library must be loaded.
 */
#include "value/known_function.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"

#include "compat.h"

/* Whether a function is in C and has this name in its library, whichever library that is. */
static bool
has_c_name(Oid function, const char *name)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		has_name = false;

	if (!HeapTupleIsValid(tuple))
		return false;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId)
	{
		char	   *source = catalog_text(PROCOID, tuple, Anum_pg_proc_prosrc);

		has_name = strcmp(source, name) == 0;
		pfree(source);
	}
	ReleaseSysCache(tuple);
	return has_name;
}

bool
is_c_function(Oid function, PGFunction code, const char *name)
{
	FmgrInfo	info;

	/* Functions of extensions are never created by initdb. */
	if (function < FirstNormalObjectId || !has_c_name(function, name))
		return false;
	fmgr_info(function, &info);
	return info.fn_addr == code;
}

Oid
aggregate_function(Oid aggregate, AttrNumber attribute)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Oid			function = InvalidOid;
	bool		isnull;

	if (HeapTupleIsValid(tuple))
	{
		function = DatumGetObjectId(SysCacheGetAttr(AGGFNOID, tuple, attribute, &isnull));
		ReleaseSysCache(tuple);
	}
	return function;
}
