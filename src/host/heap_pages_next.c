/*
 * The next page of a heap is read, with all visible rows in it, by the state of the access method: see heap_pages.h.
 *
 * This state is compared with the row that the access method returns, which needs no knowledge of it. A wrong rs_nblocks,
 * rs_startblock or phs_startblock can only lead to an error here.
 */
#include "host/heap_pages.h"

#include "host/host.h"

#ifndef FILTER_HOST_PORTABLE

#include "access/heapam.h"
#include "access/relscan.h"
#ifdef HOST_READS_PAGES
#include "access/syncscan.h"
#include "miscadmin.h"
#include "storage/buf_internals.h"
#include "storage/predicate.h"
#include "utils/snapmgr.h"
#endif
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"

static inline HeapScanDesc
heap_scan(const HeapPages *pages)
{
	return (HeapScanDesc) pages->scan;
}

/* Whether the access method lists the rows of pages. For snapshots other than those of queries, it examines row by row. */
static inline bool
lists_rows(HeapScanDesc heap)
{
	return (heap->rs_base.rs_flags & SO_ALLOW_PAGEMODE) != 0;
}

/* Raise an error: the state of the scan does not mean what this code takes it to mean, so rows would be lost or come twice. */
pg_noreturn static void
heap_state_differs(HeapScanDesc heap, BlockNumber block)
{
	ereport(ERROR,
			errcode(ERRCODE_INTERNAL_ERROR),
			errmsg_internal("the state of a scan of table \"%s\" does not belong to page %u",
							RelationGetRelationName(heap->rs_base.rs_rd), block),
			errhint("This library does not know this release of PostgreSQL. Build it with HOST=portable."));
}

#ifdef HOST_READS_PAGES

/*
 * Reading the next page without the access method.
 *
 * ReadRecentBuffer makes sure that a buffer has the block that is wanted. When the access method reads a page again,
 * check_state makes sure that it goes on after that block. The state that is read here therefore decides only whether there is
 * a next block in this scan. The blocks that this process has allocated of a parallel scan are compared with the result of the
 * access method's own function. Pages are examined, pinned and counted as in heapgetpage and ReadBufferExtended of these
 * versions, which only get corrections.
 */

/* The shared buffer of a block; InvalidBuffer if there is none. It is not pinned, so it may have another block at any time. */
static Buffer
find_buffer(Relation table, BlockNumber block)
{
	BufferTag	tag;
	uint32		hash;
	int			found;

	init_buffer_tag(&tag, relation_locator(table), MAIN_FORKNUM, block);
	hash = BufTableHashCode(&tag);
	LWLockAcquire(BufMappingPartitionLock(hash), LW_SHARED);
	found = BufTableLookup(&tag, hash);
	LWLockRelease(BufMappingPartitionLock(hash));
	return found < 0 ? InvalidBuffer : (Buffer) (found + 1);
}

/*
 * Whether this process has already allocated the next block of a parallel scan. The last blocks of a scan are left to the access
 * method.
 */
static bool
has_allocated_next(HeapScanDesc heap)
{
	ParallelBlockTableScanWorker worker = heap->rs_parallelworkerdata;
	uint64		blocks = ((ParallelBlockTableScanDesc) heap->rs_base.rs_parallel)->phs_nblocks;

	return worker->phsw_chunk_remaining > 0 && worker->phsw_nallocated + 1 < blocks;
}

/*
 * The block after the current one; InvalidBlockNumber if the scan ends or continues elsewhere, or if another block may come
 * next.
 */
static BlockNumber
next_block(HeapScanDesc heap)
{
	BlockNumber block = heap->rs_cblock + 1;

	if (block >= heap->rs_nblocks)
		return InvalidBlockNumber;
	if (heap->rs_base.rs_parallel != NULL)
		return has_allocated_next(heap) ? block : InvalidBlockNumber;
	/*
	 * A scan of some pages is left to the access method, since minor releases differ in how they count the pages that are
	 * left. Counting them here, too, ended such scans too early in 15.20, or too late.
	 */
	return block == heap->rs_startblock || heap->rs_numblocks != InvalidBlockNumber ? InvalidBlockNumber : block;
}

/*
 * The shared buffer of the page after the scan's present one; InvalidBuffer if there is none, or if the access method must
 * look it up.
 */
static Buffer
heap_next_find(const HeapPages *pages)
{
	HeapScanDesc heap = heap_scan(pages);
	BlockNumber block = next_block(heap);

	if (block == InvalidBlockNumber || !lists_rows(heap) || RelationUsesLocalBuffers(heap->rs_base.rs_rd))
		return InvalidBuffer;
	return find_buffer(heap->rs_base.rs_rd, block);
}

/* Switch to the block that next_block returned. */
static void
switch_block(HeapScanDesc heap, BlockNumber block)
{
	TableScanDesc scan = &heap->rs_base;
	BlockNumber allocated = block;

	if (scan->rs_parallel != NULL)
		allocated = table_block_parallelscan_nextpage(scan->rs_rd, heap->rs_parallelworkerdata,
													  (ParallelBlockTableScanDesc) scan->rs_parallel);
	else if (scan->rs_flags & SO_ALLOW_SYNC)
		ss_report_location(scan->rs_rd, block);
	if (unlikely(allocated != block))
		heap_state_differs(heap, block);
	heap->rs_cblock = block;
}

