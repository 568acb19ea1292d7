/*
 * Rows of one page of a table.
 */
#ifndef FILTER_SCAN_ROWS_H
#define FILTER_SCAN_ROWS_H

#include "postgres.h"

#include "access/htup_details.h"
#include "storage/bufpage.h"

typedef struct PageRows
{
	Page		page;			/* in a buffer that the scan has pinned */
	int			count;
	OffsetNumber row[MaxHeapTuplesPerPage]; /* line pointers, in the order of the scan */
} PageRows;

static inline HeapTupleHeader
page_row(const PageRows *rows, int index)
{
	return (HeapTupleHeader) PageGetItem(rows->page, PageGetItemId(rows->page, rows->row[index]));
}

#endif
