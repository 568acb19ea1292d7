/*
 * The hash of a value.
 */
#include "functions/call_site.h"
#include "functions/sql_function.h"

SQL_FUNCTION(sql_filter_hash, UInt64GetDatum(value_hash(call_site(fcinfo, 0, false)->hasher, PG_GETARG_DATUM(0))))
