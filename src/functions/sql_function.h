/*
 * SQL functions that only pass their arguments on; and the parameters capacity and false positive rate.
 */
#ifndef FILTER_FUNCTIONS_SQL_FUNCTION_H
#define FILTER_FUNCTIONS_SQL_FUNCTION_H

#include "postgres.h"

#include "fmgr.h"

#include "core/filter.h"

/* Define a function that returns a call with this `fcinfo`. */
#define SQL_FUNCTION(name, call) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	return (call); \
}

/* Define a function for a type of filter, which the call refers to as `type`. */
#define SQL_FUNCTION_OF_TYPE(name, filter_type, call) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	const FilterType type = (filter_type); \
\
	return (call); \
}

/* Define sql_bloom_NAME and sql_cuckoo_NAME. */
#define SQL_FUNCTION_OF_EACH_TYPE(name, call) \
SQL_FUNCTION_OF_TYPE(sql_bloom_##name, FILTER_BLOOM, call) \
SQL_FUNCTION_OF_TYPE(sql_cuckoo_##name, FILTER_CUCKOO, call)

/*
 * The capacity in an argument: at least 1, or 0 if the argument is NULL or the function does not have it. SQL passes it as
 * double precision, to which every number is cast implicitly, so that 1e6, or a rate passed by mistake, reaches this function.
 * Error 22023 unless it is a whole number of at least 1.
 */
extern uint64 capacity_parameter(FunctionCallInfo fcinfo, int argument);

/* The rate in an argument; the default if the function does not have it. Error 22004 for NULL. Does not check the range. */
extern double rate_parameter(FunctionCallInfo fcinfo, int argument);

#endif
