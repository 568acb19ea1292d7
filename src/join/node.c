/*
 * The plan node that makes a join's filter: it passes rows on, and hashes their keys.
 *
 * Below the Hash node of the join, it has seen all rows when its input ends, which is before the join asks for the second
 * row of its other side.
 *
 * On the other side, it reads ahead: when a scan of the rows that are to be hashed asks for the filter, it reads all of its
 * input, and keeps the rows. So it does not before the join has hashed a row: without one, the join would not read the input,
 * but for its first row. If there are far more than expected, or they do not fit in work_mem, it gives up: there is no filter,
 * and it reads the rest when the join asks for it.
 *
 * In a parallel query, each process makes a filter of all rows for itself, as the join does. In a Parallel Hash, where
 * each process hashes some of the rows for all, they make one filter together.
 */
#include "join/node.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/guc.h"
#include "utils/ruleutils.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "host/hash_table.h"
#include "huge_memory.h"
#include "join/key_range.h"
#include "join/key_set.h"
#include "scan/settings.h"

typedef struct BuildKey
{
	AttrNumber	column;			/* of the input; 0: an expression */
	ExprState  *expression;
	KeyHash		hash;
	Datum		value;			/* in the present row */
	KeyRange   *range;			/* null: not kept */
} BuildKey;

typedef enum FilterStage
{
	FILTER_OFF,					/* in this execution, there is no filter */
	FILTER_IDLE,				/* no row has been read */
	FILTER_BUILDING,			/* from the first row, until all keys have been added */
	FILTER_COMPLETE,			/* all keys have been added; no scan has asked for the filter */
	FILTER_BUILT,				/* of all keys; there is no filter if they took too much memory */
	FILTER_GIVEN_UP				/* until the input is read again, there is no filter */
} FilterStage;

typedef struct RuntimeFilterState
{
	CustomScanState custom;
	RuntimeFilterPlan plan;
	BuildKey    *keys;
	int			key_count;
	FilterStage stage;
	KeySet		set;
	RuntimeFilter filter;		/* what the scans see; ready only if FILTER_BUILT */

	SharedKeys *shared;			/* in a Parallel Hash; otherwise null */

	/* Of a node that reads ahead. */
	const HashJoinState *join;	/* that it is of; null: not known */
	double		rows_left;		/* of those of the plan */
	Tuplestorestate *rows;		/* the first rows of the input, or all of them */
	Size		rows_bytes;		/* that they take */
	TupleTableSlot *slot;		/* for one of them */
	TupleTableSlot *unkept;		/* the row after them, for which there was no room, until it is passed on */
	bool		rows_end;		/* all that were kept have been passed on */
	bool		input_ended;

	/* For EXPLAIN, after shared memory has been freed. */
	uint64		keys_added;
	Size		filter_bytes;
	bool		is_timed;
	instr_time	time;			/* that this process took to hash and add keys, and to make filters, in all executions */
} RuntimeFilterState;

/*
 * Hashing.
 */

static Datum
key_value(const RuntimeFilterState *state, const BuildKey *key, TupleTableSlot *row, bool *is_null)
{
	ExprContext *econtext;

	if (key->column > 0)
		return slot_getattr(row, key->column, is_null);
	econtext = state->custom.ss.ps.ps_ExprContext;
	econtext->ecxt_outertuple = row;
	return ExecEvalExpr(key->expression, econtext, is_null);
}

static void
start_timing(const RuntimeFilterState *state, instr_time *began)
{
	if (state->is_timed)
		INSTR_TIME_SET_CURRENT(*began);
}

static void
stop_timing(RuntimeFilterState *state, instr_time began)
{
	instr_time	now;

	if (!state->is_timed)
		return;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_ACCUM_DIFF(state->time, now, began);
}

