#include "scan/scan.h"

#include "postgres.h"

#include "access/heapam.h"
#include "access/parallel.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "scan/explain.h"
#include "scan/match_prefetch.h"
#include "scan/next_page.h"
#include "scan/order.h"
#include "scan/path.h"

/*
 * The number of rows that are filtered at a time: first one, then more each time, up to all of a page. So little is done in
 * vain if the query needs only a few rows, because of a LIMIT for example.
 */
#define FIRST_ROWS		1
#define ROWS_GROWTH		4

/* In the shared memory of a parallel scan. */
typedef struct SharedScan
{
	Size		scan_offset;	/* of the ParallelTableScanDesc, from the start of this */
	int			workers;
	ProbeCounts counts[FLEXIBLE_ARRAY_MEMBER];	/* for each worker, of each filter */
} SharedScan;

typedef struct FilterScan
{
	CustomScanState custom;
	PageFilters filters;
	ProbeCounts *counts;		/* of each filter, in this process */
	List	   *probes;			/* the conditions of the filters that the query has; they come first in `filters` */
	List	   *runtime_probes; /* of runtime filters: as in the plan */
	ExprState  *recheck;		/* the probes, for EvalPlanQual */

	SharedScan *shared;			/* null unless the scan is parallel */
	bool		is_worker;

	bool		on_page;
	int			page_rows;		/* number of visible rows on the page */
	int			begin,			/* the part of them that is filtered at present: from begin up to, but not including, end */
				end;
	int			rows_until_limit;	/* as in the plan */
	int			rows_at_once;	/* length of the next part */
	PageRows	rows;			/* those of the part that have not been rejected */
	int			current;		/* index of the one that was returned last; -1 and count: before and after all of them */
	int			passed;			/* rows of the last part that passed the filters */
	int			returned;		/* how many of them passed the other conditions, too */
	NextPage	next;			/* where the page after this one is */
	HeapTupleData tuple;		/* what the slot refers to */
} FilterScan;

static inline HeapScanDesc
heap_scan(const FilterScan *scan)
{
	return (HeapScanDesc) scan->custom.ss.ss_currentScanDesc;
}

/*
 * The scan of the table. PostgreSQL's heap access method turns the pages, and determines which rows of them are
 * visible: with its predicate locks, and for synchronized and parallel scans. See next_page.h for the exception.
 */

/* Not begun with the node: EvalPlanQual initializes nodes that it never scans. */
static TableScanDesc
begin_scan(FilterScan *scan)
{
	ScanState  *node = &scan->custom.ss;

	if (scan->shared != NULL)
		return table_beginscan_parallel_of(node->ss_currentRelation,
										   (ParallelTableScanDesc) ((char *) scan->shared + scan->shared->scan_offset));
	return table_beginscan_of(node->ss_currentRelation, node->ps.state->es_snapshot);
}

static void
store_row(FilterScan *scan, int index, TupleTableSlot *slot)
{
	OffsetNumber row = scan->rows.row[index];
	ItemId		pointer = PageGetItemId(scan->rows.page, row);

	scan->tuple.t_data = (HeapTupleHeader) PageGetItem(scan->rows.page, pointer);
	scan->tuple.t_len = ItemIdGetLength(pointer);
	ItemPointerSet(&scan->tuple.t_self, heap_scan(scan)->rs_cblock, row);
	ExecStoreBufferHeapTuple(&scan->tuple, slot, heap_scan(scan)->rs_cbuf);
}

/*
 * Begin to load the next page, which is filtered after this one. If the guess is wrong, lines are loaded in vain. (If the
 * rows were not in any CPU cache, a scan took 0.68 of the time of count(*), and 0.83 without this.)
 */
static void
prefetch_next_page(FilterScan *scan)
{
	PageRows   *rows = &scan->rows;

	rows->next_bytes = 0;
	if (scan->next.guess == InvalidBuffer || rows->count < scan->page_rows || !page_rows_are_short(rows))
		return;
	rows->next = (const char *) BufferGetPage(scan->next.guess);
	rows->next_bytes = BLCKSZ;
	page_prefetch_next(rows);
}

