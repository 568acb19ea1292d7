/*
 * Rows of one page of a table.
 */
#ifndef FILTER_SCAN_ROWS_H
#define FILTER_SCAN_ROWS_H

#include "postgres.h"

#include "access/htup_details.h"
#include "storage/bufpage.h"

#include "core/arithmetic.h"
#include "core/placement.h"

typedef struct PageRows
{
	Page		page;			/* in a buffer that the scan has pinned */
	int			count;
	OffsetNumber row[MaxHeapTuplesPerPage]; /* line pointers, in the order of the scan */
} PageRows;

/*
 * Begin to load the rows into the cache. For a page that is all visible, nothing has read them yet: they would be waited
 * for one by one.
 */
static inline void
page_rows_prefetch(const PageRows *rows)
{
	char	   *end = (char *) rows->page + BLCKSZ;

	for (char *line = (char *) rows->page + ((PageHeader) rows->page)->pd_upper; line < end; line += FILTER_CACHE_LINE_BYTES)
		filter_prefetch(line);
}

static inline HeapTupleHeader
page_row(const PageRows *rows, int index)
{
	return (HeapTupleHeader) PageGetItem(rows->page, PageGetItemId(rows->page, rows->row[index]));
}

#endif
