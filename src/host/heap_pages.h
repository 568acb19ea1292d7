/*
 * A scan of a heap, page by page, with all visible rows of each page at a time.
 *
 * PostgreSQL's heap access method turns the pages, and determines which rows of them are visible: with its predicate
 * locks, and for synchronized and parallel scans. It returns the first of these rows; the others are taken from the
 * list that it has made of them (heap_turn.c). The page after it can be prefetched while this one is examined: a
 * table that was read from its beginning to its end often lies in consecutive buffers, so the next buffer is guessed
 * where two buffers were consecutive.
 *
 * On 15 and 16, the access method looks up each page in the table of shared buffers, which costs several cache
 * misses, and then examines each row, even on a page whose rows are all visible. Together that takes a quarter of a
 * filter scan's time. So there the next page, guessed or looked up, is turned to here, if it is in a buffer and all
 * its rows are visible (heap_next.c); the state of the access method is then as if it had turned the page itself.
 * Since 17, a stream reads ahead for it, which that would only disturb.
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
	TupleTableSlot *first;		/* portable: has the first row of the page, and so pins it */
	TupleTableSlot *ahead;		/* portable: the row after those of the page, or nothing */
	Buffer		guess;			/* of the next page; InvalidBuffer if it is not known */
	bool		proved;			/* whether the access method has turned from one page of this scan to the next one */
} HeapPages;

/* Begin to scan a table; the shared state is null unless the scan is parallel. One way: the direction never changes. */
extern void heap_pages_begin(HeapPages *pages, Relation table, Snapshot snapshot, ParallelTableScanDesc shared, bool one_way);

/*
 * Turn to the next page in this direction that has visible rows; false if there is none. The rows of the present page have
 * been examined. The slot, which is of the table's type, is overwritten.
 */
extern bool heap_pages_turn(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot);

/* Store a row of the present page in the slot. */
extern void heap_pages_store(HeapPages *pages, OffsetNumber row, TupleTableSlot *slot);

/* Scan the table again, if the scan has begun. */
extern void heap_pages_restart(HeapPages *pages);

extern void heap_pages_end(HeapPages *pages);

/* For this room: a page of the one row in the slot. */
extern void heap_pages_take_row(HeapPages *pages, const TupleTableSlot *slot);

#endif
