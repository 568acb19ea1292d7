/*
 * PostgreSQL's heap access method reads the pages, and determines which rows of them are visible, with its predicate locks,
 * and for synchronized and parallel scans. It returns the first of these rows; heap_pages_next.c gets the others from the
 * list that it has made of them. While a page is examined, the next one can be prefetched: a table that was read from its
 * beginning to its end often lies in consecutive buffers, so if two buffers were consecutive, the next one is guessed.
 *
 * On 15 and 16, the access method looks up each page in the table of shared buffers, which costs several cache misses, and
 * then examines each row, even on a page whose rows are all visible. heap_pages_next.c therefore goes to the next page
 * itself, guessed or looked up, if it is in a buffer and all its rows are visible. The state of the access method is then as
 * if it had read the page. Since 17, a stream reads ahead for the access method, which this would only disturb.
 *
 * The portable form gets one row after the other from the access method, up to the first one of another page. If the
 * direction may change, it gets only one row at a time, as a page of one row.
 */
#include "host/heap_pages.h"

#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "host/host.h"

void
heap_pages_begin(HeapPages *pages, Relation table, Snapshot snapshot, ParallelTableScanDesc shared, bool one_direction)
{
	pages->one_direction = one_direction;
	pages->proved = false;
	pages->tuple.t_tableOid = RelationGetRelid(table);
	pages->scan = shared != NULL ? table_beginscan_parallel_of(table, shared) : table_beginscan_of(table, snapshot);
}

void
heap_pages_store(HeapPages *pages, OffsetNumber row, TupleTableSlot *slot)
{
	ItemId		pointer = PageGetItemId(pages->page, row);

	pages->tuple.t_data = (HeapTupleHeader) PageGetItem(pages->page, pointer);
	pages->tuple.t_len = ItemIdGetLength(pointer);
	ItemPointerSet(&pages->tuple.t_self, pages->block, row);
	ExecStoreBufferHeapTuple(&pages->tuple, slot, pages->buffer);
}

static void
leave_page(HeapPages *pages)
{
	if (pages->ahead != NULL)
	{
		ExecDropSingleTupleTableSlot(pages->first);
		ExecDropSingleTupleTableSlot(pages->ahead);
	}
	pages->first = pages->ahead = NULL;
	pages->page = NULL;
}

void
heap_pages_restart(HeapPages *pages)
{
	leave_page(pages);
	if (pages->scan != NULL)
		table_rescan(pages->scan, NULL);
}

void
heap_pages_end(HeapPages *pages)
{
	leave_page(pages);
	if (pages->scan != NULL)
		table_endscan(pages->scan);
	pages->scan = NULL;
}

/* Make the row in the slot, which has pinned the page, a page of one row. */
void
heap_pages_set_row(HeapPages *pages, const TupleTableSlot *slot)
{
	Assert(TTS_IS_BUFFERTUPLE(slot));
	pages->buffer = ((const BufferHeapTupleTableSlot *) slot)->buffer;
	pages->page = BufferGetPage(pages->buffer);
	pages->block = ItemPointerGetBlockNumber(&slot->tts_tid);
	pages->fetched[0] = ItemPointerGetOffsetNumber(&slot->tts_tid);
	pages->row = pages->fetched;
	pages->count = 1;
	pages->next = NULL;
}

#ifdef FILTER_HOST_PORTABLE

bool
heap_pages_next(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot)
{
	TupleTableSlot *next;

	(void) slot;
	if (pages->ahead == NULL)
	{
		pages->first = table_slot_create(pages->scan->rs_rd, NULL);
		pages->ahead = table_slot_create(pages->scan->rs_rd, NULL);
	}
	if (pages->page == NULL || !pages->one_direction)
		table_scan_getnextslot(pages->scan, direction, pages->ahead);
	if (TTS_EMPTY(pages->ahead))
	{
		pages->page = NULL;
		return false;
	}
	next = pages->ahead;
	pages->ahead = pages->first;
	pages->first = next;
	heap_pages_set_row(pages, next);
	/* The first row of another page ends this one, and begins the next one. */
	while (pages->one_direction && table_scan_getnextslot(pages->scan, direction, pages->ahead) &&
		   ItemPointerGetBlockNumber(&pages->ahead->tts_tid) == pages->block)
		pages->fetched[pages->count++] = ItemPointerGetOffsetNumber(&pages->ahead->tts_tid);
	return true;
}

#endif
