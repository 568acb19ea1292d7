/*
 * Read the outer side of a hash join before the join asks for its rows.
 */
#ifndef FILTER_JOIN_READ_AHEAD_H
#define FILTER_JOIN_READ_AHEAD_H

#include "postgres.h"

#include "miscadmin.h"
#include "nodes/execnodes.h"

#include "plan_nodes/plan_structs.h"

/* The most memory that kept rows take, in bytes. */
#define READ_AHEAD_BYTES	(work_mem * (Size) 1024)

typedef struct ReadAhead
{
	PlanState  *input;
	const HashJoinState *join;	/* whose outer side the input is; null: not known */
	const RuntimeFilterPlan *plan;
	MemoryContext context;		/* contains the rows */
	List	   *rows;			/* of MinimalTuple: the first rows of the input */
	bool		ended;			/* `rows` has all rows of the input */
	bool		given_up;		/* no more are kept */
	int			next;			/* the index of the next one that is passed on */
	TupleTableSlot *slot;		/* for the row that is passed on */
	TupleTableSlot *other_slot; /* for any other row, meanwhile */
} ReadAhead;

extern ReadAhead *read_ahead_create(PlanState *input, const RuntimeFilterPlan *plan);

/* Whether the join is certain to read all of the input. If it is not yet, it may be later. */
extern bool read_ahead_is_safe(const ReadAhead *ahead);

/* Read all of the input, and keep the rows. False if they are too many, or the join has read some that are not kept. */
extern bool read_ahead_all(ReadAhead *ahead);

/* The next row for the join. */
extern TupleTableSlot *read_ahead_next(ReadAhead *ahead);

/* Begin again with the first row. False if the input must be executed again for that. */
extern bool read_ahead_restart(ReadAhead *ahead);

/* Install the hook that notes whether all of a result is fetched. */
extern void read_ahead_install(void);

#endif