/* A row with a null in a key has no match. */
static void
add_row(RuntimeFilterState *state, TupleTableSlot *row)
{
	ExprContext *econtext = state->custom.ss.ps.ps_ExprContext;
	MemoryContext caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	uint64		hash = 0;
	bool		is_null = false;
	instr_time	began = {0};

	start_timing(state, &began);
	ResetExprContext(econtext);
	for (int i = 0; i < state->key_count && !is_null; i++)
	{
		BuildKey    *key = &state->keys[i];

		key->value = key_value(state, key, row, &is_null);
		if (!is_null)
			hash = key_hash_combine(hash, key_hash_value(&key->hash, key->hash.method, key->value));
	}
	for (int i = 0; i < state->key_count && !is_null; i++)
		if (state->keys[i].range != NULL)
			key_range_add(state->keys[i].range, state->keys[i].value);
	MemoryContextSwitchTo(caller);
	if (!is_null)
		key_set_add(&state->set, hash);
	stop_timing(state, began);
}

/* What kept rows take at most: work_mem, or twice as much, since memory contexts round sizes up. */
#define MOST_ROWS_BYTES	(2 * (Size) 1024 * work_mem)

/*
 * Whether there is as much memory as the filter, the rows that are kept, and the join's hash table may take. Otherwise, the
 * query might fail for what a filter took, although that got its own memory.
 */
static bool
memory_is_left(const RuntimeFilterState *state)
{
	Size		rows = state->plan.reads_ahead != READ_IN_PART ? MOST_ROWS_BYTES : 0;

	return huge_memory_is_left(state->set.limit + rows + get_hash_memory_limit());
}

static void
start(RuntimeFilterState *state)
{
	Assert(state->stage == FILTER_IDLE);
	key_set_reset(&state->set);
	for (int i = 0; i < state->key_count; i++)
		if (state->keys[i].range != NULL)
			key_range_reset(state->keys[i].range);
	state->stage = memory_is_left(state) ? FILTER_BUILDING : FILTER_GIVEN_UP;
	if (state->shared != NULL)
	{
		state->set.shared = state->shared;
		shared_keys_begin(state->shared);
	}
}

/* Make the filter. Other processes may still have keys of a shared one. */
static void
build_filter(RuntimeFilterState *state)
{
	instr_time	began = {0};
	bool		ready;

	start_timing(state, &began);
	ready = key_set_finish(&state->set);
	stop_timing(state, began);
	state->stage = FILTER_BUILT;
	if (ready)
	{
		state->filter.layer = state->set.layer;
		state->filter.ready = true;
	}
}

/* There are no more keys. Perhaps the join needs no filter, because its other side has no rows. */
static void
finish(RuntimeFilterState *state)
{
	Assert(state->stage == FILTER_BUILDING);
	state->stage = FILTER_COMPLETE;
	if (state->shared != NULL)
		build_filter(state);
}

static void
forget(RuntimeFilterState *state, FilterStage stage)
{
	if (state->stage == FILTER_OFF)
		return;
	state->filter.ready = false;
	if (state->filter.groups == GROUPS_FILTERED)
		state->filter.groups = GROUPS_UNDECIDED;
	state->stage = stage;
	key_set_reset(&state->set);
}

/*
 * Reading ahead.
 *
 * A scan that probes the filter makes this node read its input, while other nodes are being executed. This
 * cannot lead back to one of them. A filter that is made of the outer side of a join is probed in the inner side only. So
 * the nodes that are being executed are the ancestors of the scan, and of each further scan that the reading has to wait
 * for. If the outer side of each join is drawn on its left, every such scan is further to the left than the one before, and
 * what is read next is on the left of all these ancestors.
 */

/* What keeping a row takes in memory, besides its values: it must not be less than the tuplestore needs. */
#define ROW_OVERHEAD	64

static Size
row_bytes(TupleTableSlot *row)
{
	slot_getallattrs(row);
	return ROW_OVERHEAD + heap_compute_data_size(row->tts_tupleDescriptor, row->tts_values, row->tts_isnull);
}

/*
 * Read a row of the input, and keep it; give up if there are too many rows, or they take more memory than work_mem. A row
 * for which there is no room stays in its slot until the join asks for it: nothing else reads the input.
 */
