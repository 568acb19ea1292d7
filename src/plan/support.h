/*
 * Which calls the planner support is about.
 */
#ifndef FILTER_PLAN_SUPPORT_H
#define FILTER_PLAN_SUPPORT_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Whether a function is contains with its filter as that argument. */
extern bool is_contains(Oid function, int filter_argument);

/* Whether an expression calls contains, as a function or as an operator. */
extern bool has_contains_call(Node *expression);

#endif
