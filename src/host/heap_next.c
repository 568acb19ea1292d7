/*
 * Turning to the next page of a heap without its access method, on 15 and 16: see heap_pages.h.
 *
 * ReadRecentBuffer makes sure that a buffer has the block that is wanted. When the access method turns a page again,
 * heap_turn.c makes sure that it goes on after that block. So the state that is read here decides only whether there
 * is a next block in this scan; and what this process has taken of a parallel scan is compared with what the access
 * method's own function gives. How pages are examined, and which pins and counts that needs, is as in heapgetpage and
 * ReadBufferExtended of these versions, which only get corrections.
 */
#include "host/host.h"

#ifdef HOST_TURNS_PAGES

#include "access/syncscan.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "host/heap_turn.h"

/* The shared buffer of a block; InvalidBuffer if there is none. Not pinned, so it may have another block at any time. */
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
 * Whether the next block of a parallel scan is one that this process has already taken. The last ones of a scan are left to
 * the access method.
 */
static bool
has_taken_next(HeapScanDesc heap)
{
	ParallelBlockTableScanWorker worker = heap->rs_parallelworkerdata;
	uint64		blocks = ((ParallelBlockTableScanDesc) heap->rs_base.rs_parallel)->phs_nblocks;

	return worker->phsw_chunk_remaining > 0 && worker->phsw_nallocated + 1 < blocks;
}

/*
 * The block after the current one; InvalidBlockNumber if the scan ends or continues elsewhere, or if another block may be
 * its next one.
 */
static BlockNumber
next_block(HeapScanDesc heap)
{
	BlockNumber block = heap->rs_cblock + 1;

	if (block >= heap->rs_nblocks)
		return InvalidBlockNumber;
	if (heap->rs_base.rs_parallel != NULL)
		return has_taken_next(heap) ? block : InvalidBlockNumber;
	/*
	 * A scan of some pages is the access method's, since minor releases differ in how they count those that are left.
	 * (Taking the pages that were turned here off that number made scans end early in 15.20, and late.)
	 */
	return block == heap->rs_startblock || heap->rs_numblocks != InvalidBlockNumber ? InvalidBlockNumber : block;
}

/* Only what can be turned to is worth looking up: otherwise the access method looks it up again. */
Buffer
heap_next_find(const HeapPages *pages)
{
	HeapScanDesc heap = heap_scan(pages);
	BlockNumber block = next_block(heap);

	if (block == InvalidBlockNumber || !lists_rows(heap) || RelationUsesLocalBuffers(heap->rs_base.rs_rd))
		return InvalidBuffer;
	return find_buffer(heap->rs_base.rs_rd, block);
}

/* Turn to the block that next_block has returned. */
static void
turn_block(HeapScanDesc heap, BlockNumber block)
{
	TableScanDesc scan = &heap->rs_base;
	BlockNumber taken = block;

	if (scan->rs_parallel != NULL)
		taken = table_block_parallelscan_nextpage(scan->rs_rd, heap->rs_parallelworkerdata,
												  (ParallelBlockTableScanDesc) scan->rs_parallel);
	else if (scan->rs_flags & SO_ALLOW_SYNC)
		ss_report_location(scan->rs_rd, block);
	if (unlikely(taken != block))
		heap_state_differs(heap, block);
	heap->rs_cblock = block;
}

/*
 * Whether a buffer is pinned by ReadRecentBuffer as by an ordinary read. ReadRecentBuffer does not count the use of a
 * buffer. So a buffer that a read would count as used is left to a read. It is not locked: a wrong answer only costs
 * time.
 */
static bool
is_counted_as_used(Buffer buffer, BufferAccessStrategy strategy)
{
	int			uses = (int) BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u32(&GetBufferDescriptor(buffer - 1)->state));

	return uses >= (strategy != NULL ? 1 : BM_MAX_USAGE_COUNT);
}

/*
 * Whether all rows of a pinned page may be returned to the scan without a test of each. See heapgetpage. Before the buffer is
 * locked, this is a guess, too.
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
		/* Without a branch, or a count in memory: a page has up to 290 rows. (A scan took 0.9 of the time.) */
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
heap_next_pin(HeapScanDesc heap, BlockNumber block, Buffer buffer)
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

bool
heap_next_turn(HeapPages *pages)
{
	HeapScanDesc heap = heap_scan(pages);
	BlockNumber block = next_block(heap);

	CHECK_FOR_INTERRUPTS();
	if (!heap_next_pin(heap, block, pages->guess))
		return false;
	turn_block(heap, block);
	/* The scan has one pin, of its current buffer: that of the page that was taken last. */
	ReleaseBuffer(heap->rs_cbuf);
	heap->rs_cbuf = pages->guess;
	count_buffer_hit(heap->rs_base.rs_rd, heap->rs_strategy);
	return true;
}

#endif
