/*
 * The node passes rows on, and hashes their keys.
 *
 * Below the Hash node of the join, it has seen all rows when its input ends, which is before the join asks for the second row of
 * its other side.
 *
 * On the outer side of the join, it reads ahead (read_ahead.h): when a scan of the inner side asks for the filter, it reads all
 * of its input, and keeps the rows. It waits until the join has hashed a row: without one, the join would read only the first row
 * of the input. If there are far more rows than expected, or they do not fit in work_mem, it gives up: there is no filter, and it
 * reads the rest when the join asks for it.
 *
 * In a parallel query, each process makes a filter of all rows for itself, as the join does. In a Parallel Hash, where each
 * process hashes some of the rows for all, they make one filter together.
 */
#include "join_executor/node.h"

#include <sys/mman.h>

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "join_executor/key_range.h"
#include "join_executor/key_set.h"
#include "join_executor/read_ahead.h"
#include "plan_nodes/runtime_filter_plan.h"
#include "plan_nodes/settings.h"
#include "scan_executor/key_hash.h"

typedef struct BuildKey
{
	ExprState  *expression;
	KeyHash		hash;
} BuildKey;

/*
 * What this process has done for the filter, and what its scans therefore get:
 *
 *	stage		keys of the input	scans get	next stage
 *	OFF			none are added		nothing		none: there is no filter in this execution
 *	IDLE		none is added yet	nothing		BUILDING, or GIVEN_UP if there is too little memory
 *	BUILDING	some are added		nothing		BUILT at the end of the input, or GIVEN_UP if there are too many rows to read ahead
 *	BUILT		all are added		the filter	none; scans get nothing if the keys took too much memory
 *	GIVEN_UP	none are kept		nothing		none
 *
 * BUILDING begins when the join asks for the first row or, on the outer side, when a scan asks for the filter. When the input is
 * read again, BUILDING and GIVEN_UP become IDLE. BUILT stays, since the keys are the same.
 *
 * In a Parallel Hash, the processes add their keys to a shared filter, which scans get once each process that has left IDLE is
 * BUILT. A process that comes too late to hash a row stays IDLE, and its scans get the filter, too. Any stage but OFF becomes
 * IDLE before and after each execution.
 */
typedef enum FilterStage
{
	FILTER_OFF,
	FILTER_IDLE,
	FILTER_BUILDING,
	FILTER_BUILT,
	FILTER_GIVEN_UP
} FilterStage;

typedef struct RuntimeFilterState
{
	CustomScanState custom;
	const RuntimeFilterPlan *plan;
	BuildKey    *keys;
	int			key_count;
	FilterStage stage;
	KeySet		set;			/* shared in a Parallel Hash */
	RuntimeFilter filter;		/* what the scans get */
	ReadAhead  *ahead;			/* null below a Hash node, and if FILTER_OFF */

	/* EXPLAIN shows this. */
	bool		is_timed;
	instr_time	time;			/* the time that this process took to hash and add keys, and to make filters, in all executions */
} RuntimeFilterState;

/* The present time; 0 if none is measured. */
static instr_time
read_clock(const RuntimeFilterState *state)
{
	instr_time	now = {0};

	if (state->is_timed)
		INSTR_TIME_SET_CURRENT(now);
	return now;
}

static void
add_time(RuntimeFilterState *state, instr_time began)
{
	instr_time	now = read_clock(state);

	INSTR_TIME_ACCUM_DIFF(state->time, now, began);
}

/* Add a row's hash, unless a key is null: such a row has no match. */
static void
add_row(RuntimeFilterState *state, TupleTableSlot *row)
{
	ExprContext *econtext = state->custom.ss.ps.ps_ExprContext;
	MemoryContext caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	uint64		hash = 0;
	bool		is_null = false;
	instr_time	began = read_clock(state);

	ResetExprContext(econtext);
	econtext->ecxt_outertuple = row;
	for (int i = 0; i < state->key_count && !is_null; i++)
	{
		BuildKey    *key = &state->keys[i];
		Datum		value = ExecEvalExpr(key->expression, econtext, &is_null);

		if (is_null)
			continue;
		hash = key_hash_combine(hash, key_hash_value(&key->hash, key->hash.method, value));
		if (state->filter.ranges[i] != NULL)
			key_range_add(state->filter.ranges[i], value);
	}
	MemoryContextSwitchTo(caller);
	if (!is_null)
		key_set_add(&state->set, hash);
	add_time(state, began);
}

