/*
 * The filters of a scan are tried in an order that is learned: those that reject most of the rows that reach them come first.
 * The planner's order is only the first one: its estimates of what filters reject are rough, and several filters may reject
 * the same row. A filter only sees what the earlier ones leave. If two filters reject the same rows, the second one rejects
 * nothing, and stays behind.
 */
#include "scan_executor/row_filter.h"

#include "utils/memutils.h"

#include "compat.h"

/*
 * The weight that the rows of earlier pages keep on each page, in the fraction that a filter rejects. With about a hundred
 * pages that count, a few rows do not change the order, and another part of the table does.
 */
#define EARLIER_WEIGHT 0.99

RowFilter *
row_filter_create(Size size)
{
	RowFilter  *filter = palloc0(size);

	filter->key_context = AllocSetContextCreate(CurrentMemoryContext, "keys of a filter scan", ALLOCSET_DEFAULT_SIZES);
	return filter;
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
}

/* Remove the rows that one filter rejects. */
static void
row_filter_keep(RowFilter *filter, PageRows *rows)
{
	uint64		hashes[MaxHeapTuplesPerPage];
	uint32		contained[MaxHeapTuplesPerPage];
	int			before = rows->count;
	int			count = 0;
	MemoryContext caller = MemoryContextSwitchTo(filter->key_context);

	if (!filter->hash(filter, rows, hashes))
	{
		MemoryContextSwitchTo(caller);
		filter->counts->bypassed += before;
		return;
	}
	next_page_prefetch(&rows->next);
	if (rows->count > 0)
		count = filter->contained(filter, rows, hashes, contained);
	MemoryContextSwitchTo(caller);
	for (int i = 0; i < count; i++)
		rows->row[i] = rows->row[contained[i]];
	rows->count = count;
	next_page_prefetch(&rows->next);
	filter->counts->probed += before;
	filter->counts->rejected += before - count;
	filter->seen = EARLIER_WEIGHT * filter->seen + before;
	filter->rejected = EARLIER_WEIGHT * filter->rejected + (before - count);
}

/*
 * Sort the filters by the fraction of rows that they reject, but only those before the first one that may still raise an error
 * or be expensive to evaluate. A row reaches that one only if it passes those that the planner put before it, and before any
 * that the planner put after it. In a scan that is repeated, the fractions are known from the start.
 */
static void
row_filters_sort(RowFilters *filters)
{
	for (int i = 0; i < filters->count && filters->order[i]->settled; i++)
		for (int j = i; j > 0; j--)
		{
			RowFilter  *filter = filters->order[j];
			RowFilter  *before = filters->order[j - 1];

			if (filter->rejected * before->seen <= before->rejected * filter->seen)
				break;
			filters->order[j - 1] = filter;
			filters->order[j] = before;
		}
}

void
row_filters_keep(RowFilters *filters, PageRows *rows)
{
	row_filters_sort(filters);
	for (int i = 0; i < filters->count && rows->count > 0; i++)
		row_filter_keep(filters->order[i], rows);
}
