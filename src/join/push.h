/*
 * Where in a finished plan a join's filter can reject rows.
 *
 * A row of the join's outer side that has no match is dropped by the join. So it can be dropped earlier, by any node
 * that it comes from, if no other row changes by that: see push.c for each kind of node.
 */
#ifndef FILTER_JOIN_PUSH_H
#define FILTER_JOIN_PUSH_H

#include "join/keys.h"

typedef struct PushTarget
{
	Plan	  **scan;			/* where the plan has it */
	double		rows;			/* of the table: a scan probes before it evaluates its conditions */
	List	   *keys;			/* of join_key.h: columns of the scanned table */
	bool		feeds_join;		/* whether the nodes above pass each of its rows on before they ask for more */
	bool		all_or_nothing; /* whether one of these nodes computes something from several rows */
} PushTarget;

/*
 * The scans below `plan` that the keys come from: a list of PushTarget. The keys are columns of the plan's output.
 * `passed` becomes a list of Plan **: those of all nodes whose output has only rows that pass the filter. If `at_once`, those
 * scans are left out of which a node above reads all rows before it returns one. If the plan `runs_again`, so are the
 * null-extended sides of joins, whose hash tables may be kept for an execution in which there is no filter. `obstacle` becomes
 * what keeps the filter from another scan.
 */
extern List *push_targets(Plan **plan, const List *keys, const PlannedStmt *statement, bool at_once, bool runs_again,
						  List **passed, const char **obstacle);

#endif
