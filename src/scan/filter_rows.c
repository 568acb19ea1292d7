#include "scan/filter_rows.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "scan/join_key.h"
#include "scan/probe_explain.h"
#include "scan/row_filter.h"

/* In the shared memory of a parallel scan. */
typedef struct SharedCounts
{
	int			workers;
	ProbeCounts counts[FLEXIBLE_ARRAY_MEMBER];	/* for each worker, of each filter */
} SharedCounts;

typedef struct FilterRows
{
	CustomScanState custom;
	int			count;
	RowFilter **filters;
	ProbeCounts *counts;		/* of each filter, in this process */
	int64		free_rows;		/* the next rows that all filters bypass, and that they have counted */
	SharedCounts *shared;		/* null unless the input is a parallel scan */
} FilterRows;

/*
 * The node.
 */

static void
filter_rows_count_free_rows(FilterRows *state, int64 rows)
{
	for (int i = 0; i < state->count; i++)
		runtime_probe_bypass(state->filters[i], rows);
	state->free_rows += rows;
}

/* Where nearly all rows match, they pass in bulk: asking each filter for each of them took 5% of the time of a query. */
static void
filter_rows_find_free_rows(FilterRows *state)
{
	int64		rows = PG_INT64_MAX;

	for (int i = 0; i < state->count && rows > 0; i++)
		rows = Min(rows, runtime_probe_rows_to_bypass(state->filters[i]));
	if (rows > 0)
		filter_rows_count_free_rows(state, rows);
}

static bool
filter_rows_pass(const FilterRows *state, TupleTableSlot *row)
{
	for (int i = 0; i < state->count; i++)
		if (!runtime_probe_row(state->filters[i], row))
			return false;
	return true;
}

/* Not inlined, so that a row that need not be probed takes little more than a call. */
static pg_noinline TupleTableSlot *
filter_rows_next_passing(FilterRows *state)
{
	PlanState  *input = outerPlanState(state);
	TupleTableSlot *row;

	for (row = ExecProcNode(input); !TupIsNull(row); row = ExecProcNode(input))
	{
		if (filter_rows_pass(state, row))
		{
			filter_rows_find_free_rows(state);
			return row;
		}
		CHECK_FOR_INTERRUPTS();
	}
	return row;
}

static TupleTableSlot *
filter_rows_next(PlanState *node)
{
	FilterRows *state = (FilterRows *) node;
	TupleTableSlot *row;

	if (state->free_rows <= 0)
		return filter_rows_next_passing(state);
	row = ExecProcNode(outerPlanState(node));
	state->free_rows -= !TupIsNull(row);
	return row;
}

static TupleTableSlot *
filter_rows_exec(CustomScanState *node)
{
	return filter_rows_next(&node->ss.ps);
}

static void
filter_rows_begin(CustomScanState *node, EState *estate, int flags)
{
	FilterRows *state = (FilterRows *) node;
	const CustomScan *plan = (const CustomScan *) node->ss.ps.plan;
	PlanState  *input = ExecInitNode(outerPlan(plan), estate, flags);
	ListCell   *cell;

	outerPlanState(node) = input;
	/* Rows are passed on in the slot of the input, without a call of ExecCustomScan in between. */
	node->ss.ps.resultops = ExecGetResultSlotOps(input, &node->ss.ps.resultopsfixed);
	node->ss.ps.resultopsset = true;
	node->ss.ps.ExecProcNode = filter_rows_next;
	state->filters = palloc(sizeof(RowFilter *) * list_length(plan->custom_private));
	state->counts = palloc0(sizeof(ProbeCounts) * list_length(plan->custom_private));
	foreach(cell, plan->custom_private)
	{
		RuntimeProbePlan probe;

		runtime_probe_from_list(&probe, lfirst(cell));
		state->filters[state->count] = runtime_probe_create(&probe, estate, ExecGetResultType(input));
		state->filters[state->count]->counts = &state->counts[state->count];
		state->count++;
	}
}

static void
filter_rows_end(CustomScanState *node)
{
	ExecEndNode(outerPlanState(node));
}

static void
filter_rows_rescan(CustomScanState *node)
{
	FilterRows *state = (FilterRows *) node;

	filter_rows_count_free_rows(state, -state->free_rows);
	/* Otherwise, its first row does so. */
	if (outerPlanState(node)->chgParam == NULL)
		ExecReScan(outerPlanState(node));
}

static void
filter_rows_mark(CustomScanState *node)
{
	ExecMarkPos(outerPlanState(node));
}

static void
filter_rows_restore(CustomScanState *node)
{
	ExecRestrPos(outerPlanState(node));
}