/* Get the next page with visible rows, and the first of these or none in the slot; false if there is none. */
static bool
get_next_page(FilterScan *scan, ScanDirection direction, TupleTableSlot *slot)
{
	ScanState  *node = &scan->custom.ss;
	HeapScanDesc heap = heap_scan(scan);

	if (scan->on_page && ScanDirectionIsForward(direction))
		while (next_page_turn(&scan->next))
		{
			next_page_find(&scan->next, heap, true);
			if (heap->rs_ntuples > 0)
			{
				ExecClearTuple(slot);
				pgstat_count_heap_getnext(node->ss_currentRelation);
				return true;
			}
		}
	next_page_leave(&scan->next);
	/* All rows of this page have been examined. */
	if (scan->on_page)
		heap->rs_cindex = ScanDirectionIsForward(direction) ? heap->rs_ntuples - 1 : 0;
	if (!table_scan_getnextslot(node->ss_currentScanDesc, direction, slot))
		return false;
	next_page_find(&scan->next, heap, ScanDirectionIsForward(direction));
	return true;
}

static bool
turn_page(FilterScan *scan, ScanDirection direction, TupleTableSlot *slot)
{
	ScanState  *node = &scan->custom.ss;
	bool		forward = ScanDirectionIsForward(direction);
	HeapScanDesc heap;

	if (node->ss_currentScanDesc == NULL)
		node->ss_currentScanDesc = begin_scan(scan);
	heap = heap_scan(scan);
	/* What the work on this page has left of the next one. */
	if (scan->on_page)
		page_prefetch(scan->rows.next, scan->rows.next + scan->rows.next_bytes);
	scan->on_page = get_next_page(scan, direction, slot);
	if (!scan->on_page)
		return false;
	scan->rows.page = BufferGetPage(heap->rs_cbuf);
	if ((heap->rs_base.rs_flags & SO_ALLOW_PAGEMODE) == 0)
	{
		/* For snapshots other than those of queries, the access method examines rows one by one. */
		heap->rs_vistuples[0] = ItemPointerGetOffsetNumber(&slot->tts_tid);
		heap->rs_ntuples = 1;
	}
	scan->page_rows = (int) heap->rs_ntuples;
	scan->begin = scan->end = forward ? 0 : scan->page_rows;
	/* As if the access method had returned the others, too. Indexes and heaps count them in the same field. */
	pgstat_count_index_tuples(node->ss_currentRelation, scan->page_rows - 1);
	return true;
}

/* Get the rows of the next part of a page; false if there is none in this direction. */
static bool
next_part(FilterScan *scan, ScanDirection direction, TupleTableSlot *slot)
{
	PageRows   *rows = &scan->rows;
	bool		forward = ScanDirectionIsForward(direction);
	bool		at_end = !scan->on_page || (forward ? scan->end == scan->page_rows : scan->begin == 0);

	rows->count = 0;
	if (at_end && !turn_page(scan, direction, slot))
		return false;
	if (forward)
	{
		scan->begin = scan->end;
		scan->end = Min(scan->begin + scan->rows_at_once, scan->page_rows);
	}
	else
	{
		scan->end = scan->begin;
		scan->begin = Max(scan->end - scan->rows_at_once, 0);
	}
	scan->rows_at_once = Min(scan->rows_at_once * ROWS_GROWTH, MaxHeapTuplesPerPage);
	rows->count = rows->taken = scan->end - scan->begin;
	memcpy(rows->row, heap_scan(scan)->rs_vistuples + scan->begin, sizeof(OffsetNumber) * rows->count);
	prefetch_next_page(scan);
	return true;
}

/*
 * The filters.
 */

