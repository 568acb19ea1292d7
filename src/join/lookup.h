/*
 * Nested loops that look up the rows of a table by an index, for each row of their outer side.
 *
 * They hash nothing. For a filter, the keys of all rows of the table that can be found are read by a scan of its own. That
 * pays if the planner expects many lookups, as where other filters reject fewer rows than it thinks, and most of them to
 * find nothing: because of conditions on the table, or because it has few of the keys.
 */
#ifndef FILTER_JOIN_LOOKUP_H
#define FILTER_JOIN_LOOKUP_H

#include "postgres.h"

#include "join/keys.h"

typedef struct Lookup
{
	Plan	   *scan;			/* a new finished plan without a plan_node_id, whose output has the keys */
	BothKeys	keys;			/* those of the build side are Vars of INNER_VAR; the others, of the join's outer side */
	double		table_rows;		/* that are scanned */
	double		row_cost;		/* of scanning one of them, in the planner's units */
} Lookup;

/* False if the join does something else. `tables` is the range table. */
extern bool lookup_of(const NestLoop *join, List *tables, Lookup *lookup);

#endif
