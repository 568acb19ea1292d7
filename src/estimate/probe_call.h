/*
 * Calls of contains in a query, taken apart for all that estimates probes.
 */
#ifndef FILTER_ESTIMATE_PROBE_CALL_H
#define FILTER_ESTIMATE_PROBE_CALL_H

#include "postgres.h"

#include "nodes/pathnodes.h"

typedef struct ProbeCall
{
	PlannerInfo *root;			/* may be null if only the cost is requested */
	Oid			function;
	Oid			collation;
	List	   *args;
	Node	   *filter;
	Node	   *value;
	int			filter_argument;	/* the number of the filter in `args`: 0 or 1 */
	int			relation;		/* the varRelid of clause_selectivity */
} ProbeCall;

/* Find filter and value in a call; relation is the varRelid of clause_selectivity. False unless it calls contains. */
extern bool probe_call_init(ProbeCall *probe, PlannerInfo *root, Oid function, Oid collation, List *args, int relation);

/* Whether the value has a type, and is not an untyped literal. */
extern bool probe_call_value_is_typed(const ProbeCall *probe);

#endif
