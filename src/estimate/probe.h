/*
 * Calls of contains in a query.
 */
#ifndef FILTER_ESTIMATE_PROBE_H
#define FILTER_ESTIMATE_PROBE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

typedef struct Probe
{
	PlannerInfo *root;			/* may be null if only the cost is requested */
	Oid			function;
	Oid			collation;
	List	   *args;
	Node	   *filter;
	Node	   *value;
	int			relation;		/* the varRelid of clause_selectivity */
} Probe;

/*
 * Find filter and value in a call of contains that has its filter in argument `filter_argument`; relation is the
 * varRelid of clause_selectivity. False for a call of another function.
 */
extern bool probe_init(Probe *probe, PlannerInfo *root, Oid function, Oid collation, List *args, int filter_argument,
					   int relation);

/* Whether the value has a type, and is not an untyped literal. */
extern bool probe_value_is_typed(const Probe *probe, int filter_argument);

/* Whether an expression calls contains, as a function or as an operator. */
extern bool has_contains_call(Node *expression);

/* Whether one of the restrictions requires the call with these arguments to be true. */
extern bool probe_is_required_by(const List *restrictions, const List *args);

/* The node below any casts that change no bytes. */
extern Node *node_without_relabel(Node *node);

#endif