static void
keep_row(RuntimeFilterState *state, bool adds_keys)
{
	TupleTableSlot *row = ExecProcNode(outerPlanState(state));

	if (TupIsNull(row))
	{
		state->input_ended = true;
		finish(state);
		return;
	}
	state->rows_bytes += row_bytes(row);
	if (state->rows_left-- <= 0 || state->rows_bytes > work_mem * (Size) 1024)
	{
		state->unkept = row;
		forget(state, FILTER_GIVEN_UP);
		return;
	}
	if (adds_keys)
		add_row(state, row);
	tuplestore_puttupleslot(state->rows, row);
}

/*
 * The state of the statement whose result is being fetched to its end; null if only part of the result is. Each execution sets it,
 * so that it does no harm if an error leaves the address of a state that was freed.
 */
static const EState *fetched_whole = NULL;

/*
 * Whether the join is going to read all of the input. PostgreSQL's hash join ends if its hash table is empty, before it
 * evaluates a key of the outer side.
 */
static bool
will_be_read(const RuntimeFilterState *state)
{
	return state->join != NULL && hash_table_has_rows(state->join) &&
		(state->plan.reads_ahead == READ_WHOLE || state->custom.ss.ps.state == fetched_whole);
}

static void
start_keeping_rows(RuntimeFilterState *state)
{
	state->rows_left = state->plan.rows;
	state->rows_bytes = 0;
	/* With twice the memory that it takes, it never writes to a file: it lets its array grow up to half. */
	state->rows = tuplestore_begin_heap(false, false, (int) Min(2 * MOST_ROWS_BYTES / 1024, MAX_KILOBYTES));
	start(state);
}

static void
read_ahead(RuntimeFilterState *state)
{
	EState	   *estate = state->custom.ss.ps.state;
	MemoryContext caller = MemoryContextSwitchTo(estate->es_query_cxt);
	ScanDirection direction = estate->es_direction;

	estate->es_direction = ForwardScanDirection;
	if (state->stage == FILTER_IDLE)
		start_keeping_rows(state);
	else
		add_row(state, state->slot);
	while (state->stage == FILTER_BUILDING)
	{
		CHECK_FOR_INTERRUPTS();
		keep_row(state, true);
	}
	estate->es_direction = direction;
	MemoryContextSwitchTo(caller);
}

/*
 * The first row, which a hash join may ask for before it scans its other side. It is kept, and stays in its slot, since the
 * filter may still be made.
 */
static void
keep_first_row(RuntimeFilterState *state)
{
	MemoryContext caller = MemoryContextSwitchTo(state->custom.ss.ps.state->es_query_cxt);

	start_keeping_rows(state);
	keep_row(state, false);
	MemoryContextSwitchTo(caller);
}

static TupleTableSlot *
next_kept_row(RuntimeFilterState *state)
{
	TupleTableSlot *row;

	if (state->stage == FILTER_IDLE)
		keep_first_row(state);
	/* The join keeps the first row while others may be read, which can move it. */
	if (!state->rows_end && tuplestore_gettupleslot(state->rows, true, state->stage == FILTER_BUILDING, state->slot))
		return state->slot;
	/* A join that asks for more has scanned its other side. */
	if (state->stage == FILTER_BUILDING)
		forget(state, FILTER_GIVEN_UP);
	state->rows_end = true;
	if (state->input_ended)
		return ExecClearTuple(state->slot);
	row = state->unkept;
	state->unkept = NULL;
	if (row != NULL)
		return row;
	row = ExecProcNode(outerPlanState(state));
	state->input_ended = TupIsNull(row);
	return row;
}

static void
forget_rows(RuntimeFilterState *state)
{
	if (state->rows != NULL)
		tuplestore_end(state->rows);
	state->rows = NULL;
	state->unkept = NULL;
	state->rows_end = false;
	state->input_ended = false;
}

/*
 * In a scan, before it probes some rows. If the filter is shared: all processes that hash rows have ended before any of
 * them scans the other side.
 */
static void
check(RuntimeFilter *filter)
{
	RuntimeFilterState *state = (RuntimeFilterState *) ((char *) filter - offsetof(RuntimeFilterState, filter));

	if (state->shared != NULL)
	{
		filter->ready = shared_keys_ready(state->shared, &filter->layer);
		return;
	}
	if (state->stage < FILTER_COMPLETE && state->plan.reads_ahead != READ_IN_PART && will_be_read(state))
		read_ahead(state);
	if (state->stage == FILTER_COMPLETE)
		build_filter(state);
}

