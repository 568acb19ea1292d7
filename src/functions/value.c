/*
 * Values as filters see them: their hash and, for readers of filters in other languages, canonical bytes and kind.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "functions/call_site.h"
#include "functions/sql_function.h"
#include "value/hasher.h"
#include "value/kind_name.h"

SQL_FUNCTION(sql_filter_hash, UInt64GetDatum(value_hash(call_site(fcinfo, 0, false)->hasher, PG_GETARG_DATUM(0))))

PG_FUNCTION_INFO_V1(sql_filter_value_bytes);
Datum
sql_filter_value_bytes(PG_FUNCTION_ARGS)
{
	ValueHasher *hasher = call_site(fcinfo, 0, false)->hasher;
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
	ValueHasher *hasher = call_site(fcinfo, 0, false)->hasher;

	/* Hashing a row updates its kind: that of an anonymous row depends on the value, and other types may be altered. */
	if (!PG_ARGISNULL(0) && (hasher->kind.code == VALUE_KIND_NONE || hasher->row != NULL))
		(void) value_hash(hasher, PG_GETARG_DATUM(0));
	if (hasher->kind.code == VALUE_KIND_NONE || (PG_ARGISNULL(0) && hasher->type == RECORDOID))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(value_kind_display(&hasher->kind)));
}
