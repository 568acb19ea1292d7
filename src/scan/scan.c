#include "scan/scan.h"

#include "access/parallel.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "host/heap_pages.h"
#include "scan/condition.h"
#include "scan/join_key.h"
#include "scan/matching_pages.h"
#include "scan/probe_explain.h"
#include "scan/row_filter.h"
#include "scan/runtime_filter.h"
#include "scan/shared_filter.h"
#include "scan/skip.h"

/*
 * The number of rows that are filtered at a time: first one, then more each time, up to all of a page. So little is done in
 * vain if the query needs only a few rows, because of a LIMIT for example.
 */
#define FIRST_ROWS		1
#define ROWS_GROWTH		4

/* What scans have left out, in all loops. */
typedef struct SkipCounts
{
	uint64		scans;			/* by each process, of the whole table */
	uint64		pages;			/* of the table, once for all processes */
} SkipCounts;

/* In the shared memory of a parallel scan. */
typedef struct SharedScan
{
	int			workers;
	int			leave_out;		/* the way by which all processes leave out the table, or 0; known before there are workers */
	pg_atomic_uint32 skip_way;	/* that by which a process has left out the table, or 0 */
	pg_atomic_uint64 skipped_scans; /* as in SkipCounts */
	pg_atomic_uint64 skipped_pages;
	ProbeCounts counts[FLEXIBLE_ARRAY_MEMBER];	/* for each worker, of each filter; then follows a ParallelTableScanDesc */
} SharedScan;

typedef struct FilterScan
{
	CustomScanState custom;
	RowFilters	filters;
	ProbeCounts *counts;		/* of each filter, in this process */
	List	   *probes;			/* the conditions of the filters that the query has; they come first in `filters` */
	List	   *runtime_probes; /* of runtime filters: as in the plan; the others in `filters` */
	ExprState  *recheck;		/* the probes, for EvalPlanQual */

	SharedScan *shared;			/* null unless the scan is parallel */

	/* What is left out because of the runtime filters. */
	int			skip_ways;		/* those that the table has for the keys of any filter; -1: not yet known */
	bool		skip_decided;	/* by all filters, for this loop */
	int			skip_way;		/* that by which the whole table is left out in this loop; 0: it is not */
	MatchingPages matching;		/* the pages that are scanned, unless it has no runs */
	int			last_skip_way;	/* of the last loop that left something out */
	const char *why_not;		/* the last reason why nothing was, or null */
	SkipCounts	skipped;

	HeapPages	pages;
	bool		one_way;		/* whether the direction never changes */
	int			begin,			/* the part of a page's rows that is filtered at present: up to, but not including, end */
				end;
	int			rows_until_limit;	/* as in the plan */
	int			rows_at_once;	/* length of the next part */
	PageRows	rows;			/* those of the part that have not been rejected */
	int			current;		/* index of the one that was returned last; -1 and count: before and after all of them */
	int			passed;			/* rows of the last part that passed the filters */
	int			returned;		/* how many of them passed the other conditions, too */
} FilterScan;

/*
 * The rows of the table.
 */

static Size
filter_scan_counts_size(const FilterScan *scan, int workers)
{
	return MAXALIGN(offsetof(SharedScan, counts) + sizeof(ProbeCounts) * scan->filters.count * workers);
}

/* Null unless the scan is parallel. */
static ParallelTableScanDesc
filter_scan_shared_table(const FilterScan *scan)
{
	if (scan->shared == NULL)
		return NULL;
	return (ParallelTableScanDesc) ((char *) scan->shared + filter_scan_counts_size(scan, scan->shared->workers));
}

/* Not begun with the node: EvalPlanQual initializes nodes that it never scans. */
static void
filter_scan_begin_table(FilterScan *scan)
{
	ScanState  *node = &scan->custom.ss;

	heap_pages_begin(&scan->pages, node->ss_currentRelation, node->ps.state->es_snapshot, filter_scan_shared_table(scan),
					 scan->one_way);
}

/*
 * Leaving out what cannot match.
 */

