#include "scan/order.h"

/* Once in so many pages, another filter goes first, so that its fraction is measured, too. */
#define PAGES_PER_TRIAL 16

/* The weight of a page in the fraction of rows that pass. */
#define PAGE_WEIGHT 0.25

void
page_filters_init(PageFilters *filters)
{
	filters->order = palloc(sizeof(PageFilter *) * filters->count);
	for (int i = 0; i < filters->count; i++)
		filters->order[i] = &filters->filter[i];
	filters->pages = 0;
}

static void
put_first(PageFilters *filters, int index)
{
	PageFilter *first = filters->order[index];

	for (; index > 0; index--)
		filters->order[index] = filters->order[index - 1];
	filters->order[0] = first;
}

static void
sort(PageFilters *filters)
{
	for (int i = 1; i < filters->count; i++)
		for (int j = i; j > 0 && filters->order[j]->pass_fraction < filters->order[j - 1]->pass_fraction; j--)
		{
			PageFilter *better = filters->order[j];

			filters->order[j] = filters->order[j - 1];
			filters->order[j - 1] = better;
		}
}

/*
 * A filter that no row has reached is not put first: to evaluate it may mean to build it, and no row may ever reach it.
 */
static bool
begin_trial(PageFilters *filters)
{
	int			index = (int) (filters->pages / PAGES_PER_TRIAL % (uint32) filters->count);

	if (filters->count < 2 || filters->pages++ % PAGES_PER_TRIAL != 0 || !filters->order[index]->evaluated)
		return false;
	put_first(filters, index);
	return true;
}

bool
page_filters_keep(PageFilters *filters, ExprContext *econtext, PageRows *rows)
{
	bool		is_trial = begin_trial(filters);

	for (int i = 0; i < filters->count && rows->count > 0; i++)
	{
		PageFilter *filter = filters->order[i];
		int			before = rows->count;

		if (!page_filter_keep(filter, econtext, rows))
			return false;
		if (i == 0)
			filter->pass_fraction += PAGE_WEIGHT * ((double) rows->count / before - filter->pass_fraction);
	}
	if (is_trial)
		sort(filters);
	return true;
}