/*
 * The node.
 */

/*
 * Whether there is no filter in this execution. In EvalPlanQual, the scans have other rows than in the query.
 *
 * The setting can change between the start of the leader's nodes and that of the workers'. So the leader decides for all
 * that build a filter together (see initialize_worker). For a join above a Gather, this node is in the leader
 * only, and what scans get is its filter.
 */
static bool
is_off(const RuntimeFilterState *state, const EState *estate, int flags)
{
	if (estate->es_epq_active != NULL || (flags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return true;
	return !runtime_filter_enabled && !(IsParallelWorker() && state->custom.ss.ps.plan->parallel_aware);
}

static void
begin(CustomScanState *node, EState *estate, int flags)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	List	   *numbers = linitial(plan->custom_private);
	PlanState  *input = ExecInitNode(outerPlan(plan), estate, flags);

	outerPlanState(node) = input;
	state->plan.number = linitial_int(numbers);
	state->plan.param = lsecond_int(numbers);
	state->plan.reads_ahead = lthird_int(numbers);
	state->plan.rows = lfourth_int(numbers);
	state->plan.keys = join_keys_from_node(lsecond(plan->custom_private));
	state->key_count = list_length(state->plan.keys);
	state->stage = is_off(state, estate, flags) ? FILTER_OFF : FILTER_IDLE;
	state->is_timed = (estate->es_instrument & INSTRUMENT_TIMER) != 0;
	/* Rows are passed on in the slot of the input; those that were kept in another one. */
	node->ss.ps.resultops = ExecGetResultSlotOps(input, &node->ss.ps.resultopsfixed);
	node->ss.ps.resultopsset = true;
	if (state->plan.reads_ahead != READ_IN_PART && state->stage != FILTER_OFF)
	{
		state->slot = ExecInitExtraTupleSlot(estate, ExecGetResultType(input), &TTSOpsMinimalTuple);
		node->ss.ps.resultops = &TTSOpsMinimalTuple;
		node->ss.ps.resultopsfixed = false;
		/* Keys are read from slots of both kinds. */
		node->ss.ps.outeropsset = true;
	}
	if (state->stage == FILTER_OFF)
		return;
	state->keys = palloc0(sizeof(BuildKey) * state->key_count);
	state->filter.ranges = palloc0(sizeof(KeyRange *) * state->key_count);
	for (int i = 0; i < state->key_count; i++)
	{
		const JoinKey *key = list_nth(state->plan.keys, i);
		BuildKey   *build = &state->keys[i];

		if (IsA(key->value, Var) && ((Var *) key->value)->varattno > 0)
			build->column = ((Var *) key->value)->varattno;
		else
			build->expression = ExecInitExpr(key->value, &node->ss.ps);
		key_hash_init(&build->hash, key);
		state->filter.ranges[i] = build->range = key_range_create(key, estate->es_query_cxt);
	}
	key_set_init(&state->set, estate->es_query_cxt, runtime_filter_memory_limit());
	state->filter.max_matches = runtime_filter_max_match_fraction;
	state->filter.check = check;
	estate->es_param_exec_vals[state->plan.param].value = PointerGetDatum(&state->filter);
}

static TupleTableSlot *
exec(CustomScanState *node)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;
	TupleTableSlot *row;

	if (state->plan.reads_ahead != READ_IN_PART && state->stage != FILTER_OFF)
		return next_kept_row(state);
	if (state->stage == FILTER_IDLE)
		start(state);
	else if (state->stage == FILTER_OFF && state->shared != NULL)
	{
		/* It hashes rows without adding keys: it begins and never ends. */
		shared_keys_begin(state->shared);
		state->shared = NULL;
	}
	row = ExecProcNode(outerPlanState(node));
	if (state->stage != FILTER_BUILDING)
		return row;
	if (!TupIsNull(row))
		add_row(state, row);
	else
		finish(state);
	return row;
}

