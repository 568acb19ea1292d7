/*
 * The filters of a scan, in the order in which they are tried: those that reject most rows first.
 *
 * The order is learned. The planner's order is only where it begins: its estimates of what filters reject are rough,
 * and the same row may be rejected by several of them.
 */
#ifndef FILTER_SCAN_ORDER_H
#define FILTER_SCAN_ORDER_H

#include "scan/probe_page.h"

typedef struct PageFilters
{
	int			count;
	PageFilter *filter;			/* in the planner's order */
	PageFilter **order;
	int			movable;		/* how many of the first ones could be put in another order on the last page */
	uint32		pages;
	uint32		rows;			/* that this scan has had, up to FIRST_MEASURED_ROWS or a little more; 0: it begins */
} PageFilters;

/* Initialize the order of filters that have been initialized. */
extern void page_filters_init(PageFilters *filters);

/* Begin again with the planner's order, before another scan; what was measured remains. */
extern void page_filters_restart(PageFilters *filters);

/* At the start of a scan: the number of rows that this process will scan, about, unless the scan ends early. */
extern void page_filters_expect(PageFilters *filters, double rows);

/* page_filter_keep, of all filters. */
extern void page_filters_keep(PageFilters *filters, ExprContext *econtext, PageRows *rows);

#endif
