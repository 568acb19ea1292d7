/*
 * SQL functions that differ only in the type of filter.
 */
#ifndef FILTER_FUNCTIONS_EACH_TYPE_H
#define FILTER_FUNCTIONS_EACH_TYPE_H

#include "postgres.h"

#include "fmgr.h"

#include "core/filter.h"

#define SQL_FUNCTION_OF_TYPE(name, filter_type, call) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	const FilterType type = (filter_type); \
\
	return (call); \
}

/* Define sql_bloom_NAME and sql_cuckoo_NAME, which return a call with these `fcinfo` and `type`. */
#define SQL_FUNCTION_OF_EACH_TYPE(name, call) \
SQL_FUNCTION_OF_TYPE(sql_bloom_##name, FILTER_BLOOM, call) \
SQL_FUNCTION_OF_TYPE(sql_cuckoo_##name, FILTER_CUCKOO, call)

#endif
