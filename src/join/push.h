/*
 * Where in a finished plan a join's filter can reject rows.
 *
 * A row of the join's outer side that has no match is dropped by the join. So it can be dropped earlier, by any node
 * that it comes from, if no other row changes by that: see push.c for each kind of node.
 */
#ifndef FILTER_JOIN_PUSH_H
#define FILTER_JOIN_PUSH_H

#include "postgres.h"

#include "join/keys.h"

typedef struct PushTarget
{
	Plan	  **scan;			/* where the plan has it */
	bool		by_row;			/* whether the scan remains as it is, below a node of filter_rows.h */
	List	   *keys;			/* of join_key.h: columns of the scanned table, or those of the output if by_row */
	bool		feeds_join;		/* whether the nodes above pass each of its rows on before they ask for more */
	bool		below_gather;	/* whether a Gather is among these nodes: the filter must be ready when it starts */
} PushTarget;

/*
 * The scans below `plan` that the keys come from: a list of PushTarget. The keys are columns of the plan's output. Also
 * those of columns that other joins below the plan compare the keys with. To `passed`, a list of Plan **, those of all nodes
 * are added whose output has only rows that pass the filter: from `plan` down to the scans.
 */
extern List *push_targets(Plan **plan, const List *keys, List *tables, List **passed);

/* Without those below a Gather. */
extern List *push_targets_of_leader(const List *targets);

#endif
