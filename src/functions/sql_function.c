/*
 * The parameters are checked in one place, so that all functions raise the same errors.
 */
#include "functions/sql_function.h"

#include <math.h>

uint64
capacity_parameter(FunctionCallInfo fcinfo, int argument)
{
	double		capacity;

	if (PG_NARGS() <= argument || PG_ARGISNULL(argument))
		return 0;
	capacity = PG_GETARG_FLOAT8(argument);
	if (unlikely(!(capacity >= 1.0 && rint(capacity) == capacity)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity must be a whole number of at least 1"),
				 capacity > 0.0 && capacity <= FILTER_MAX_RATE ?
				 errhint("The capacity comes before the false positive rate: bf_create(1000, 0.01), bf_agg(value, NULL, 0.01).") :
				 errhint("Specify the expected number of distinct values, or NULL to have them counted.")));
	/* A double has only 53 bits of precision, so it cannot represent the limit itself. */
	return capacity < (double) FILTER_MAX_CAPACITY ? (uint64) capacity : FILTER_MAX_CAPACITY;
}

double
rate_parameter(FunctionCallInfo fcinfo, int argument)
{
	if (PG_NARGS() <= argument)
		return FILTER_DEFAULT_RATE;
	if (unlikely(PG_ARGISNULL(argument)))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("false positive rate must not be null"),
				 errhint("Omit the rate for the default of %g, or specify one, such as 0.001.", FILTER_DEFAULT_RATE)));
	return PG_GETARG_FLOAT8(argument);
}