/*
 * Whether the process could map, under ulimit -v for example, as much memory as the filter, the rows that are kept, and the
 * join's hash table may take. Otherwise, the query might fail later because of what the filter took. A large malloc() that is
 * freed would tell as well, but glibc then keeps more of what is freed later.
 */
static bool
memory_is_left(const RuntimeFilterState *state)
{
	/* The list of rows is copied when it grows. */
	Size		rows = state->ahead != NULL ? 2 * READ_AHEAD_BYTES : 0;
	Size		size = state->set.limit + rows + get_hash_memory_limit();
	/* The system sets no memory aside for what cannot be written, even if vm.overcommit_memory is 2. */
	void	   *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory != MAP_FAILED && munmap(memory, size) == 0;
}

static void
filter_node_start(RuntimeFilterState *state)
{
	Assert(state->stage == FILTER_IDLE);
	key_set_begin(&state->set);
	for (int i = 0; i < state->key_count; i++)
		if (state->filter.ranges[i] != NULL)
			key_range_reset(state->filter.ranges[i]);
	state->stage = memory_is_left(state) ? FILTER_BUILDING : FILTER_GIVEN_UP;
}

static void
filter_node_finish(RuntimeFilterState *state)
{
	instr_time	began = read_clock(state);

	Assert(state->stage == FILTER_BUILDING);
	key_set_finish(&state->set);
	add_time(state, began);
	state->filter.layer = state->set.layer;
	state->stage = FILTER_BUILT;
}

/* Forget the keys and the filter, if there may be one in this execution, to go on with another stage. */
static void
filter_node_forget(RuntimeFilterState *state, FilterStage stage)
{
	if (state->stage == FILTER_OFF)
		return;
	state->filter.layer.bits = NULL;
	if (state->filter.groups == GROUPS_FILTERED)
		state->filter.groups = GROUPS_UNDECIDED;
	state->stage = stage;
	key_set_reset(&state->set);
}

static void
build_ahead(RuntimeFilterState *state)
{
	ListCell   *cell;

	filter_node_start(state);
	if (state->stage == FILTER_BUILDING && !read_ahead_all(state->ahead))
		filter_node_forget(state, FILTER_GIVEN_UP);
	if (state->stage != FILTER_BUILDING)
		return;
	foreach(cell, state->ahead->rows)
	{
		CHECK_FOR_INTERRUPTS();
		add_row(state, ExecStoreMinimalTuple(lfirst(cell), state->ahead->other_slot, false));
	}
	filter_node_finish(state);
}

/* A scan calls this before it probes. All processes that hash rows for a shared filter have ended before any of them does. */
static void
filter_node_check(RuntimeFilter *filter)
{
	RuntimeFilterState *state = (RuntimeFilterState *) ((char *) filter - offsetof(RuntimeFilterState, filter));

	if (state->set.shared != NULL)
		filter->layer = shared_keys_filter(state->set.shared);
	else if (state->stage == FILTER_IDLE && state->ahead != NULL && read_ahead_is_safe(state->ahead))
		build_ahead(state);
}

/*
 * Whether there is no filter in this execution. In EvalPlanQual, the scans have other rows than in the query.
 *
 * The setting can change between the start of the leader's nodes and that of the workers'. The leader therefore decides for all
 * processes that build a filter together (filter_node_initialize). For a join above a Gather, only the leader has this node, and
 * scans get its filter.
 */
