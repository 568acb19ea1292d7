/*
 * The filter scan: a sequential scan of a table that has conditions such as bf_contains(filter, column).
 *
 * A function that is called for one row at a time waits for memory in every probe. The filter scan instead gets all
 * rows of a page of the table, reads their keys, hashes them, prefetches what the probes will touch, and then probes.
 * Only rows that all filters let pass become rows of the executor, where the remaining conditions are evaluated.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "host/heap_pages.h"
#include "scan_executor/condition.h"
#include "scan_executor/runtime_filter.h"
#include "scan_executor/skip.h"

/*
 * The number of rows that are filtered at a time grows from one to all of a page, so that little is done in vain if the query
 * needs only a few rows, because of a LIMIT for example.
 */
#define FIRST_ROWS		1
#define ROWS_GROWTH		4

/* A parallel scan has this in shared memory. */
typedef struct SharedScan
{
	int			workers;
	Size		filters_offset;	/* of a SharedFilter for each runtime filter */
	ProbeCounts counts[FLEXIBLE_ARRAY_MEMBER];	/* for each worker and filter; a ParallelTableScanDesc follows */
} SharedScan;

typedef struct FilterScan
{
	CustomScanState custom;
	RowFilters	filters;
	ProbeCounts *counts;		/* of each filter, in this process */
	List	   *conditions;		/* the query's, whose filters come first in `filters` */
	List	   *runtime_probes; /* of RuntimeProbePlan: the other filters in `filters` */
	ExprState  *recheck;		/* the conditions, for EvalPlanQual */

	SharedScan *shared;			/* null unless the scan is parallel */

	SkipState	skip;
	HeapPages	pages;
	bool		one_direction;	/* whether the direction never changes */
	int			begin,			/* the part of a page's rows that is filtered at present: up to, but not including, end */
				end;
	int			rows_until_limit;	/* as in the plan */
	int			rows_at_once;	/* length of the next part */
	PageRows	rows;			/* the rows of the part that no filter has rejected */
	int			current;		/* index of the row returned last; -1 and count: before and after all rows */
	int			passed;			/* rows of the last part that passed the filters */
	int			returned;		/* how many of these passed the other conditions, too */
} FilterScan;

static int
all_filters(const FilterScan *scan)
{
	return scan->filters.count + scan->filters.late;
}

static RowFilter **
runtime_row_filters(const FilterScan *scan)
{
	return scan->filters.filter + list_length(scan->conditions);
}

static Size
counts_size(const FilterScan *scan, int workers)
{
	return MAXALIGN(offsetof(SharedScan, counts) + sizeof(ProbeCounts) * all_filters(scan) * workers);
}

static ParallelTableScanDesc
shared_table(const FilterScan *scan)
{
	if (scan->shared == NULL)
		return NULL;
	return (ParallelTableScanDesc) ((char *) scan->shared + counts_size(scan, scan->shared->workers));
}

/*
 * Begin to load the next page, unless it is not known, or the scan still filters pages in parts, and may soon end. Its rows are
 * assumed to be as short as those of this page.
 */
static void
prefetch_next_page(FilterScan *scan)
{
	PageRows   *rows = &scan->rows;
	bool		pays = scan->pages.next != NULL && rows->count == scan->pages.count && page_prefetch_pays(rows->page, rows->total);

	rows->next = (NextPage) {.rest = scan->pages.next,.bytes = pays ? BLCKSZ : 0};
	next_page_prefetch(&rows->next);
}

/* Estimate how many rows this process will scan, with its first page. */
static void
expect_rows(FilterScan *scan)
{
	int			processes = scan->shared == NULL ? 1 : scan->shared->workers + 1;
	BlockNumber blocks = RelationGetNumberOfBlocks(scan->custom.ss.ss_currentRelation);

	/* Invisible rows count as well, since the portable form may have one row at a time. */
	scan->rows.expected = (double) blocks * PageGetMaxOffsetNumber(scan->pages.page) / processes;
	if (scan->rows_until_limit > 0)
		scan->rows.expected = Min(scan->rows.expected, scan->rows_until_limit);
}

