#include "host/heap_pages.h"

#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "host/host.h"

void
heap_pages_begin(HeapPages *pages, Relation table, Snapshot snapshot, ParallelTableScanDesc shared)
{
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

void
heap_pages_restart(HeapPages *pages)
{
	if (pages->scan != NULL)
		table_rescan(pages->scan, NULL);
	pages->page = NULL;
	pages->turned = false;
}

void
heap_pages_end(HeapPages *pages)
{
	if (pages->scan != NULL)
		table_endscan(pages->scan);
	pages->scan = NULL;
	pages->page = NULL;
	pages->turned = false;
}

/* The slot has pinned the page. */
void
heap_pages_take_row(HeapPages *pages, const TupleTableSlot *slot)
{
	Assert(TTS_IS_BUFFERTUPLE(slot));
	pages->buffer = ((const BufferHeapTupleTableSlot *) slot)->buffer;
	pages->page = BufferGetPage(pages->buffer);
	pages->block = ItemPointerGetBlockNumber(&slot->tts_tid);
	pages->only_row = ItemPointerGetOffsetNumber(&slot->tts_tid);
	pages->row = &pages->only_row;
	pages->count = 1;
	pages->next = NULL;
}

#ifdef FILTER_HOST_PORTABLE

bool
heap_pages_turn(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot)
{
	pages->page = NULL;
	if (!table_scan_getnextslot(pages->scan, direction, slot))
		return false;
	heap_pages_take_row(pages, slot);
	return true;
}

#endif