static bool
is_off(const RuntimeFilterState *state, const EState *estate, int flags)
{
	if (estate->es_epq_active != NULL || (flags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return true;
	return !runtime_filter_enabled && !(IsParallelWorker() && state->custom.ss.ps.plan->parallel_aware);
}

static void
filter_node_begin(CustomScanState *node, EState *estate, int flags)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	PlanState  *input = ExecInitNode(outerPlan(plan), estate, flags);

	outerPlanState(node) = input;
	state->plan = linitial(plan->custom_private);
	state->key_count = list_length(state->plan->keys);
	state->stage = is_off(state, estate, flags) ? FILTER_OFF : FILTER_IDLE;
	state->is_timed = (estate->es_instrument & INSTRUMENT_TIMER) != 0;
	/* Rows are passed on in the slot of the input; rows that were read ahead, in another one. */
	node->ss.ps.resultops = ExecGetResultSlotOps(input, &node->ss.ps.resultopsfixed);
	node->ss.ps.resultopsset = true;
	if (state->stage == FILTER_OFF)
		return;
	if (state->plan->reads_ahead != READ_IN_PART)
	{
		state->ahead = read_ahead_create(input, state->plan);
		node->ss.ps.resultops = &TTSOpsMinimalTuple;
		node->ss.ps.resultopsfixed = false;
	}
	state->keys = palloc0(sizeof(BuildKey) * state->key_count);
	state->filter.ranges = palloc0(sizeof(KeyRange *) * state->key_count);
	for (int i = 0; i < state->key_count; i++)
	{
		const JoinKey *key = list_nth(state->plan->keys, i);
		BuildKey   *build = &state->keys[i];

		/* Without a parent, it is not compiled: rows may be in slots of both kinds, and compiling takes longer than it saves. */
		build->expression = ExecInitExpr(key->value, NULL);
		key_hash_init(&build->hash, key);
		state->filter.ranges[i] = key_range_create(key, estate->es_query_cxt);
	}
	key_set_init(&state->set, estate->es_query_cxt, Min((Size) runtime_filter_max_memory * 1024, get_hash_memory_limit()));
	state->filter.check = filter_node_check;
	estate->es_param_exec_vals[state->plan->param].value = PointerGetDatum(&state->filter);
}

static TupleTableSlot *
filter_node_exec(CustomScanState *node)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;
	TupleTableSlot *row;

	if (state->ahead != NULL)
		return read_ahead_next(state->ahead);
	if (state->stage == FILTER_IDLE)
		filter_node_start(state);
	row = ExecProcNode(outerPlanState(node));
	if (state->stage != FILTER_BUILDING)
		return row;
	if (TupIsNull(row))
		filter_node_finish(state);
	else
		add_row(state, row);
	return row;
}

static void
filter_node_end(CustomScanState *node)
{
	ExecEndNode(outerPlanState(node));
}

static void
filter_node_rescan(CustomScanState *node)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;

	if (state->stage != FILTER_BUILT)
		filter_node_forget(state, FILTER_IDLE);
	if (state->ahead != NULL && read_ahead_restart(state->ahead))
		return;
	if (outerPlanState(node)->chgParam == NULL)
		ExecReScan(outerPlanState(node));
}

static void
filter_node_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	char	   *keys = deparse_expression((Node *) join_key_values(state->plan->keys), context, es->verbose, false);
	bool		was_built = es->analyze && state->stage != FILTER_OFF;
	Size		kilobytes = (bloom_bytes(&state->set.layer) + 1023) / 1024;

	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		char	   *text = psprintf("%d (%s)", state->plan->number, keys);

		if (was_built)
			text = psprintf("%s (keys=" UINT64_FORMAT " size=%zukB%s)", text, state->set.count, kilobytes,
							es->timing ? psprintf(" time=%.3f", INSTR_TIME_GET_MILLISEC(state->time)) : "");
		ExplainPropertyText("Runtime Filter", text, es);
		return;
	}
	ExplainPropertyInteger("Runtime Filter", NULL, state->plan->number, es);
	ExplainPropertyText("Key", keys, es);
	if (was_built)
	{
		ExplainPropertyUInteger("Filter Keys", NULL, state->set.count, es);
		ExplainPropertyUInteger("Filter Size", "kB", kilobytes, es);
		if (es->timing)
			ExplainPropertyFloat("Filter Time", "ms", INSTR_TIME_GET_MILLISEC(state->time), 3, es);
	}
}

