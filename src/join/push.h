/*
 * Where in a finished plan a join's filter can reject rows.
 *
 * A row of the join's outer side that has no match is dropped by the join. So it can be dropped earlier, by any node
 * that it comes from, if no other row changes by that: see push.c for each kind of node.
 */
#ifndef FILTER_JOIN_PUSH_H
#define FILTER_JOIN_PUSH_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* The keys of one side of a join, in the order in which they are hashed. The lists have the same length. */
typedef struct JoinKeys
{
	List	   *columns;		/* Vars of a node's inputs */
	List	   *functions;		/* oids: the hash functions of the operators for this side, and their collations */
	List	   *collations;
} JoinKeys;

typedef struct PushTarget
{
	Plan	  **scan;			/* where the plan has it */
	List	   *columns;		/* the keys as columns of the scanned table */
} PushTarget;

/* The scans below `plan` that the keys come from: a list of PushTarget. The keys are columns of the plan's output. */
extern List *push_targets(Plan **plan, const JoinKeys *keys, List *tables);

#endif