static bool
next_page(FilterScan *scan, ScanDirection direction, TupleTableSlot *slot)
{
	const ScanState *node = &scan->custom.ss;

	if (skip_rest(&scan->skip, scan->runtime_probes, runtime_row_filters(scan)))
		return false;
	/* The scan does not begin with the node, because EvalPlanQual initializes nodes that it never scans. */
	if (scan->pages.scan == NULL)
		heap_pages_begin(&scan->pages, node->ss_currentRelation, node->ps.state->es_snapshot, shared_table(scan),
						 scan->one_direction);
	if (scan->pages.page != NULL)
		next_page_prefetch_rest(&scan->rows.next);
	if (!heap_pages_next(&scan->pages, direction, slot))
		return false;
	scan->rows.page = scan->pages.page;
	if (scan->rows.expected == 0.0)
		expect_rows(scan);
	scan->begin = scan->end = ScanDirectionIsForward(direction) ? 0 : scan->pages.count;
	return true;
}

/* Get the rows of the next part of a page; false if there is none in this direction. */
static bool
next_part(FilterScan *scan, ScanDirection direction, TupleTableSlot *slot)
{
	PageRows   *rows = &scan->rows;
	bool		forward = ScanDirectionIsForward(direction);
	bool		at_end = scan->pages.page == NULL || (forward ? scan->end == scan->pages.count : scan->begin == 0);

	rows->count = 0;
	if (at_end && !next_page(scan, direction, slot))
		return false;
	if (forward)
	{
		scan->begin = scan->end;
		scan->end = Min(scan->begin + scan->rows_at_once, scan->pages.count);
	}
	else
	{
		scan->end = scan->begin;
		scan->begin = Max(scan->end - scan->rows_at_once, 0);
	}
	scan->rows_at_once = Min(scan->rows_at_once * ROWS_GROWTH, MaxHeapTuplesPerPage);
	rows->count = rows->total = scan->end - scan->begin;
	memcpy(rows->row, scan->pages.row + scan->begin, sizeof(OffsetNumber) * rows->count);
	prefetch_next_page(scan);
	return true;
}

/*
 * Begin to load what hash joins look up for the rows that pass the other conditions, too. If the rows of the last part seldom
 * did, this would take longer than it saves.
 */
#define FEWEST_RETURNED	0.25

static void
prefetch_matches(FilterScan *scan)
{
	bool		pays = scan->returned >= FEWEST_RETURNED * scan->passed;

	scan->passed = scan->rows.count;
	scan->returned = 0;
	if (!pays || scan->rows.count == 0)
		return;
	for (int i = list_length(scan->conditions); i < scan->filters.count; i++)
		runtime_probe_prefetch_matches(scan->filters.filter[i], &scan->rows);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	FilterScan *scan = (FilterScan *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	ScanDirection direction = node->ps.state->es_direction;
	bool		forward = ScanDirectionIsForward(direction);

	for (;;)
	{
		scan->current += forward ? 1 : -1;
		if (scan->current >= 0 && scan->current < scan->rows.count)
		{
			heap_pages_store(&scan->pages, scan->rows.row[scan->current], slot);
			return slot;
		}
		scan->current = 0;
		if (!next_part(scan, direction, slot))
			return ExecClearTuple(slot);
		row_filters_keep(&scan->filters, &scan->rows);
		prefetch_matches(scan);
		scan->current = forward ? -1 : scan->rows.count;
	}
}

/* For EvalPlanQual, whether another version of a row passes the filters. ExecScan evaluates the other conditions. */
static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	ExprContext *econtext = node->ps.ps_ExprContext;

	econtext->ecxt_scantuple = slot;
	return ExecQual(((FilterScan *) node)->recheck, econtext);
}

/* Whether the present row, which has passed the scan's own conditions, passes the late filters. */
static bool
passes_late(FilterScan *scan)
{
	for (int i = 0; i < scan->filters.late; i++)
		if (!runtime_probe_row(scan->filters.filter[scan->filters.count + i], scan->custom.ss.ss_ScanTupleSlot))
			return false;
	return true;
}

