/*
 * A scan that probes the filter makes the filter's node read its input, while other nodes are being executed. None of these is
 * executed again by this. If the outer side of each join is drawn on its left, reading ahead only moves to the left: a filter of
 * the outer side is probed in the inner side only. In a join of a with the join of b and c, for example, a scan of c may read b
 * ahead, and the scan of b then a. The nodes that are being executed are the ancestors of the scans that wait, and what is read
 * next is on the left of them all.
 */
#include "join_executor/read_ahead.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "compat.h"
#include "host/hash_table.h"

/* The state of the statement whose result is being fetched to its end; null if only part of the result is. */
static const EState *fetched_whole = NULL;

ReadAhead *
read_ahead_create(PlanState *input, const RuntimeFilterPlan *plan)
{
	ReadAhead  *ahead = palloc0(sizeof(ReadAhead));
	TupleDesc	descriptor = ExecGetResultType(input);

	ahead->input = input;
	ahead->plan = plan;
	/* This kind of context does not round sizes up, and with small blocks, it takes little more than the rows. */
	ahead->context = GenerationContextCreate(input->state->es_query_cxt, "rows that are read ahead", ALLOCSET_SMALL_SIZES);
	ahead->slot = ExecInitExtraTupleSlot(input->state, descriptor, &TTSOpsMinimalTuple);
	ahead->other_slot = ExecInitExtraTupleSlot(input->state, descriptor, &TTSOpsMinimalTuple);
	return ahead;
}

/* Read a row of the input, and keep it; give up if there are too many, or they take more memory than work_mem. */
static void
keep_row(ReadAhead *ahead)
{
	TupleTableSlot *row = ExecProcNode(ahead->input);
	MemoryContext caller;

	ahead->ended = TupIsNull(row);
	if (ahead->ended)
		return;
	caller = MemoryContextSwitchTo(ahead->context);
	ahead->rows = lappend(ahead->rows, ExecCopySlotMinimalTuple(row));
	MemoryContextSwitchTo(caller);
	ahead->given_up = list_length(ahead->rows) > ahead->plan->rows ||
		MemoryContextMemAllocated(ahead->context, false) > READ_AHEAD_BYTES;
}

/* PostgreSQL's hash join ends if its hash table is empty, before it evaluates a key of the outer side. */
bool
read_ahead_is_safe(const ReadAhead *ahead)
{
	return ahead->join != NULL && hash_table_has_rows(ahead->join) &&
		(ahead->plan->reads_ahead == READ_WHOLE || ahead->input->state == fetched_whole);
}

bool
read_ahead_all(ReadAhead *ahead)
{
	MemoryContext caller = MemoryContextSwitchTo(ahead->input->state->es_query_cxt);

	/* All nodes below a hash join are read forward. */
	Assert(ScanDirectionIsForward(ahead->input->state->es_direction));
	while (!ahead->ended && !ahead->given_up)
	{
		CHECK_FOR_INTERRUPTS();
		keep_row(ahead);
	}
	MemoryContextSwitchTo(caller);
	return ahead->ended;
}

TupleTableSlot *
read_ahead_next(ReadAhead *ahead)
{
	/* A hash join may ask for the first row before it scans its other side. */
	if (ahead->rows == NIL && !ahead->ended)
		keep_row(ahead);
	if (ahead->next < list_length(ahead->rows))
		return ExecStoreMinimalTuple(list_nth(ahead->rows, ahead->next++), ahead->slot, false);
	if (ahead->ended)
		return ExecClearTuple(ahead->slot);
	/* A join that asks for more has scanned its other side. */
	ahead->given_up = true;
	return ExecProcNode(ahead->input);
}

bool
read_ahead_restart(ReadAhead *ahead)
{
	ahead->next = 0;
	/* The rows are the same in each execution. */
	if (ahead->ended)
		return true;
	ahead->rows = NIL;
	MemoryContextReset(ahead->context);
	ahead->given_up = false;
	return false;
}

static ExecutorRun_hook_type next_run_hook = NULL;

static void
run_query(FILTER_EXECUTOR_RUN_PARAMETERS)
{
	const EState *outer = fetched_whole;

	fetched_whole = count == 0 ? query->estate : NULL;
	PG_TRY();
	{
		(next_run_hook != NULL ? next_run_hook : standard_ExecutorRun) (FILTER_EXECUTOR_RUN_ARGUMENTS);
	}
	PG_FINALLY();
	{
		/* The outer statement may go on after an error. */
		fetched_whole = outer;
	}
	PG_END_TRY();
}

void
read_ahead_install(void)
{
	next_run_hook = ExecutorRun_hook;
	ExecutorRun_hook = run_query;
}
