#include "scan/order.h"

/*
 * Another filter goes first, so that its fraction is measured, too: on each of the first pages, until each filter was,
 * and then once in so many pages. (With a trial in 64 pages, a scan took 0.5% longer.)
 */
#define PAGES_PER_TRIAL 256

/* Fractions are not measured before: a scan begins with so few rows at a time that they say little. */
#define FIRST_MEASURED_ROWS 64

/* The weight of a page in the fraction of rows that pass. */
#define PAGE_WEIGHT 0.5

void
page_filters_restart(PageFilters *filters)
{
	for (int i = 0; i < filters->count; i++)
		filters->order[i] = &filters->filter[i];
	filters->movable = 0;
	filters->pages = 0;
	filters->rows = 0;
}

void
page_filters_expect(PageFilters *filters, double rows)
{
	for (int i = 0; i < filters->count; i++)
		filters->filter[i].rows = rows;
}

void
page_filters_init(PageFilters *filters)
{
	filters->order = palloc(sizeof(PageFilter *) * filters->count);
	page_filters_restart(filters);
}

/*
 * The number of filters whose order can be changed: those before the first one that may still raise an error or be
 * expensive to evaluate. A row reaches that one only if it passes those that the planner put before it, and before any
 * that the planner put after it.
 */
static int
settled(const PageFilters *filters)
{
	int			count = 0;

	while (count < filters->count && page_filter_is_settled(&filters->filter[count]))
		count++;
	return count;
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
sort(PageFilters *filters, int count)
{
	for (int i = 1; i < count; i++)
		for (int j = i; j > 0 && filters->order[j]->pass_fraction < filters->order[j - 1]->pass_fraction; j--)
		{
			PageFilter *better = filters->order[j];

			filters->order[j] = filters->order[j - 1];
			filters->order[j - 1] = better;
		}
}

/* The fraction that a filter lets pass is known only of the first one: the others see what that leaves. */
static void
measure(PageFilter *filter, double fraction)
{
	if (filter->pass_fraction > 1.0)
		filter->pass_fraction = fraction;
	else
		filter->pass_fraction += PAGE_WEIGHT * (fraction - filter->pass_fraction);
}

/* The index in the order of a filter whose fraction is not known, or of the one whose turn it is; -1: no trial. */
static int
to_try(PageFilters *filters, int movable)
{
	uint32		page = filters->pages++;

	if (movable < 2)
		return -1;
	for (int i = 0; i < movable; i++)
		if (filters->order[i]->pass_fraction > 1.0)
			return i;
	return page % PAGES_PER_TRIAL == 0 ? (int) (page / PAGES_PER_TRIAL % (uint32) movable) : -1;
}

void
page_filters_keep(PageFilters *filters, ExprContext *econtext, PageRows *rows)
{
	int			movable = filters->count > 1 ? settled(filters) : 0;
	bool		measured = filters->rows >= FIRST_MEASURED_ROWS;
	int			trial;

	if (!measured)
		filters->rows += rows->taken;
	/* In a scan that is repeated, the fractions are known. */
	if (movable > filters->movable)
		sort(filters, movable);
	filters->movable = movable;
	trial = measured ? to_try(filters, movable) : -1;
	if (trial > 0)
		put_first(filters, trial);
	for (int i = 0; i < filters->count && rows->count > 0; i++)
	{
		int			before = rows->count;

		page_filter_keep(filters->order[i], econtext, rows);
		if (i == 0 && measured)
			measure(filters->order[i], (double) rows->count / before);
	}
	if (trial >= 0)
		sort(filters, movable);
}