/* Remove the rows that a filter rejects. */
static void
filter_rows(FilterScan *scan)
{
	if (scan->filters.rows == 0)
	{
		int			processes = scan->shared == NULL ? 1 : scan->shared->workers + 1;
		double		rows = (double) heap_scan(scan)->rs_nblocks * scan->page_rows / processes;

		page_filters_expect(&scan->filters, scan->rows_until_limit > 0 ? Min(rows, scan->rows_until_limit) : rows);
	}
	page_filters_keep(&scan->filters, scan->custom.ss.ps.ps_ExprContext, &scan->rows);
}

/*
 * Begin to load what hash joins look up for the rows. They look up those that pass the other conditions, too; if those of
 * the last part seldom did, this would take longer than it saves.
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
	for (int i = 0; i < scan->filters.count; i++)
		if (scan->filters.filter[i].runtime != NULL)
			match_prefetch(scan->filters.filter[i].runtime, &scan->rows);
}

/*
 * The executor's rows.
 */

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
			store_row(scan, scan->current, slot);
			return slot;
		}
		scan->current = 0;
		if (!next_part(scan, direction, slot))
			return ExecClearTuple(slot);
		filter_rows(scan);
		prefetch_matches(scan);
		scan->current = forward ? -1 : scan->rows.count;
	}
}

/* EvalPlanQual: whether another version of a row passes the filters. ExecScan evaluates the other conditions. */
static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	ExprContext *econtext = node->ps.ps_ExprContext;

	econtext->ecxt_scantuple = slot;
	return ExecQual(((FilterScan *) node)->recheck, econtext);
}

static TupleTableSlot *
exec_scan(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;
	TupleTableSlot *slot = ExecScan(&node->ss, next_row, recheck_row);

	scan->returned++;
	return slot;
}

/*
 * The plan node.
 */

/* Set up the filters of the probes in the plan's conditions, and the plan's runtime filters. */
static void
init_filters(FilterScan *scan)
{
	PlanState  *node = &scan->custom.ss.ps;
	TupleDesc	descriptor = RelationGetDescr(scan->custom.ss.ss_currentRelation);
	int			count = list_length(scan->probes) + list_length(scan->runtime_probes);
	ListCell   *cell;

	scan->filters.filter = palloc0(sizeof(PageFilter) * count);
	scan->counts = palloc0(sizeof(ProbeCounts) * count);
	foreach(cell, scan->probes)
	{
		PageFilter *filter = &scan->filters.filter[scan->filters.count];
		FilterCondition condition;

		if (!filter_condition_find(&condition, lfirst(cell)))
			elog(ERROR, "condition of a filter scan is not a probe");
		page_filter_init(filter, &condition, node, descriptor);
		filter->counts = &scan->counts[scan->filters.count++];
	}
	foreach(cell, scan->runtime_probes)
	{
		PageFilter *filter = &scan->filters.filter[scan->filters.count];
		RuntimeProbePlan probe;

		runtime_probe_from_list(&probe, lfirst(cell));
		page_filter_init_runtime(filter, runtime_probe_create(&probe, node->state, descriptor));
		filter->counts = &scan->counts[scan->filters.count++];
	}
	page_filters_init(&scan->filters);
}

static void
begin(CustomScanState *node, EState *estate, int flags)
{
	FilterScan *scan = (FilterScan *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;

	(void) flags;
	custom_scan_use_table_slot(node, estate);
	scan->probes = plan->custom_exprs;
	scan->runtime_probes = linitial(plan->custom_private);
	scan->rows_until_limit = linitial_int(lsecond(plan->custom_private));
	scan->recheck = ExecInitQual(scan->probes, &node->ss.ps);
	scan->tuple.t_tableOid = RelationGetRelid(node->ss.ss_currentRelation);
	scan->rows_at_once = FIRST_ROWS;
	init_filters(scan);
}

static void
end_scan(FilterScan *scan)
{
	next_page_leave(&scan->next);
	if (scan->custom.ss.ss_currentScanDesc != NULL)
		table_endscan(scan->custom.ss.ss_currentScanDesc);
	scan->custom.ss.ss_currentScanDesc = NULL;
	scan->on_page = false;
	scan->rows.count = 0;
}

static void
end(CustomScanState *node)
{
	end_scan((FilterScan *) node);
}

static void
rescan(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;

	for (int i = 0; i < scan->filters.count; i++)
		page_filter_forget(&scan->filters.filter[i]);
	page_filters_restart(&scan->filters);
	scan->rows_at_once = FIRST_ROWS;
	scan->on_page = false;
	scan->rows.count = 0;
	next_page_leave(&scan->next);
	if (node->ss.ss_currentScanDesc != NULL)
		table_rescan(node->ss.ss_currentScanDesc, NULL);
	ExecScanReScan(&node->ss);
}

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	FilterScan *scan = (FilterScan *) node;

	explain_probes(&node->ss.ps, scan->probes, scan->runtime_probes, scan->counts, ancestors, es);
}