/*
 * Whether ReadRecentBuffer has the same effect on a buffer as an ordinary read. It does not count the use of a buffer, so a
 * buffer that a read would count as used is left to a read. The buffer is not locked: a wrong answer only costs time.
 */
static bool
is_counted_as_used(Buffer buffer, BufferAccessStrategy strategy)
{
	int			uses = (int) BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u32(&GetBufferDescriptor(buffer - 1)->state));

	return uses >= (strategy != NULL ? 1 : BM_MAX_USAGE_COUNT);
}

/*
 * Whether all rows of a pinned page may be returned to the scan without a test of each. See heapgetpage. Before the buffer is
 * locked, the answer is a guess.
 */
static bool
all_rows_are_visible(HeapScanDesc heap, Buffer buffer)
{
	Snapshot	snapshot = heap->rs_base.rs_snapshot;

	return PageIsAllVisible(BufferGetPage(buffer)) && !snapshot->takenDuringRecovery &&
		!CheckForSerializableConflictOutNeeded(heap->rs_base.rs_rd, snapshot);
}

/* List the rows of a pinned page for the scan if all are visible; false, and no change, if some may not be. */
static bool
list_all_rows(HeapScanDesc heap, Buffer buffer)
{
	bool		visible;

	heap_page_prune_opt(heap->rs_base.rs_rd, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	visible = all_rows_are_visible(heap, buffer);
	if (visible)
	{
		Page		page = BufferGetPage(buffer);
		OffsetNumber last = PageGetMaxOffsetNumber(page);
		OffsetNumber *rows = heap->rs_vistuples;
		int			count = 0;

		TestForOldSnapshot(heap->rs_base.rs_snapshot, heap->rs_base.rs_rd, page);
		/* The loop has no branch, and no count in memory, since a page has up to 290 rows. */
		for (OffsetNumber row = FirstOffsetNumber; row <= last; row++)
		{
			rows[count] = row;
			count += ItemIdIsNormal(PageGetItemId(page, row));
		}
		heap->rs_ntuples = count;
	}
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return visible;
}

/* Pin the buffer if it has the block, and list the rows of its page. */
static bool
pin_next(HeapScanDesc heap, BlockNumber block, Buffer buffer)
{
	if (buffer == InvalidBuffer || block == InvalidBlockNumber || !lists_rows(heap) ||
		!is_counted_as_used(buffer, heap->rs_strategy) ||
		!ReadRecentBuffer(relation_locator(heap->rs_base.rs_rd), MAIN_FORKNUM, block, buffer))
		return false;
	if (all_rows_are_visible(heap, buffer) && list_all_rows(heap, buffer))
		return true;
	ReleaseBuffer(buffer);
	return false;
}

/*
 * Switch to the page that was found, with the list of its visible rows, which may be empty; false, and no change, if it is not
 * the next one, or the access method has to examine it.
 */
static bool
heap_next_switch(HeapPages *pages)
{
	HeapScanDesc heap = heap_scan(pages);
	BlockNumber block = next_block(heap);

	CHECK_FOR_INTERRUPTS();
	if (!pin_next(heap, block, pages->guess))
		return false;
	switch_block(heap, block);
	/* The scan has one pin, of its current buffer, whose page was loaded last. */
	ReleaseBuffer(heap->rs_cbuf);
	heap->rs_cbuf = pages->guess;
	count_buffer_hit(heap->rs_base.rs_rd, heap->rs_strategy);
	return true;
}

#else
#define heap_next_find(pages) ((void) (pages), InvalidBuffer)
#define heap_next_switch(pages) ((void) (pages), false)
#endif

/*
 * If two successive pages are in neighbouring buffers, guess that the next page is in the next neighbour. The order is upward,
 * or downward if the buffers of a dropped table are used again. Local buffers have negative numbers.
 */
static Buffer
guess_next(Buffer last, Buffer buffer)
{
	int			step = buffer - last;

	if ((step != 1 && step != -1) || last <= 0 || buffer <= 0 || buffer + step <= 0 || buffer + step > NBuffers)
		return InvalidBuffer;
	return buffer + step;
}

/* Load the page to which the access method's state refers, and find the next one; a backward scan only guesses it. */
static void
load_page(HeapPages *pages, bool forward)
{
	HeapScanDesc heap = heap_scan(pages);

	pages->guess = guess_next(pages->buffer, heap->rs_cbuf);
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
 * Whether the access method has gone from the present page to one that it had not passed. If not, it does not go on from
 * this page.
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

/* Whether the access method's state is for the page of this row, with a list of rows that begins with it. */
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
 * If the list lacked rows of the page, the access method would return them, and not go to the next page. Pages are therefore
 * read without it only after it has done so.
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
heap_pages_next(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot)
{
	HeapScanDesc heap = heap_scan(pages);
	bool		forward = ScanDirectionIsForward(direction);

	if (pages->page != NULL && forward && pages->proved)
		while (heap_next_switch(pages))
		{
			load_page(pages, true);
			if (pages->count == 0)
				continue;
			ExecClearTuple(slot);
			/* Indexes and heaps count rows in the same field. */
			pgstat_count_index_tuples(heap->rs_base.rs_rd, pages->count);
			return true;
		}
	/* All rows of this page have been examined, so let the access method go on. */
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
		load_page(pages, forward);
	}
	else
		heap_pages_set_row(pages, slot);
	/* The access method has counted the first row. */
	pgstat_count_index_tuples(heap->rs_base.rs_rd, pages->count - 1);
	return true;
}

#endif