/* The ways that the table has for the columns of the runtime filters' keys. */
static int
filter_scan_skip_ways(const FilterScan *scan)
{
	Relation	table = scan->custom.ss.ss_currentRelation;
	int			ways = 0;
	ListCell   *cell;

	for (int i = list_length(scan->probes); i < scan->filters.count; i++)
		foreach(cell, runtime_probe_keys(scan->filters.filter[i]))
		{
			const JoinKey *key = lfirst(cell);

			if (OidIsValid(key->order))
				ways |= skip_ways(table, castNode(Var, key->value)->varattno);
		}
	return ways;
}

/*
 * A serializable transaction has read the table, as it would have without filters: for what another transaction writes, the
 * reason for leaving it out may not hold.
 */
static void
filter_scan_leave_out(FilterScan *scan, int way)
{
	BlockNumber pages = RelationGetNumberOfBlocks(scan->custom.ss.ss_currentRelation);

	if (IsolationIsSerializable() && scan->pages.scan == NULL)
		filter_scan_begin_table(scan);
	scan->skip_way = scan->last_skip_way = way;
	if (scan->shared == NULL)
	{
		scan->skipped.scans++;
		/* If the filter became ready later, some pages have been scanned. */
		scan->skipped.pages += scan->pages.page == NULL ? pages : 0;
		return;
	}
	pg_atomic_fetch_add_u64(&scan->shared->skipped_scans, 1);
	if (pg_atomic_exchange_u32(&scan->shared->skip_way, (uint32) way) == 0 && scan->pages.page == NULL)
		pg_atomic_fetch_add_u64(&scan->shared->skipped_pages, pages);
}

/* Why no pages can be left out, or null: a scan of some pages has one process and one direction, and no predicate lock of the table. */
static const char *
filter_scan_needs_all_pages(const FilterScan *scan)
{
	if ((scan->skip_ways & SKIP_BY_PAGES) == 0)
		return "any row can match";
	if (scan->pages.scan != NULL)
		return "the scan had begun";
	if (scan->shared != NULL)
		return "parallel scan";
	if (!scan->one_way)
		return "the direction can change";
	return IsolationIsSerializable() || !IsMVCCSnapshot(scan->custom.ss.ps.state->es_snapshot) ? "serializable" : NULL;
}

/* Leave out the pages that have no row with the keys of a filter, if these are more than those of other filters. */
static void
filter_scan_find_pages(FilterScan *scan, const List *keys, KeyRange *const *ranges)
{
	EState	   *estate = scan->custom.ss.ps.state;
	MemoryContext caller = MemoryContextSwitchTo(estate->es_query_cxt);
	ListCell   *cell;

	foreach(cell, keys)
	{
		MatchingPages found;

		if (!matching_pages_find(&found, scan->custom.ss.ss_currentRelation, estate->es_snapshot, lfirst(cell),
								 ranges[foreach_current_index(cell)]))
			continue;
		if (scan->matching.runs == NULL || found.pages < scan->matching.pages)
		{
			if (scan->matching.runs != NULL)
				pfree(scan->matching.runs);
			scan->matching = found;
		}
		else
			pfree(found.runs);
	}
	MemoryContextSwitchTo(caller);
}

static void
filter_scan_use_matching_pages(FilterScan *scan)
{
	if (scan->matching.count == 0)
	{
		filter_scan_leave_out(scan, SKIP_BY_PAGES);
		return;
	}
	scan->last_skip_way = SKIP_BY_PAGES;
	scan->skipped.pages += scan->matching.others;
}