/*
 * Parallel scans.
 */

static Size
shared_header_size(const FilterScan *scan, const ParallelContext *parallel)
{
	return MAXALIGN(offsetof(SharedScan, counts) +
					sizeof(ProbeCounts) * scan->filters.count * Max(parallel->nworkers, 0));
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	return shared_header_size((FilterScan *) node, parallel) +
		table_parallelscan_estimate(node->ss.ss_currentRelation, node->ss.ps.state->es_snapshot);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	FilterScan *scan = (FilterScan *) node;

	end_scan(scan);
	scan->shared = shared;
	scan->shared->scan_offset = shared_header_size(scan, parallel);
	scan->shared->workers = parallel->nworkers;
	memset(scan->shared->counts, 0, sizeof(ProbeCounts) * scan->filters.count * parallel->nworkers);
	table_parallelscan_initialize(node->ss.ss_currentRelation,
								  (ParallelTableScanDesc) ((char *) shared + scan->shared->scan_offset),
								  node->ss.ps.state->es_snapshot);
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	(void) parallel;
	table_parallelscan_reinitialize(node->ss.ss_currentRelation,
									(ParallelTableScanDesc) ((char *) shared + ((SharedScan *) shared)->scan_offset));
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	FilterScan *scan = (FilterScan *) node;

	(void) toc;
	scan->shared = shared;
	scan->is_worker = true;
	for (int i = 0; i < scan->filters.count; i++)
		scan->filters.filter[i].counts = &scan->shared->counts[ParallelWorkerNumber * scan->filters.count + i];
}

/* The shared memory is about to be freed: the leader takes what the workers have counted. */
static void
shut_down(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;

	if (scan->shared == NULL || scan->is_worker)
		return;
	for (int i = 0; i < scan->shared->workers * scan->filters.count; i++)
	{
		scan->counts[i % scan->filters.count].probed += scan->shared->counts[i].probed;
		scan->counts[i % scan->filters.count].rejected += scan->shared->counts[i].rejected;
		scan->counts[i % scan->filters.count].bypassed += scan->shared->counts[i].bypassed;
	}
	end_scan(scan);
	scan->shared = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = FILTER_SCAN_NAME,
	.BeginCustomScan = begin,
	.ExecCustomScan = exec_scan,
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
	FilterScan *scan = (FilterScan *) newNode(sizeof(FilterScan), T_CustomScanState);

	(void) plan;
	scan->custom.methods = &exec_methods;
	FILTER_SET_SLOT_OPS(&scan->custom, &TTSOpsBufferHeapTuple);
	return (Node *) scan;
}

static const CustomScanMethods scan_methods = {
	.CustomName = FILTER_SCAN_NAME,
	.CreateCustomScanState = create_state,
};

RuntimeProbe *
filter_scan_find_probe(PlanState *node, int param)
{
	FilterScan *scan = (FilterScan *) node;

	if (!IsA(node, CustomScanState) || scan->custom.methods != &exec_methods)
		return NULL;
	for (int i = 0; i < scan->filters.count; i++)
		if (scan->filters.filter[i].runtime != NULL && scan->filters.filter[i].runtime->param == param)
			return scan->filters.filter[i].runtime;
	return NULL;
}

void
filter_scan_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
	filter_scan_path_init(&scan_methods);
}
