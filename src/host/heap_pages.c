#include "host/heap_pages.h"

#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "host/host.h"

void
heap_pages_begin(HeapPages *pages, Relation table, Snapshot snapshot, ParallelTableScanDesc shared, bool one_way)
{
	pages->one_way = one_way;
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

/* The slot has pinned the page. */
void
heap_pages_take_row(HeapPages *pages, const TupleTableSlot *slot)
{
	Assert(TTS_IS_BUFFERTUPLE(slot));
	pages->buffer = ((const BufferHeapTupleTableSlot *) slot)->buffer;
	pages->page = BufferGetPage(pages->buffer);
	pages->block = ItemPointerGetBlockNumber(&slot->tts_tid);
	pages->taken[0] = ItemPointerGetOffsetNumber(&slot->tts_tid);
	pages->row = pages->taken;
	pages->count = 1;
	pages->next = NULL;
}

#ifdef FILTER_HOST_PORTABLE

static inline Buffer
buffer_of(const TupleTableSlot *slot)
{
	return ((const BufferHeapTupleTableSlot *) slot)->buffer;
}

bool
heap_pages_turn(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot)
{
	TupleTableSlot *next;

	(void) slot;
	if (pages->ahead == NULL)
	{
		pages->first = table_slot_create(pages->scan->rs_rd, NULL);
		pages->ahead = table_slot_create(pages->scan->rs_rd, NULL);
	}
	if (pages->page == NULL || !pages->one_way)
		table_scan_getnextslot(pages->scan, direction, pages->ahead);
	if (TTS_EMPTY(pages->ahead))
	{
		pages->page = NULL;
		return false;
	}
	next = pages->ahead;
	pages->ahead = pages->first;
	pages->first = next;
	heap_pages_take_row(pages, next);
	/* The first row of another page ends this one, and begins the next one. */
	while (pages->one_way && table_scan_getnextslot(pages->scan, direction, pages->ahead) &&
		   buffer_of(pages->ahead) == pages->buffer)
		pages->taken[pages->count++] = ItemPointerGetOffsetNumber(&pages->ahead->tts_tid);
	return true;
}

#endif
