/*
 * Turning the pages of a heap by its access method, and taking all visible rows of each from its state: see heap_pages.h.
 *
 * The state is compared with the row that the access method returns, which needs no knowledge of it. From rs_nblocks,
 * rs_startblock and phs_startblock, only an error can follow here.
 */
#include "host/host.h"

#ifndef FILTER_HOST_PORTABLE

#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "host/heap_turn.h"

void
heap_state_differs(HeapScanDesc heap, BlockNumber block)
{
	ereport(ERROR,
			errcode(ERRCODE_INTERNAL_ERROR),
			errmsg_internal("the state of a scan of table \"%s\" does not belong to page %u",
							RelationGetRelationName(heap->rs_base.rs_rd), block),
			errhint("This library does not know this release of PostgreSQL. Build it with HOST=portable."));
}

/*
 * The neighbour of this buffer, if this one is the neighbour of that of the last page: upwards, or downwards, in which
 * order the buffers of a table that was dropped are used again. Local buffers have negative numbers.
 */
static Buffer
heap_turn_guess(Buffer last, Buffer buffer)
{
	int			step = buffer - last;

	if ((step != 1 && step != -1) || last <= 0 || buffer <= 0 || buffer + step <= 0 || buffer + step > NBuffers)
		return InvalidBuffer;
	return buffer + step;
}

/*
 * Take the page to which the access method's state refers, and find the one after it: if the scan is backwards, by a
 * guess.
 */
static void
take_page(HeapPages *pages, bool forward)
{
	HeapScanDesc heap = heap_scan(pages);

	pages->guess = heap_turn_guess(pages->buffer, heap->rs_cbuf);
	if (pages->guess == InvalidBuffer && forward)
		pages->guess = heap_next_find(pages);
	pages->buffer = heap->rs_cbuf;
	pages->block = heap->rs_cblock;
	pages->page = BufferGetPage(heap->rs_cbuf);
	pages->count = (int) heap->rs_ntuples;
	pages->row = heap->rs_vistuples;
	pages->next = pages->guess == InvalidBuffer ? NULL : (const char *) BufferGetPage(pages->guess);
}

/* The number of blocks before this one in the order of the scan. */
static inline BlockNumber
blocks_before(HeapScanDesc heap, BlockNumber block)
{
	ParallelBlockTableScanDesc shared = (ParallelBlockTableScanDesc) heap->rs_base.rs_parallel;
	BlockNumber start = shared != NULL ? shared->phs_startblock : heap->rs_startblock;

	return block >= start ? block - start : block + (heap->rs_nblocks - start);
}

/*
 * Whether the access method has turned from the present page to one that it had not passed. If not, it does not go on
 * there.
 */
static inline bool
has_advanced(const HeapPages *pages, BlockNumber block, bool forward)
{
	BlockNumber last,
				present;

	if (pages->page == NULL)
		return true;
	last = blocks_before(heap_scan(pages), pages->block);
	present = blocks_before(heap_scan(pages), block);
	return forward ? present > last : present < last;
}

/* Whether the access method's state is that of the page of this row, with a list of rows that begins with it. */
static inline bool
is_first_row(HeapScanDesc heap, const TupleTableSlot *slot, bool forward)
{
	int			count = (int) heap->rs_ntuples;
	int			first = forward ? 0 : count - 1;

	return count > 0 && count <= MaxHeapTuplesPerPage && (int) heap->rs_cindex == first &&
		heap->rs_vistuples[first] == ItemPointerGetOffsetNumber(&slot->tts_tid) &&
		heap->rs_cblock == ItemPointerGetBlockNumber(&slot->tts_tid) &&
		heap->rs_cbuf == ((const BufferHeapTupleTableSlot *) slot)->buffer;
}

/*
 * If the list were not all of its rows, the access method would have the others, and not turn to the next page. So
 * pages are turned without it only after it has done that.
 */
static void
check_state(HeapPages *pages, const TupleTableSlot *slot, bool forward)
{
	BlockNumber block = ItemPointerGetBlockNumber(&slot->tts_tid);

	pages->proved |= pages->page != NULL;
	if (unlikely(!is_first_row(heap_scan(pages), slot, forward) || !has_advanced(pages, block, forward)))
		heap_state_differs(heap_scan(pages), block);
}

bool
heap_pages_turn(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot)
{
	HeapScanDesc heap = heap_scan(pages);
	bool		forward = ScanDirectionIsForward(direction);

	if (pages->page != NULL && forward && pages->proved)
		while (heap_next_turn(pages))
		{
			take_page(pages, true);
			if (pages->count == 0)
				continue;
			ExecClearTuple(slot);
			/* Indexes and heaps count rows in the same field. */
			pgstat_count_index_tuples(heap->rs_base.rs_rd, pages->count);
			return true;
		}
	/* All rows of this page have been examined: the access method is to turn it. */
	if (pages->page != NULL && lists_rows(heap))
		heap->rs_cindex = forward ? heap->rs_ntuples - 1 : 0;
	if (!table_scan_getnextslot(pages->scan, direction, slot))
	{
		pages->page = NULL;
		return false;
	}
	if (lists_rows(heap))
	{
		check_state(pages, slot, forward);
		take_page(pages, forward);
	}
	else
		heap_pages_take_row(pages, slot);
	/* The access method has counted one of them. */
	pgstat_count_index_tuples(heap->rs_base.rs_rd, pages->count - 1);
	return true;
}

#endif