static void
end(CustomScanState *node)
{
	forget_rows((RuntimeFilterState *) node);
	ExecEndNode(outerPlanState(node));
}

static void
rescan(CustomScanState *node)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;
	bool		is_complete = state->stage == FILTER_COMPLETE || state->stage == FILTER_BUILT;

	/* The rows are the same in each execution, and so is the filter. */
	if (is_complete && state->rows != NULL)
	{
		tuplestore_rescan(state->rows);
		state->rows_end = false;
		return;
	}
	if (!is_complete)
		forget(state, FILTER_IDLE);
	forget_rows(state);
	if (outerPlanState(node)->chgParam == NULL)
		ExecReScan(outerPlanState(node));
}

static void
note_size(RuntimeFilterState *state)
{
	if (state->shared != NULL)
	{
		state->keys_added = pg_atomic_read_u64(&state->shared->keys);
		state->filter_bytes = shared_keys_bytes(state->shared);
	}
	else if (state->set.count > 0 || state->filter.ready)
	{
		state->keys_added = state->set.count;
		state->filter_bytes = key_set_filter_bytes(&state->set);
	}
}

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	char	   *keys = deparse_expression((Node *) join_key_values(state->plan.keys), context, es->verbose, false);
	bool		was_built = es->analyze && state->stage != FILTER_OFF;
	Size		kilobytes;

	if (was_built)
		note_size(state);
	kilobytes = (state->filter_bytes + 1023) / 1024;
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		char	   *text = psprintf("%d (%s)", state->plan.number, keys);

		if (was_built)
			text = psprintf("%s (keys=" UINT64_FORMAT " size=%zukB%s)", text, state->keys_added, kilobytes,
							es->timing ? psprintf(" time=%.3f", INSTR_TIME_GET_MILLISEC(state->time)) : "");
		ExplainPropertyText("Runtime Filter", text, es);
		return;
	}
	ExplainPropertyInteger("Runtime Filter", NULL, state->plan.number, es);
	ExplainPropertyText("Key", keys, es);
	if (was_built)
	{
		ExplainPropertyUInteger("Filter Keys", NULL, state->keys_added, es);
		ExplainPropertyUInteger("Filter Size", "kB", kilobytes, es);
		if (es->timing)
			ExplainPropertyFloat("Filter Time", "ms", INSTR_TIME_GET_MILLISEC(state->time), 3, es);
	}
}

/*
 * A Parallel Hash. Without a segment of dynamic shared memory, there are neither workers nor an area, and the join makes a
 * hash table of its own: so this node makes a filter of its own.
 */

static double
shared_rows(const CustomScanState *node, const ParallelContext *parallel)
{
	return outerPlan(node->ss.ps.plan)->plan_rows * (parallel->nworkers + 1);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	return shared_keys_size(shared_rows(node, parallel), runtime_filter_memory_limit() / 2);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;

	if (parallel->seg == NULL)
		return;
	shared_keys_init(shared, shared_rows(node, parallel), runtime_filter_memory_limit() / 2);
	state->shared = shared;
	state->shared->is_off = state->stage == FILTER_OFF;
	forget(state, FILTER_IDLE);
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;

	if (parallel->seg == NULL)
		return;
	shared_keys_reset(shared);
	forget(state, FILTER_IDLE);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;

	(void) toc;
	state->shared = shared;
	if (state->shared->is_off)
		state->stage = FILTER_OFF;
}

/* The shared memory is about to be freed. */
static void
shut_down(CustomScanState *node)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;

	if (state->shared == NULL)
		return;
	note_size(state);
	forget(state, FILTER_IDLE);
	state->shared = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = RUNTIME_FILTER_NAME,
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ShutdownCustomScan = shut_down,
	.ExplainCustomScan = explain,
};

static Node *
create_state(CustomScan *plan)
{
	RuntimeFilterState *state = (RuntimeFilterState *) newNode(sizeof(RuntimeFilterState), T_CustomScanState);

	(void) plan;
	state->custom.methods = &exec_methods;
	return (Node *) state;
}