static TupleTableSlot *
filter_scan_exec(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;

	for (;;)
	{
		TupleTableSlot *slot = ExecScan(&node->ss, next_row, recheck_row);

		if (TupIsNull(slot) || passes_late(scan))
		{
			scan->returned++;
			return slot;
		}
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Set up the filters of the plan's conditions, and the plan's runtime filters. The planner has decided which
 * conditions are probes, but a plan may be cached, and a function replaced since, so each is taken apart again.
 */
static void
init_filters(FilterScan *scan)
{
	PlanState  *node = &scan->custom.ss.ps;
	TupleDesc	descriptor = RelationGetDescr(scan->custom.ss.ss_currentRelation);
	int			count = list_length(scan->conditions) + list_length(scan->runtime_probes);
	RowFilter **filter = palloc(sizeof(RowFilter *) * count);
	ListCell   *cell;

	scan->filters.filter = filter;
	scan->filters.order = palloc(sizeof(RowFilter *) * count);
	scan->counts = palloc0(sizeof(ProbeCounts) * count);
	foreach(cell, scan->conditions)
	{
		ProbeCondition condition;

		if (!probe_condition_find(&condition, lfirst(cell)))
			elog(ERROR, "condition of a filter scan is not a probe");
		*filter++ = condition_probe_create(&condition, node, descriptor);
	}
	foreach(cell, scan->runtime_probes)
		*filter++ = runtime_probe_create(lfirst(cell), node->state, descriptor);
	scan->filters.count = count - scan->filters.late;
	row_filters_restart(&scan->filters);
	for (int i = 0; i < count; i++)
		scan->filters.filter[i]->counts = &scan->counts[i];
}

static void
filter_scan_begin(CustomScanState *node, EState *estate, int flags)
{
	FilterScan *scan = (FilterScan *) node;
	const CustomScan *scan_plan = (const CustomScan *) node->ss.ps.plan;
	const FilterScanPlan *plan = linitial(scan_plan->custom_private);

	scan->one_direction = (flags & EXEC_FLAG_BACKWARD) == 0;
	custom_scan_use_table_slot(node, estate);
	scan->conditions = scan_plan->custom_exprs;
	scan->runtime_probes = list_concat_copy(plan->probes, plan->late_probes);
	scan->filters.late = list_length(plan->late_probes);
	scan->rows_until_limit = plan->rows_until_limit;
	scan->recheck = ExecInitQual(scan->conditions, &node->ss.ps);
	scan->rows_at_once = FIRST_ROWS;
	init_filters(scan);
}

static void
end_table(FilterScan *scan)
{
	heap_pages_end(&scan->pages);
	scan->rows.count = 0;
}

static void
filter_scan_end(CustomScanState *node)
{
	end_table((FilterScan *) node);
}

static void
filter_scan_rescan(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;

	row_filters_restart(&scan->filters);
	scan->skip.decided = scan->skip.skips = false;
	scan->rows_at_once = FIRST_ROWS;
	scan->rows.count = 0;
	heap_pages_restart(&scan->pages);
	ExecScanReScan(&node->ss);
}

/*
 * Show a probe and, with ANALYZE, its counts. The text shows a condition or, if `runtime` is not null, the columns with which
 * this runtime filter is probed.
 */
static void
explain_probe(const char *text, const RuntimeProbePlan *runtime, const ProbeCounts *counts, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		if (runtime != NULL)
			text = psprintf("runtime filter %d (%s)", runtime->number, text);
		if (es->analyze)
			text = psprintf("%s (rows probed=" UINT64_FORMAT " rejected=" UINT64_FORMAT "%s)", text,
							counts->probed, counts->rejected,
							runtime == NULL ? "" : psprintf(" bypassed=" UINT64_FORMAT, counts->bypassed));
		ExplainPropertyText("Probe", text, es);
		return;
	}
	ExplainOpenGroup("Probe", NULL, true, es);
	if (runtime != NULL)
		ExplainPropertyInteger("Runtime Filter", NULL, runtime->number, es);
	ExplainPropertyText(runtime != NULL ? "Key" : "Condition", text, es);
	if (es->analyze)
	{
		ExplainPropertyUInteger("Rows Probed", NULL, counts->probed, es);
		ExplainPropertyUInteger("Rows Rejected", NULL, counts->rejected, es);
		if (runtime != NULL)
			ExplainPropertyUInteger("Rows Bypassed", NULL, counts->bypassed, es);
	}
	ExplainCloseGroup("Probe", NULL, true, es);
}

/* Show the conditions and the runtime filters and, with ANALYZE, their counts: totals of all loops and all processes. */
static void
filter_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	FilterScan *scan = (FilterScan *) node;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	const ProbeCounts *counts = scan->counts;
	uint64		skipped = 0;
	ListCell   *cell;

	ExplainOpenGroup("Probes", "Probes", false, es);
	foreach(cell, scan->conditions)
		explain_probe(deparse_expression(lfirst(cell), context, es->verbose, false), NULL, counts++, es);
	foreach(cell, scan->runtime_probes)
	{
		const RuntimeProbePlan *probe = lfirst(cell);

		skipped += counts->skipped;
		explain_probe(deparse_expression((Node *) join_key_values(probe->keys), context, es->verbose, false), probe,
					  counts++, es);
	}
	ExplainCloseGroup("Probes", "Probes", false, es);
	if (es->analyze && skipped > 0)
		ExplainPropertyUInteger("Partition Skipped", NULL, skipped, es);
}

