/*
 * Recognizing the calls that have planner support.
 */
#ifndef FILTER_PLANNER_SUPPORT_H
#define FILTER_PLANNER_SUPPORT_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Whether a function is contains, with its filter in the given argument. */
extern bool is_contains(Oid function, int filter_argument);

/* Whether an expression calls contains, as a function or as an operator. */
extern bool has_contains_call(Node *expression);

#endif
