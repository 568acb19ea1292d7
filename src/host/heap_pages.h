/*
 * A scan of a heap, page by page, with all visible rows of each page at a time.
 *
 * PostgreSQL's heap access method turns the pages, and determines which rows of them are visible: with its predicate locks,
 * and for synchronized and parallel scans. But it looks up each page in the table of its shared buffers, which costs several
 * cache misses, and then examines each row, even on a page whose rows are all visible. Together that takes a quarter of a
 * filter scan's time. So the next page is found before the scan turns to it, and can be prefetched: a table that was read
 * from its beginning to its end often lies in consecutive buffers, so the next buffer is guessed where two buffers were
 * consecutive, and otherwise looked up. If it indeed has the next page, the scan turns to that (heap_turn.c), and the state
 * of the access method is then as if it had turned the page itself.
 *
 * The portable form takes one row after the other from the access method, up to the first one of another page. If the
 * direction may change, it takes only one row at a time, as a page of one row.
 */
#ifndef FILTER_HOST_HEAP_PAGES_H
#define FILTER_HOST_HEAP_PAGES_H

#include "postgres.h"

#include "access/tableam.h"
#include "executor/tuptable.h"
#include "storage/bufpage.h"

/* Consecutive pages. */
typedef struct PageRun
{
	BlockNumber first;
	BlockNumber last;
} PageRun;

typedef struct HeapPages
{
	TableScanDesc scan;			/* null before heap_pages_begin and after heap_pages_end */

	/* The present page, which is pinned. */
	Page		page;			/* null before the first one and after the last one */
	Buffer		buffer;
	BlockNumber block;
	int			count;			/* of its visible rows, 1 or more */
	const OffsetNumber *row;	/* their line pointers */

	/* Probably the page after it: not pinned, so only to be prefetched. Null if it is not known. */
	const char *next;

	/* For this room. */
	HeapTupleData tuple;		/* what the slot of heap_pages_store refers to */
	OffsetNumber taken[MaxHeapTuplesPerPage];	/* rows that were taken one by one from the access method */
	bool		one_way;		/* whether the direction never changes */
	const PageRun *runs;		/* or null, if all pages are scanned */
	int			run_count;
	int			run;			/* the present one */
	TupleTableSlot *first;		/* portable: has the first row of the page, and so pins it */
	TupleTableSlot *ahead;		/* portable: the row after those of the page, or nothing */
	Buffer		guess;			/* of the next page; InvalidBuffer if it is not known */
	bool		turned;			/* whether pages have been turned here since the access method last turned one */
} HeapPages;

/* Begin to scan a table; the shared state is null unless the scan is parallel. One way: the direction never changes. */
extern void heap_pages_begin(HeapPages *pages, Relation table, Snapshot snapshot, ParallelTableScanDesc shared, bool one_way);

/*
 * Begin to scan these pages alone, in ascending order, in one direction. There is at least one run; they must outlive the scan,
 * and do not overlap.
 */
extern void heap_pages_begin_runs(HeapPages *pages, Relation table, Snapshot snapshot, const PageRun *runs, int count);

/*
 * Turn to the next page in this direction that has visible rows; false if there is none. The rows of the present page have
 * been examined. The slot, which is of the table's type, is overwritten.
 */
extern bool heap_pages_turn(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot);

/* Store a row of the present page in the slot. */
extern void heap_pages_store(HeapPages *pages, OffsetNumber row, TupleTableSlot *slot);

/* Scan the table, or all runs, again, if the scan has begun. */
extern void heap_pages_restart(HeapPages *pages);

extern void heap_pages_end(HeapPages *pages);

/* For this room: get the next row of the access method's scan. */
extern bool heap_pages_next_row(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot);

/* For this room: a page of the one row in the slot. */
extern void heap_pages_take_row(HeapPages *pages, const TupleTableSlot *slot);

#endif