static double
shared_rows(const CustomScanState *node, const ParallelContext *parallel)
{
	return outerPlan(node->ss.ps.plan)->plan_rows * (parallel->nworkers + 1);
}

static Size
filter_node_estimate(CustomScanState *node, ParallelContext *parallel)
{
	return shared_keys_size(shared_rows(node, parallel), ((RuntimeFilterState *) node)->set.limit);
}

/*
 * PostgreSQL calls this before each execution, with the same memory. Without workers, there may be no shared segment, and the
 * filter is shared with nobody.
 */
static void
filter_node_initialize(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;

	shared_keys_init(shared, shared_rows(node, parallel), state->set.limit, state->stage == FILTER_OFF);
	state->set.shared = shared;
	filter_node_forget(state, FILTER_IDLE);
}

static void
filter_node_initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	(void) toc;
	((RuntimeFilterState *) node)->set.shared = shared;
}

/* PostgreSQL calls this before it frees the shared memory. */
static void
filter_node_shut_down(CustomScanState *node)
{
	RuntimeFilterState *state = (RuntimeFilterState *) node;

	if (state->set.shared == NULL)
		return;
	filter_node_forget(state, FILTER_IDLE);
	key_set_leave(&state->set);
}

static const CustomExecMethods exec_methods = {
	.CustomName = RUNTIME_FILTER_NAME,
	.BeginCustomScan = filter_node_begin,
	.ExecCustomScan = filter_node_exec,
	.EndCustomScan = filter_node_end,
	.ReScanCustomScan = filter_node_rescan,
	.EstimateDSMCustomScan = filter_node_estimate,
	.InitializeDSMCustomScan = filter_node_initialize,
	.ReInitializeDSMCustomScan = filter_node_initialize,
	.InitializeWorkerCustomScan = filter_node_initialize_worker,
	.ShutdownCustomScan = filter_node_shut_down,
	.ExplainCustomScan = filter_node_explain,
};

static Node *
filter_node_create(CustomScan *plan)
{
	RuntimeFilterState *state = (RuntimeFilterState *) newNode(sizeof(RuntimeFilterState), T_CustomScanState);

	(void) plan;
	state->custom.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods runtime_filter_methods = {
	.CustomName = RUNTIME_FILTER_NAME,
	.CreateCustomScanState = filter_node_create,
};

/*
 * A node does not know the nodes above it. Once all nodes of a query have been initialized, each node that makes a filter
 * therefore gets its hash join. On the outer side, the rows that the join has hashed tell the node to read ahead. Below the Hash
 * node, scans prefetch what the join will look up by the hash of all of its keys, so the filter must have all of them.
 */
static bool
link_joins(PlanState *node, void *context)
{
	/* hash_table.c relies on a HashState as the inner node of a hash join. */
	if (IsA(node, HashJoinState) && IsA(innerPlanState(node), HashState))
	{
		RuntimeFilterState *outer = (RuntimeFilterState *) outerPlanState(node);
		RuntimeFilterState *hashed = (RuntimeFilterState *) outerPlanState(innerPlanState(node));

		if (is_runtime_filter(outer->custom.ss.ps.plan) && outer->ahead != NULL)
			outer->ahead->join = (HashJoinState *) node;
		if (is_runtime_filter(hashed->custom.ss.ps.plan) && hashed->key_count == list_length(((HashJoin *) node->plan)->hashkeys))
			hashed->filter.join = (HashJoinState *) node;
	}
	return planstate_tree_walker(node, link_joins, context);
}

static ExecutorStart_hook_type next_start_hook = NULL;

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

void
runtime_filter_node_init(void)
{
	RegisterCustomScanMethods(&runtime_filter_methods);
}

void
runtime_filter_node_install(void)
{
	next_start_hook = ExecutorStart_hook;
	ExecutorStart_hook = start_query;
	read_ahead_install();
}