static void
filter_rows_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const FilterRows *state = (const FilterRows *) node;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	const ProbeCounts *counts = state->counts;
	ListCell   *cell;

	ExplainOpenGroup("Probes", "Probes", false, es);
	foreach(cell, ((const CustomScan *) node->ss.ps.plan)->custom_private)
	{
		RuntimeProbePlan probe;

		runtime_probe_from_list(&probe, lfirst(cell));
		probe_explain(deparse_expression((Node *) join_key_values(probe.keys), context, es->verbose, false), &probe, counts++,
					  es);
	}
	ExplainCloseGroup("Probes", "Probes", false, es);
}

/*
 * Parallel scans: what workers count.
 */

static Size
filter_rows_estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	return offsetof(SharedCounts, counts) + sizeof(ProbeCounts) * (Size) (((FilterRows *) node)->count * parallel->nworkers);
}

static void
filter_rows_initialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	FilterRows *state = (FilterRows *) node;

	state->shared = shared;
	memset(shared, 0, filter_rows_estimate_shared(node, parallel));
	state->shared->workers = parallel->nworkers;
}

static void
filter_rows_reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	(void) node;
	(void) parallel;
	(void) shared;
}

static void
filter_rows_initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	FilterRows *state = (FilterRows *) node;

	(void) toc;
	state->shared = shared;
	for (int i = 0; i < state->count; i++)
		state->filters[i]->counts = &state->shared->counts[ParallelWorkerNumber * state->count + i];
}

/* The shared memory is about to be freed: the leader takes what the workers have counted. */
static void
filter_rows_shut_down(CustomScanState *node)
{
	FilterRows *state = (FilterRows *) node;

	filter_rows_count_free_rows(state, -state->free_rows);
	if (state->shared == NULL || IsParallelWorker())
		return;
	for (int i = 0; i < state->shared->workers * state->count; i++)
		probe_counts_add(&state->counts[i % state->count], &state->shared->counts[i]);
	state->shared = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = FILTER_ROWS_NAME,
	.BeginCustomScan = filter_rows_begin,
	.ExecCustomScan = filter_rows_exec,
	.EndCustomScan = filter_rows_end,
	.ReScanCustomScan = filter_rows_rescan,
	.MarkPosCustomScan = filter_rows_mark,
	.RestrPosCustomScan = filter_rows_restore,
	.EstimateDSMCustomScan = filter_rows_estimate_shared,
	.InitializeDSMCustomScan = filter_rows_initialize_shared,
	.ReInitializeDSMCustomScan = filter_rows_reinitialize_shared,
	.InitializeWorkerCustomScan = filter_rows_initialize_worker,
	.ShutdownCustomScan = filter_rows_shut_down,
	.ExplainCustomScan = filter_rows_explain,
};

static Node *
filter_rows_create_state(CustomScan *plan)
{
	FilterRows *state = (FilterRows *) newNode(sizeof(FilterRows), T_CustomScanState);

	(void) plan;
	state->custom.methods = &exec_methods;
	return (Node *) state;
}

static const CustomScanMethods scan_methods = {
	.CustomName = FILTER_ROWS_NAME,
	.CreateCustomScanState = filter_rows_create_state,
};

/*
 * The plan.
 */

bool
is_filter_rows(const Plan *plan)
{
	return IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == &scan_methods;
}

List *
columns_of_input(const Plan *input)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, input->targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst_node(TargetEntry, cell));
		Node	   *source = (Node *) entry->expr;

		entry->expr = (Expr *) makeVar(OUTER_VAR, entry->resno, exprType(source), exprTypmod(source),
									   exprCollation(source), 0);
		columns = lappend(columns, entry);
	}
	return columns;
}

static Plan *
filter_rows_of(Plan *input, int node_id)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *plan = &scan->scan.plan;

	plan->startup_cost = input->startup_cost;
	plan->total_cost = input->total_cost;
	plan->plan_rows = input->plan_rows;
	plan->plan_width = input->plan_width;
	/* So that what workers count is in shared memory. */
	plan->parallel_aware = input->parallel_aware;
	plan->parallel_safe = input->parallel_safe;
	plan->plan_node_id = node_id;
	plan->targetlist = columns_of_input(input);
	plan->lefttree = input;
	plan->extParam = bms_copy(input->extParam);
	plan->allParam = bms_copy(input->allParam);
	scan->methods = &scan_methods;
	return plan;
}

void
filter_rows_add_probe(Plan **plan, const RuntimeProbePlan *probe, int *last_node)
{
	CustomScan *scan;

	if (!is_filter_rows(*plan))
		*plan = filter_rows_of(*plan, ++*last_node);
	scan = (CustomScan *) *plan;
	scan->custom_private = lappend(scan->custom_private, runtime_probe_to_list(probe));
}

void
filter_rows_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