/* Decide by the filters that are ready, until they all are. */
static void
filter_scan_decide(FilterScan *scan)
{
	Relation	table = scan->custom.ss.ss_currentRelation;
	bool		finds_pages;

	if (scan->skip_ways < 0)
		scan->skip_ways = filter_scan_skip_ways(scan);
	scan->skip_decided = true;
	if (scan->skip_ways == 0)
		return;
	if (scan->shared != NULL && scan->shared->leave_out != 0)
	{
		filter_scan_leave_out(scan, scan->shared->leave_out);
		return;
	}
	scan->why_not = filter_scan_needs_all_pages(scan);
	finds_pages = scan->why_not == NULL;
	for (int i = list_length(scan->probes); i < scan->filters.count && scan->skip_way == 0; i++)
	{
		const RuntimeFilter *filter = runtime_probe_ready_filter(scan->filters.filter[i]);
		int			way;

		if (filter == NULL)
		{
			scan->skip_decided = false;
			scan->why_not = "a filter is not ready";
			continue;
		}
		if (filter->ranges == NULL)
			continue;
		way = skip_table(table, scan->skip_ways, runtime_probe_keys(scan->filters.filter[i]), filter->ranges);
		if (way != 0)
			filter_scan_leave_out(scan, way);
		else if (finds_pages)
			filter_scan_find_pages(scan, runtime_probe_keys(scan->filters.filter[i]), filter->ranges);
	}
	if (scan->skip_way == 0 && scan->matching.runs != NULL && finds_pages)
		filter_scan_use_matching_pages(scan);
	else if (finds_pages && scan->why_not == NULL)
		scan->why_not = "most pages can match";
}

/*
 * Begin to load the next page, which is filtered after this one. If the guess is wrong, lines are loaded in vain. (If the
 * rows were not in any CPU cache, a scan took 0.68 of the time of count(*), and 0.83 without this.)
 */
static void
filter_scan_prefetch_next_page(FilterScan *scan)
{
	PageRows   *rows = &scan->rows;

	rows->next_bytes = 0;
	if (scan->pages.next == NULL || rows->count < scan->pages.count || !page_rows_are_short(rows))
		return;
	rows->next = scan->pages.next;
	rows->next_bytes = BLCKSZ;
	page_prefetch_next(rows);
}

static bool
filter_scan_turn_page(FilterScan *scan, ScanDirection direction, TupleTableSlot *slot)
{
	if (!scan->skip_decided)
		filter_scan_decide(scan);
	if (scan->skip_way != 0)
		return false;
	if (scan->pages.scan == NULL)
		filter_scan_begin_table(scan);
	/* What the work on this page has left of the next one. */
	if (scan->pages.page != NULL)
		page_prefetch(scan->rows.next, scan->rows.next + scan->rows.next_bytes);
	if (!heap_pages_turn(&scan->pages, direction, slot))
		return false;
	scan->rows.page = scan->pages.page;
	scan->begin = scan->end = ScanDirectionIsForward(direction) ? 0 : scan->pages.count;
	return true;
}

/* Get the rows of the next part of a page; false if there is none in this direction. */
static bool
filter_scan_next_part(FilterScan *scan, ScanDirection direction, TupleTableSlot *slot)
{
	PageRows   *rows = &scan->rows;
	bool		forward = ScanDirectionIsForward(direction);
	bool		at_end = scan->pages.page == NULL || (forward ? scan->end == scan->pages.count : scan->begin == 0);

	rows->count = 0;
	if (at_end && !filter_scan_turn_page(scan, direction, slot))
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
	rows->count = rows->taken = scan->end - scan->begin;
	memcpy(rows->row, scan->pages.row + scan->begin, sizeof(OffsetNumber) * rows->count);
	filter_scan_prefetch_next_page(scan);
	return true;
}

/*
 * The filters.
 */

/* Remove the rows that a filter rejects. */
static void
filter_scan_filter_rows(FilterScan *scan)
{
	if (scan->filters.rows == 0)
	{
		int			processes = scan->shared == NULL ? 1 : scan->shared->workers + 1;
		BlockNumber blocks = RelationGetNumberOfBlocks(scan->custom.ss.ss_currentRelation);

		/* Those on the page that are not visible count as well; the portable form may have one row at a time. */
		scan->rows.expected = (double) blocks * PageGetMaxOffsetNumber(scan->pages.page) / processes;
		if (scan->rows_until_limit > 0)
			scan->rows.expected = Min(scan->rows.expected, scan->rows_until_limit);
	}
	row_filters_keep(&scan->filters, &scan->rows);
}

