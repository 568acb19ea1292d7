/*
 * Planner support for the conversions to a filter.
 *
 * The cost of a conversion is proportional to the size of its argument, and a generic plan would evaluate
 * `$1::bytea::bloomfilter` for every row. The conversion of a parameter is therefore marked during planning, and then done
 * once per execution.
 *
 * Only the planner knows that this is safe. In a PL/pgSQL expression the argument is a parameter, too, but such an expression
 * is prepared once per transaction, and evaluated repeatedly with other values of the variables.
 */
#ifndef FILTER_ESTIMATE_CONVERSION_H
#define FILTER_ESTIMATE_CONVERSION_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Whether the argument of a call (the fn_expr of its function) is marked as the same for all rows. */
extern bool conversion_is_of_constant(Node *call);

#endif
