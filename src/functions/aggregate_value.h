/*
 * Who calls a support function of an aggregate, and whether the values and the states have the right types.
 *
 * Each aggregate exists for any type, and cuckoo_filter_citus adds some types by name. Citus calls support functions
 * itself, from aggregates of its own, without the expression from which a function of any type learns the actual one. It
 * can only use those whose declared types are the actual ones.
 */
#ifndef FILTER_FUNCTIONS_AGGREGATE_VALUE_H
#define FILTER_FUNCTIONS_AGGREGATE_VALUE_H

#include "postgres.h"

#include "fmgr.h"

#include "core/filter.h"

/*
 * Whether the executor calls the function for an aggregate of the query. If another extension does, its call site may
 * be new in every row, and the state is partial.
 */
extern bool aggregate_is_called_by_executor(FunctionCallInfo fcinfo);

/*
 * Get the type and the collation of the values, which are the second argument of a transition or final function; false
 * if they cannot be determined. Errors 0A000 and 42P18 for an aggregate of text whose values are, or could be, of
 * another type.
 */
extern bool aggregate_value_type(FunctionCallInfo fcinfo, Oid *type, Oid *collation);

/* Error 42804 if a state is for another type of filter, which is possible only if another extension took it from a user. */
extern void aggregate_check_type(FilterType state, FilterType type);

#endif
