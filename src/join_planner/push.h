/*
 * Where in a finished plan a join's filter can reject rows.
 *
 * A row of the join's outer side that has no match is dropped by the join. So it can be dropped earlier, by any node
 * that it comes from, if no other row changes by that: see node_rule for each kind of node.
 */
#ifndef FILTER_JOIN_PUSH_H
#define FILTER_JOIN_PUSH_H

#include "join_planner/keys.h"

typedef struct PushTarget
{
	Plan	  **scan;			/* where the plan has it */
	double		rows;			/* of the table: a scan probes before it evaluates its conditions */
	RuntimeProbePlan *probe;	/* without what depends on the filter */
} PushTarget;

typedef struct Push
{
	const PlannedStmt *statement;
	bool		at_once;		/* leave out scans of which a node above reads all rows before it returns one */
	bool		runs_again;		/* nodes may keep rows of one execution for the next, in which there is no filter */
	bool		below_gather;	/* while it is pushed below a Gather */
	bool		needs_all;		/* while it is pushed below a node that groups rows: scans of few rows probe it, too */

	/* What is found. */
	List	   *targets;		/* of PushTarget: the scans that the keys come from */
	double		rows;			/* of these */
	List	   *passed;			/* Plan **: of all nodes whose output has only rows that pass the filter */
	const char *obstacle;		/* what keeps the filter from another scan */
} Push;

/*
 * Push a filter of columns of a plan's output into it. Returns whether all rows of the output then pass the filter. If not,
 * some may still: those of a part of the scans below an Append.
 */
extern bool push_into(Push *push, Plan **plan, const List *keys);

#endif