static const CustomScanMethods scan_methods = {
	.CustomName = RUNTIME_FILTER_NAME,
	.CreateCustomScanState = create_state,
};

/*
 * The plan.
 */

/* The columns of a plan, as the target list of a node above it that passes its rows on. */
static List *
columns_of_input(const Plan *input)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, input->targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst_node(TargetEntry, cell));

		entry->expr = (Expr *) makeVarFromTargetEntry(OUTER_VAR, lfirst(cell));
		columns = lappend(columns, entry);
	}
	return columns;
}

Plan *
runtime_filter_plan(Plan *input, int node_id, bool is_shared, const RuntimeFilterPlan *filter)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *plan = &scan->scan.plan;

	plan->startup_cost = input->startup_cost;
	plan->total_cost = input->total_cost;
	copy_disabled_nodes(plan, input);
	plan->plan_rows = input->plan_rows;
	plan->plan_width = input->plan_width;
	plan->parallel_aware = is_shared;
	plan->parallel_safe = input->parallel_safe;
	plan->plan_node_id = node_id;
	plan->targetlist = columns_of_input(input);
	plan->lefttree = input;
	plan->extParam = bms_copy(input->extParam);
	plan->allParam = bms_copy(input->allParam);
	scan->custom_private = list_make2(list_make4_int(filter->number, filter->param, filter->reads_ahead, filter->rows),
									  join_keys_to_node(filter->keys));
	scan->methods = &scan_methods;
	return plan;
}

bool
is_runtime_filter(const Plan *plan)
{
	return IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == &scan_methods;
}

bool
join_has_runtime_filter(const Plan *join)
{
	return is_runtime_filter(outerPlan(join)) || (IsA(innerPlan(join), Hash) && is_runtime_filter(outerPlan(innerPlan(join))));
}

static RuntimeFilterState *
as_runtime_filter(PlanState *node)
{
	return node != NULL && is_runtime_filter(node->plan) ? (RuntimeFilterState *) node : NULL;
}

/*
 * A node does not know the nodes above it. So once all nodes of a query have been initialized, it gets the hash join that its
 * filter is of: whose rows tell it to read ahead, or from which scans prefetch what it looks up. Its hash is of all of its keys,
 * so the filter's must be, too.
 */
static bool
link_joins(PlanState *node, void *context)
{
	/* Read as such only if it is what ExecInitHashJoin makes: see hash_table.h. */
	if (IsA(node, HashJoinState) && IsA(innerPlanState(node), HashState))
	{
		RuntimeFilterState *outer = as_runtime_filter(outerPlanState(node));
		RuntimeFilterState *hashed = as_runtime_filter(outerPlanState(innerPlanState(node)));

		if (outer != NULL)
			outer->join = (HashJoinState *) node;
		if (hashed != NULL && hashed->key_count == list_length(((HashJoin *) node->plan)->hashkeys))
			hashed->filter.join = (HashJoinState *) node;
	}
	return planstate_tree_walker(node, link_joins, context);
}

static ExecutorStart_hook_type next_start_hook = NULL;
static ExecutorRun_hook_type next_run_hook = NULL;

static void
start_query(QueryDesc *query, int flags)
{
	if (next_start_hook != NULL)
		next_start_hook(query, flags);
	else
		standard_ExecutorStart(query, flags);
	if (runtime_filter_enabled && query->planstate != NULL)
		link_joins(query->planstate, NULL);
}

static void
run_query(FILTER_EXECUTOR_RUN_PARAMETERS)
{
	const EState *outer = fetched_whole;

	fetched_whole = count == 0 ? query->estate : NULL;
	if (next_run_hook != NULL)
		next_run_hook(FILTER_EXECUTOR_RUN_ARGUMENTS);
	else
		standard_ExecutorRun(FILTER_EXECUTOR_RUN_ARGUMENTS);
	fetched_whole = outer;
}

void
runtime_filter_node_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}

void
runtime_filter_node_install(void)
{
	next_start_hook = ExecutorStart_hook;
	ExecutorStart_hook = start_query;
	next_run_hook = ExecutorRun_hook;
	ExecutorRun_hook = run_query;
}