/*
 * Begin to load what hash joins look up for the rows. They look up those that pass the other conditions, too; if those of
 * the last part seldom did, this would take longer than it saves.
 */
#define FEWEST_RETURNED	0.25

static void
filter_scan_prefetch_matches(FilterScan *scan)
{
	bool		pays = scan->returned >= FEWEST_RETURNED * scan->passed;

	scan->passed = scan->rows.count;
	scan->returned = 0;
	if (!pays || scan->rows.count == 0)
		return;
	for (int i = list_length(scan->probes); i < scan->filters.count; i++)
		runtime_probe_prefetch_matches(scan->filters.filter[i], &scan->rows);
}

/*
 * The executor's rows.
 */

static TupleTableSlot *
filter_scan_next_row(ScanState *node)
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
		if (!filter_scan_next_part(scan, direction, slot))
			return ExecClearTuple(slot);
		filter_scan_filter_rows(scan);
		filter_scan_prefetch_matches(scan);
		scan->current = forward ? -1 : scan->rows.count;
	}
}

/* EvalPlanQual: whether another version of a row passes the filters. ExecScan evaluates the other conditions. */
static bool
filter_scan_recheck_row(ScanState *node, TupleTableSlot *slot)
{
	ExprContext *econtext = node->ps.ps_ExprContext;

	econtext->ecxt_scantuple = slot;
	return ExecQual(((FilterScan *) node)->recheck, econtext);
}

static TupleTableSlot *
filter_scan_exec(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;
	TupleTableSlot *slot = ExecScan(&node->ss, filter_scan_next_row, filter_scan_recheck_row);

	scan->returned++;
	return slot;
}

/*
 * The plan node.
 */

/* Set up the filters of the probes in the plan's conditions, and the plan's runtime filters. */
static void
filter_scan_init_filters(FilterScan *scan)
{
	PlanState  *node = &scan->custom.ss.ps;
	TupleDesc	descriptor = RelationGetDescr(scan->custom.ss.ss_currentRelation);
	int			count = list_length(scan->probes) + list_length(scan->runtime_probes);
	ListCell   *cell;

	scan->counts = palloc0(sizeof(ProbeCounts) * count);
	row_filters_init(&scan->filters, count);
	foreach(cell, scan->probes)
	{
		FilterCondition condition;

		if (!filter_condition_find(&condition, lfirst(cell)))
			elog(ERROR, "condition of a filter scan is not a probe");
		row_filters_add(&scan->filters, condition_filter_create(&condition, node, descriptor));
	}
	foreach(cell, scan->runtime_probes)
	{
		RuntimeProbePlan probe;

		runtime_probe_from_list(&probe, lfirst(cell));
		row_filters_add(&scan->filters, runtime_probe_create(&probe, node->state, descriptor));
	}
	for (int i = 0; i < count; i++)
		scan->filters.filter[i]->counts = &scan->counts[i];
}

