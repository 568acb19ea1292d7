/*
 * Capacity and false positive rate as SQL arguments.
 */
#ifndef FILTER_FUNCTIONS_PARAMETERS_H
#define FILTER_FUNCTIONS_PARAMETERS_H

#include "postgres.h"

#include "fmgr.h"

/*
 * The capacity in an argument: at least 1, or 0 if the argument is NULL or the function does not have it. SQL passes
 * it as double precision, to which every number is cast implicitly, so that 1e6, or a rate passed by mistake, reaches
 * this function. Error 22023 unless it is a whole number of at least 1.
 */
extern uint64 capacity_parameter(FunctionCallInfo fcinfo, int argument);

/* The rate in an argument; the default if the function does not have it. Error 22004 for NULL. Does not check the range. */
extern double rate_parameter(FunctionCallInfo fcinfo, int argument);

#endif
