/*
 * Values as filters see them: their hash and, for readers of filters in other languages, canonical bytes and kind.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "functions/call_site.h"
#include "value/hasher.h"
#include "value/kind_name.h"

/* The hasher for the value in argument 0. Without a filter, the type of a literal is unknown. */
static ValueHasher *
hasher_of_value(FunctionCallInfo fcinfo)
{
	CallSite   *site = call_site(fcinfo, 0);

	if (site->literals != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of an untyped value"),
				 errdetail("The hash of a value depends on its type."),
				 errhint("Cast the value to its type in the filter, as in '...'::text or $1::bigint.")));
	return site->hasher;
}

PG_FUNCTION_INFO_V1(sql_filter_hash);
Datum
sql_filter_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) value_hash(hasher_of_value(fcinfo), PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(sql_filter_value_bytes);
Datum
sql_filter_value_bytes(PG_FUNCTION_ARGS)
{
	ValueHasher *hasher = hasher_of_value(fcinfo);
	StringInfoData bytes;

	initStringInfo(&bytes);
	/* Reserve room for the varlena header. */
	appendStringInfoSpaces(&bytes, VARHDRSZ);
	value_canonical_bytes(hasher, PG_GETARG_DATUM(0), &bytes);
	SET_VARSIZE(bytes.data, bytes.len);
	PG_RETURN_BYTEA_P(bytes.data);
}

PG_FUNCTION_INFO_V1(sql_filter_value_kind);
Datum
sql_filter_value_kind(PG_FUNCTION_ARGS)
{
	ValueHasher *hasher = hasher_of_value(fcinfo);

	/* Hashing a row updates its kind: that of an anonymous row depends on the value, and other types may be altered. */
	if (!PG_ARGISNULL(0) && (hasher->kind.code == VALUE_KIND_NONE || hasher->row != NULL))
		(void) value_hash(hasher, PG_GETARG_DATUM(0));
	if (hasher->kind.code == VALUE_KIND_NONE || (PG_ARGISNULL(0) && hasher->type == RECORDOID))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(value_kind_display(&hasher->kind)));
}
