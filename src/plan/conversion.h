/*
 * What the planner is told about the conversions to a filter, and what it tells them.
 *
 * A conversion takes as long as its argument is large, and `$1::bytea::bloomfilter` in a generic plan would be done for
 * every row. A conversion of a parameter is therefore marked while planning, and then done once in each execution.
 *
 * Only the planner knows that this is safe. The function itself sees a parameter in expressions of PL/pgSQL, too, which
 * are prepared once in a transaction and evaluated again with other values of its variables.
 */
#ifndef FILTER_PLAN_CONVERSION_H
#define FILTER_PLAN_CONVERSION_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Whether the argument of a call, the fn_expr of its function, is marked as the same for all rows. */
extern bool conversion_is_of_constant(Node *call);

#endif
