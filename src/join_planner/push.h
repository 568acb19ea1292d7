/*
 * Find where in a finished plan a join's filter can reject rows.
 *
 * The join drops rows of its probe side that have no match. Any node that such a row comes from can drop it earlier, if no other
 * row changes by that: see node_rule for each kind of node.
 */
#ifndef FILTER_JOIN_PUSH_H
#define FILTER_JOIN_PUSH_H

#include "join_planner/keys.h"

typedef struct PushTarget
{
	Plan	  **scan;			/* the pointer to it in the plan */
	double		rows;			/* of the table: the scan probes before it evaluates its conditions */
	RuntimeProbePlan *probe;	/* without what depends on the filter */
} PushTarget;

typedef struct Push
{
	const PlannedStmt *statement;
	bool		at_once;		/* leave out scans below a node that reads all of their rows before it returns one */
	bool		below_gather;	/* the filter is being pushed below a Gather */
	bool		needs_all;		/* the filter is being pushed below a node that groups rows: small scans must probe it, too */

	/* push_into sets these. */
	List	   *targets;		/* of PushTarget: the scans that the keys come from */
	double		rows;			/* of the targets, without small ones */
	List	   *passed;			/* of Plan **: the nodes that return only rows that pass the filter */
	const char *obstacle;		/* what keeps the filter from another scan */
} Push;

/*
 * Push a filter into a plan; its keys are columns of the plan's output. Returns whether all rows of the output then pass the
 * filter. If not, some of the scans below an Append may still have it.
 */
extern bool push_into(Push *push, Plan **plan, const List *keys);

#endif
