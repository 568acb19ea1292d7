/*
 * The filters of a scan: that of a condition (scan/condition.h), or one that a join makes (scan/runtime_filter.h). Each
 * removes those rows of a page that it rejects.
 *
 * They are tried in an order that is learned: those that reject most rows come first. The planner's order is only where it
 * begins: its estimates of what filters reject are rough, and the same row may be rejected by several of them.
 */
#include "scan/row_filter.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"

/*
 * Another filter goes first, so that its fraction is measured, too: on each of the first pages, until each filter was,
 * and then once in so many pages, since trials in every few pages slow a scan down measurably.
 */
#define PAGES_PER_TRIAL 256

/* Fractions are not measured before: a scan begins with so few rows at a time that they say little. */
#define FIRST_MEASURED_ROWS 64

/* The weight of a page in the fraction of rows that pass. */
#define PAGE_WEIGHT 0.5

RowFilter *
row_filter_create(Size size)
{
	RowFilter  *filter = palloc0(size);

	filter->key_context = AllocSetContextCreate(CurrentMemoryContext, "keys of a filter scan", ALLOCSET_DEFAULT_SIZES);
	filter->pass_fraction = 2.0;
	return filter;
}

void
row_filters_init(RowFilters *filters, int most)
{
	memset(filters, 0, sizeof(RowFilters));
	filters->filter = palloc(sizeof(RowFilter *) * most);
	filters->order = palloc(sizeof(RowFilter *) * most);
}

void
row_filters_add(RowFilters *filters, RowFilter *filter, bool is_late)
{
	filters->filter[filters->count + filters->late] = filter;
	if (is_late)
	{
		filters->late++;
		return;
	}
	Assert(filters->late == 0);
	filters->order[filters->count] = filter;
	filters->count++;
}

void
row_filters_restart(RowFilters *filters)
{
	for (int i = 0; i < filters->count; i++)
	{
		filters->order[i] = filters->filter[i];
		if (filters->filter[i]->forget != NULL)
			filters->filter[i]->forget(filters->filter[i]);
	}
	filters->pages = 0;
	filters->rows = 0;
}

void
row_filter_reset_key(RowFilter *filter)
{
	MemoryContextReset(filter->key_context);
	CHECK_FOR_INTERRUPTS();
}

/* Remove the rows that one filter rejects. */
static void
row_filter_keep(RowFilter *filter, PageRows *rows)
{
	uint64		hashes[MaxHeapTuplesPerPage];
	uint32		contained[MaxHeapTuplesPerPage];
	int			before = rows->count;
	int			count = 0;
	MemoryContext caller;

	if (!filter->begin(filter, rows))
	{
		filter->counts->bypassed += before;
		return;
	}
	caller = MemoryContextSwitchTo(filter->key_context);
	filter->hash(filter, rows, hashes);
	page_prefetch_next(rows);
	if (rows->count > 0)
		count = filter->contained(filter, rows, hashes, contained);
	MemoryContextSwitchTo(caller);
	for (int i = 0; i < count; i++)
		rows->row[i] = rows->row[contained[i]];
	rows->count = count;
	page_prefetch_next(rows);
	filter->counts->probed += before;
	filter->counts->rejected += before - count;
}

/*
 * The number of filters whose order can be changed: those before the first one that may still raise an error or be
 * expensive to evaluate. A row reaches that one only if it passes those that the planner put before it, and before any
 * that the planner put after it.
 */
static int
count_settled(const RowFilters *filters)
{
	int			count = 0;

	while (count < filters->count && filters->filter[count]->settled)
		count++;
	return count;
}

static void
sort_by_fraction(RowFilters *filters, int count)
{
	for (int i = 1; i < count; i++)
		for (int j = i; j > 0 && filters->order[j]->pass_fraction < filters->order[j - 1]->pass_fraction; j--)
		{
			RowFilter *better = filters->order[j];

			filters->order[j] = filters->order[j - 1];
			filters->order[j - 1] = better;
		}
}

/* The fraction that a filter lets pass is known only of the first one: the others see what that leaves. */
static void
measure_fraction(RowFilter *filter, double fraction)
{
	if (filter->pass_fraction > 1.0)
		filter->pass_fraction = fraction;
	else
		filter->pass_fraction += PAGE_WEIGHT * (fraction - filter->pass_fraction);
}

/* The index in the order of a filter whose fraction is not known, or of the one whose turn it is; 0: no trial. */
static int
to_try(RowFilters *filters, int movable)
{
	uint32		page = filters->pages++;

	if (movable < 2)
		return 0;
	for (int i = 0; i < movable; i++)
		if (filters->order[i]->pass_fraction > 1.0)
			return i;
	return page % PAGES_PER_TRIAL == 0 ? (int) (page / PAGES_PER_TRIAL % (uint32) movable) : 0;
}

void
row_filters_keep(RowFilters *filters, PageRows *rows)
{
	int			movable = filters->count > 1 ? count_settled(filters) : 0;
	bool		measured = filters->rows >= FIRST_MEASURED_ROWS;
	int			trial;
	RowFilter  *tried;

	if (!measured)
		filters->rows += rows->taken;
	/* In a scan that is repeated, the fractions are known from the start. */
	sort_by_fraction(filters, movable);
	trial = measured ? to_try(filters, movable) : 0;
	tried = filters->order[trial];
	filters->order[trial] = filters->order[0];
	filters->order[0] = tried;
	for (int i = 0; i < filters->count && rows->count > 0; i++)
	{
		int			before = rows->count;

		row_filter_keep(filters->order[i], rows);
		if (i == 0 && measured)
			measure_fraction(filters->order[i], (double) rows->count / before);
	}
}