static void
filter_scan_begin(CustomScanState *node, EState *estate, int flags)
{
	FilterScan *scan = (FilterScan *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;

	scan->one_way = (flags & EXEC_FLAG_BACKWARD) == 0;
	custom_scan_use_table_slot(node, estate);
	scan->probes = plan->custom_exprs;
	scan->runtime_probes = linitial(plan->custom_private);
	scan->rows_until_limit = linitial_int(lsecond(plan->custom_private));
	scan->recheck = ExecInitQual(scan->probes, &node->ss.ps);
	scan->rows_at_once = FIRST_ROWS;
	scan->skip_ways = -1;
	filter_scan_init_filters(scan);
}

static void
filter_scan_end_table(FilterScan *scan)
{
	heap_pages_end(&scan->pages);
	scan->rows.count = 0;
	if (scan->matching.runs != NULL)
		pfree(scan->matching.runs);
	scan->matching.runs = NULL;
}

static void
filter_scan_end(CustomScanState *node)
{
	filter_scan_end_table((FilterScan *) node);
}

static void
filter_scan_rescan(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;

	row_filters_restart(&scan->filters);
	scan->skip_decided = false;
	scan->skip_way = 0;
	scan->rows_at_once = FIRST_ROWS;
	scan->rows.count = 0;
	/* The pages that are scanned may be others; those of a scan that has begun are not. */
	if ((scan->skip_ways & SKIP_BY_PAGES) != 0)
		filter_scan_end_table(scan);
	else
		heap_pages_restart(&scan->pages);
	ExecScanReScan(&node->ss);
}

/* What was left out, or that nothing was, if the table has a way to do so and was scanned. */
static void
filter_scan_explain_skipped(const FilterScan *scan, ExplainState *es)
{
	bool		skipped = scan->last_skip_way != 0;
	const char *way = skipped ? skip_way_name(scan->last_skip_way) : "nothing";

	if (scan->skip_ways <= 0 && !skipped)
		return;
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Skipped", !skipped ? psprintf("%s (%s)", way, scan->why_not) :
							psprintf("%s (scans=" UINT64_FORMAT " pages=" UINT64_FORMAT ")", way, scan->skipped.scans,
									 scan->skipped.pages), es);
		return;
	}
	if (!skipped)
		ExplainPropertyText("Reason Not Skipped", scan->why_not, es);
	ExplainPropertyText("Skipped", way, es);
	ExplainPropertyUInteger("Scans Skipped", NULL, scan->skipped.scans, es);
	ExplainPropertyUInteger("Pages Skipped", NULL, scan->skipped.pages, es);
}

/* The conditions and the runtime filters and, with ANALYZE, their counts: totals of all loops and all processes. */
static void
filter_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	FilterScan *scan = (FilterScan *) node;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	const ProbeCounts *counts = scan->counts;
	ListCell   *cell;

	ExplainOpenGroup("Probes", "Probes", false, es);
	foreach(cell, scan->probes)
		probe_explain(deparse_expression(lfirst(cell), context, es->verbose, false), NULL, counts++, es);
	foreach(cell, scan->runtime_probes)
	{
		RuntimeProbePlan probe;

		runtime_probe_from_list(&probe, lfirst(cell));
		probe_explain(deparse_expression((Node *) join_key_values(probe.keys), context, es->verbose, false), &probe, counts++,
					  es);
	}
	ExplainCloseGroup("Probes", "Probes", false, es);
	if (es->analyze)
		filter_scan_explain_skipped(scan, es);
}

/*
 * Parallel scans.
 */

/*
 * Give workers, which are about to be launched, the filters of joins above the Gather. They have no ranges of keys: so the
 * leader decides whether to leave out the table. That is all that is decided here, since other filters are made below.
 */
static void
filter_scan_share_filters(FilterScan *scan, shm_toc *toc)
{
	Relation	table = scan->custom.ss.ss_currentRelation;

	scan->shared->leave_out = 0;
	for (int i = list_length(scan->probes); i < scan->filters.count; i++)
	{
		RowFilter  *probe = scan->filters.filter[i];
		int			param = runtime_probe_leader_param(probe);
		const RuntimeFilter *filter;

		if (param < 0)
			continue;
		filter = runtime_probe_ready_filter(probe);
		shared_filter_put(toc, param, scan->custom.ss.ps.state, filter);
		if (scan->skip_ways < 0)
			scan->skip_ways = filter_scan_skip_ways(scan);
		scan->why_not = filter_scan_needs_all_pages(scan);
		if (filter != NULL && filter->ranges != NULL && scan->skip_ways != 0 && scan->shared->leave_out == 0)
			scan->shared->leave_out = skip_table(table, scan->skip_ways, runtime_probe_keys(probe), filter->ranges);
	}
}

static Size
filter_scan_estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	const FilterScan *scan = (FilterScan *) node;

	for (int i = list_length(scan->probes); i < scan->filters.count; i++)
		if (runtime_probe_leader_param(scan->filters.filter[i]) >= 0)
			shared_filter_estimate(parallel);
	return filter_scan_counts_size((FilterScan *) node, parallel->nworkers) +
		table_parallelscan_estimate(node->ss.ss_currentRelation, node->ss.ps.state->es_snapshot);
}