/* The size of the counts and of what the table's scan shares. */
static Size
scan_size(const FilterScan *scan, int workers)
{
	const ScanState *node = &scan->custom.ss;

	return counts_size(scan, workers) + MAXALIGN(table_parallelscan_estimate(node->ss_currentRelation, node->ps.state->es_snapshot));
}

static Size
filter_scan_estimate(CustomScanState *node, ParallelContext *parallel)
{
	FilterScan *scan = (FilterScan *) node;
	Size		size = scan_size(scan, parallel->nworkers);

	for (int i = 0; i < list_length(scan->runtime_probes); i++)
		size += runtime_probe_shared_size(runtime_row_filters(scan)[i]);
	return size;
}

/* Copy the filters to workers that are about to be started, or use them in a worker. */
static void
share_filters(const FilterScan *scan, void (*share) (const RowFilter *, SharedFilter *))
{
	char	   *shared = (char *) scan->shared + scan->shared->filters_offset;

	for (int i = 0; i < list_length(scan->runtime_probes); i++)
	{
		share(runtime_row_filters(scan)[i], (SharedFilter *) shared);
		shared += ((SharedFilter *) shared)->size;
	}
}

static void
filter_scan_initialize(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	FilterScan *scan = (FilterScan *) node;
	char	   *shared_filters = (char *) shared + scan_size(scan, parallel->nworkers);

	end_table(scan);
	scan->shared = shared;
	scan->shared->workers = parallel->nworkers;
	scan->shared->filters_offset = (Size) (shared_filters - (char *) shared);
	for (int i = 0; i < list_length(scan->runtime_probes); i++)
	{
		((SharedFilter *) shared_filters)->size = runtime_probe_shared_size(runtime_row_filters(scan)[i]);
		shared_filters += ((SharedFilter *) shared_filters)->size;
	}
	share_filters(scan, runtime_probe_share);
	memset(scan->shared->counts, 0, sizeof(ProbeCounts) * all_filters(scan) * parallel->nworkers);
	table_parallelscan_initialize(node->ss.ss_currentRelation, shared_table(scan), node->ss.ps.state->es_snapshot);
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	FilterScan *scan = (FilterScan *) node;

	(void) parallel;
	(void) shared;
	share_filters(scan, runtime_probe_share);
	table_parallelscan_reinitialize(node->ss.ss_currentRelation, shared_table(scan));
}

static void
filter_scan_initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	FilterScan *scan = (FilterScan *) node;

	(void) toc;
	scan->shared = shared;
	share_filters(scan, runtime_probe_receive);
	for (int i = 0; i < all_filters(scan); i++)
		scan->filters.filter[i]->counts = &scan->shared->counts[ParallelWorkerNumber * all_filters(scan) + i];
}

/* The shared memory is about to be freed: the leader takes what the workers have counted. */
static void
filter_scan_shut_down(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;

	if (scan->shared == NULL || IsParallelWorker())
		return;
	for (int i = 0; i < scan->shared->workers * all_filters(scan); i++)
		probe_counts_add(&scan->counts[i % all_filters(scan)], &scan->shared->counts[i]);
	end_table(scan);
	scan->shared = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = FILTER_SCAN_NAME,
	.BeginCustomScan = filter_scan_begin,
	.ExecCustomScan = filter_scan_exec,
	.EndCustomScan = filter_scan_end,
	.ReScanCustomScan = filter_scan_rescan,
	.EstimateDSMCustomScan = filter_scan_estimate,
	.InitializeDSMCustomScan = filter_scan_initialize,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = filter_scan_initialize_worker,
	.ShutdownCustomScan = filter_scan_shut_down,
	.ExplainCustomScan = filter_scan_explain,
};

static Node *
filter_scan_create(CustomScan *plan)
{
	FilterScan *scan = (FilterScan *) newNode(sizeof(FilterScan), T_CustomScanState);

	(void) plan;
	scan->custom.methods = &exec_methods;
	FILTER_SET_SLOT_OPS(&scan->custom, &TTSOpsBufferHeapTuple);
	return (Node *) scan;
}

const CustomScanMethods filter_scan_methods = {
	.CustomName = FILTER_SCAN_NAME,
	.CreateCustomScanState = filter_scan_create,
};
