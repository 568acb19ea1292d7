/*
 * Walk a finished plan, and tell for each node how often and how far it will be read.
 */
#ifndef FILTER_JOIN_WALK_H
#define FILTER_JOIN_WALK_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "plan_nodes/runtime_filter_plan.h"

typedef struct PlanWalk
{
	PlannedStmt *statement;

	/* These are about the whole plan. */
	Bitmapset  *constants;		/* the executor parameters that keep their value during the whole execution */
	Bitmapset  *gathers;		/* the parameters by which a Gather makes nodes below it start again */
	Bitmapset  *run_once;		/* the ids of sub-selects that are evaluated once */
	bool		has_hash_join;
	bool		subselects_differ;	/* other sub-selects may have another value each time */

	/* These are about the node that is visited. */
	bool		runs_again;		/* it may be executed more than once */
	ReadWhole	is_read_whole;
} PlanWalk;

typedef void (*PlanVisitor) (PlanWalk *walk, Plan *plan);

/* Call the visitor for each node of a statement's plans, from the top downwards. It may replace what is below the node. */
extern void walk_plan(PlanWalk *walk, PlanVisitor visitor);

/* Set what is about the whole plan. */
extern void walk_note_plan(PlanWalk *walk);

/* Whether a plan may return other rows when it is executed again, with the same parameters. */
extern bool walk_rows_may_differ(const PlanWalk *walk, const Plan *plan);

/* The inputs of a node besides its outer and inner one. No filters are made below other kinds of nodes with such inputs. */
extern List *walk_other_inputs(const Plan *plan);

/* Whether a node reads all rows of its input before it returns one. */
extern bool walk_reads_first(const Plan *plan);

extern bool walk_hashes_first(const HashJoin *join);

#endif
