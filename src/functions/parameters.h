/*
 * Capacity and false positive rate as SQL arguments.
 */
#ifndef FILTER_FUNCTIONS_PARAMETERS_H
#define FILTER_FUNCTIONS_PARAMETERS_H

#include "postgres.h"

#include "fmgr.h"

/*
 * The capacity in an argument: at least 1, or 0 where the argument is NULL or the function does not have it. SQL passes it as
 * double precision, which every number converts to implicitly, so that a rate in its place, or 1e6, reaches this function.
 * Error 22023 for what is not a whole number of at least 1.
 */
extern uint64 capacity_parameter(FunctionCallInfo fcinfo, int argument);

/* The rate in an argument; the default where the function does not have it. Error 22004 for NULL; the range is not checked. */
extern double rate_parameter(FunctionCallInfo fcinfo, int argument);

#endif
