/*
 * A scan of a heap, page by page, with all visible rows of each page at a time.
 */
#ifndef FILTER_HOST_HEAP_PAGES_H
#define FILTER_HOST_HEAP_PAGES_H

#include "postgres.h"

#include "access/tableam.h"
#include "executor/tuptable.h"
#include "storage/bufpage.h"

typedef struct HeapPages
{
	TableScanDesc scan;			/* null before heap_pages_begin and after heap_pages_end */

	/* The present page, which is pinned. */
	Page		page;			/* null before the first one and after the last one */
	Buffer		buffer;
	BlockNumber block;
	int			count;			/* the number of visible rows, 1 or more */
	const OffsetNumber *row;	/* their line pointers */

	/* Probably the next page. It is not pinned, so it may only be prefetched. Null if it is not known. */
	const char *next;

	/* Only host/ uses the following fields. */
	HeapTupleData tuple;		/* what the slot of heap_pages_store refers to */
	OffsetNumber fetched[MaxHeapTuplesPerPage];	/* rows that were fetched one by one from the access method */
	bool		one_direction;	/* whether the direction never changes */
	TupleTableSlot *first;		/* portable: holds the first row of the page, and thereby pins it */
	TupleTableSlot *ahead;		/* portable: the row after those of the page, or nothing */
	Buffer		guess;			/* of the next page; InvalidBuffer if it is not known */
	bool		proved;			/* whether the access method has gone from one page of this scan to the next one */
} HeapPages;

/* Begin to scan a table; the shared state is null unless the scan is parallel. one_direction: the direction never changes. */
extern void heap_pages_begin(HeapPages *pages, Relation table, Snapshot snapshot, ParallelTableScanDesc shared, bool one_direction);

/*
 * Go to the next page in this direction that has visible rows; false if there is none. The caller has examined the rows of
 * the present page. The slot, which is of the table's type, is overwritten.
 */
extern bool heap_pages_next(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot);

/* Store a row of the present page in the slot. */
extern void heap_pages_store(HeapPages *pages, OffsetNumber row, TupleTableSlot *slot);

/* Scan the table again, if the scan has begun. */
extern void heap_pages_restart(HeapPages *pages);

extern void heap_pages_end(HeapPages *pages);

/* Only host/ calls this: make the row in the slot a page of one row. */
extern void heap_pages_set_row(HeapPages *pages, const TupleTableSlot *slot);

#endif