static void
filter_scan_initialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	FilterScan *scan = (FilterScan *) node;

	filter_scan_end_table(scan);
	scan->shared = shared;
	scan->shared->workers = parallel->nworkers;
	pg_atomic_init_u32(&scan->shared->skip_way, 0);
	pg_atomic_init_u64(&scan->shared->skipped_scans, 0);
	pg_atomic_init_u64(&scan->shared->skipped_pages, 0);
	memset(scan->shared->counts, 0, sizeof(ProbeCounts) * scan->filters.count * parallel->nworkers);
	table_parallelscan_initialize(node->ss.ss_currentRelation, filter_scan_shared_table(scan),
								  node->ss.ps.state->es_snapshot);
	filter_scan_share_filters(scan, parallel->toc);
}

static void
filter_scan_reinitialize_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	FilterScan *scan = (FilterScan *) node;

	pg_atomic_write_u32(&((SharedScan *) shared)->skip_way, 0);
	table_parallelscan_reinitialize(node->ss.ss_currentRelation, filter_scan_shared_table(scan));
	filter_scan_share_filters(scan, parallel->toc);
}

static void
filter_scan_initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	FilterScan *scan = (FilterScan *) node;

	scan->shared = shared;
	for (int i = list_length(scan->probes); i < scan->filters.count; i++)
		if (runtime_probe_leader_param(scan->filters.filter[i]) >= 0)
			shared_filter_take(toc, runtime_probe_leader_param(scan->filters.filter[i]), node->ss.ps.state);
	for (int i = 0; i < scan->filters.count; i++)
		scan->filters.filter[i]->counts = &scan->shared->counts[ParallelWorkerNumber * scan->filters.count + i];
}

/* The shared memory is about to be freed: the leader takes what the workers have counted. */
static void
filter_scan_shut_down(CustomScanState *node)
{
	FilterScan *scan = (FilterScan *) node;

	if (scan->shared == NULL || IsParallelWorker())
		return;
	for (int i = 0; i < scan->shared->workers * scan->filters.count; i++)
		probe_counts_add(&scan->counts[i % scan->filters.count], &scan->shared->counts[i]);
	scan->skipped.scans += pg_atomic_read_u64(&scan->shared->skipped_scans);
	scan->skipped.pages += pg_atomic_read_u64(&scan->shared->skipped_pages);
	if (pg_atomic_read_u32(&scan->shared->skip_way) != 0)
		scan->last_skip_way = (int) pg_atomic_read_u32(&scan->shared->skip_way);
	filter_scan_end_table(scan);
	scan->shared = NULL;
}

static const CustomExecMethods exec_methods = {
	.CustomName = FILTER_SCAN_NAME,
	.BeginCustomScan = filter_scan_begin,
	.ExecCustomScan = filter_scan_exec,
	.EndCustomScan = filter_scan_end,
	.ReScanCustomScan = filter_scan_rescan,
	.EstimateDSMCustomScan = filter_scan_estimate_shared,
	.InitializeDSMCustomScan = filter_scan_initialize_shared,
	.ReInitializeDSMCustomScan = filter_scan_reinitialize_shared,
	.InitializeWorkerCustomScan = filter_scan_initialize_worker,
	.ShutdownCustomScan = filter_scan_shut_down,
	.ExplainCustomScan = filter_scan_explain,
};

static Node *
filter_scan_create_state(CustomScan *plan)
{
	FilterScan *scan = (FilterScan *) newNode(sizeof(FilterScan), T_CustomScanState);

	(void) plan;
	scan->custom.methods = &exec_methods;
	FILTER_SET_SLOT_OPS(&scan->custom, &TTSOpsBufferHeapTuple);
	return (Node *) scan;
}

const CustomScanMethods filter_scan_methods = {
	.CustomName = FILTER_SCAN_NAME,
	.CreateCustomScanState = filter_scan_create_state,
};
