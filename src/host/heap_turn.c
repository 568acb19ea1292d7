/*
 * Turning the pages of a heap with the state of its access method: see heap_pages.h.
 */
#include "host/host.h"

#ifndef FILTER_HOST_PORTABLE

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/syncscan.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "host/heap_pages.h"

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

/*
 * Finding the next page.
 */

/*
 * The neighbour of this buffer, if this one is the neighbour of that of the last page: upwards, or downwards, in which
 * order the buffers of a table that was dropped are used again. Local buffers have negative numbers.
 */
static Buffer
guess(Buffer last, Buffer buffer)
{
	int			step = buffer - last;

	if ((step != 1 && step != -1) || last <= 0 || buffer <= 0 || buffer + step <= 0 || buffer + step > NBuffers)
		return InvalidBuffer;
	return buffer + step;
}

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
 * The block after the current one; InvalidBlockNumber if the scan ends or continues elsewhere, or if another block may be
 * its next one.
 */
static BlockNumber
next_block(HeapScanDesc heap)
{
	BlockNumber block = heap->rs_cblock + 1;

	if (block >= heap->rs_nblocks || block == heap->rs_startblock)
		return InvalidBlockNumber;
	/*
	 * A scan of some pages is the access method's, since minor releases differ in how they count those that are left. (Taking
	 * the pages that were turned here off that number made scans end early in 15.20, and late.)
	 */
	if (heap->rs_numblocks != InvalidBlockNumber)
		return InvalidBlockNumber;
	/*
	 * A table that is large beside shared_buffers is read through a ring, in which a stream has pages that it has just read.
	 * To take one of them would make it begin anew, with short reads. (They were an eighth as long.)
	 */
	if (HOST_HEAP_READS_AHEAD && heap->rs_strategy != NULL)
		return InvalidBlockNumber;
	if (heap->rs_base.rs_parallel != NULL)
	{
		ParallelBlockTableScanWorker worker = heap->rs_parallelworkerdata;
		uint64		blocks = ((ParallelBlockTableScanDesc) heap->rs_base.rs_parallel)->phs_nblocks;

		/* Since 17, a stream has already taken blocks of this process, which must be read from it. */
		if (HOST_HEAP_READS_AHEAD || worker->phsw_chunk_remaining == 0 || worker->phsw_nallocated + 1 >= blocks)
			return InvalidBlockNumber;
	}
	return block;
}

/* Only what can be turned to is worth looking up: otherwise the access method looks it up again. */
static Buffer
look_up(const HeapPages *pages)
{
	HeapScanDesc heap = heap_scan(pages);
	BlockNumber block = next_block(heap);

	if (block == InvalidBlockNumber || !lists_rows(heap) || RelationUsesLocalBuffers(heap->rs_base.rs_rd))
		return InvalidBuffer;
	return find_buffer(heap->rs_base.rs_rd, block);
}

/*
 * Turning to it.
 */

/* Turn to the block that next_block has returned. */
static void
turn_block(HeapScanDesc heap, BlockNumber block)
{
	TableScanDesc scan = &heap->rs_base;

	if (scan->rs_parallel != NULL)
		block = table_block_parallelscan_nextpage(scan->rs_rd, heap->rs_parallelworkerdata,
												  (ParallelBlockTableScanDesc) scan->rs_parallel);
	else if (scan->rs_flags & SO_ALLOW_SYNC)
		ss_report_location(scan->rs_rd, block);
	Assert(block == heap->rs_cblock + 1);
	heap->rs_cblock = block;
}

/*
 * Whether a buffer is pinned by ReadRecentBuffer as by an ordinary read. Until 17, ReadRecentBuffer does not count the
 * use of a buffer, and since 18 it counts it even for a scan of a large table, which should not displace others. So a
 * buffer that a read would count as used is left to a read. It is not locked: a wrong answer only costs time.
 */
static bool
is_counted_as_used(Buffer buffer, BufferAccessStrategy strategy)
{
	int			uses = buffer_usage_count(GetBufferDescriptor(buffer - 1));

	return uses >= (strategy != NULL && !HOST_GUESS_COUNTS_AS_USE ? 1 : BM_MAX_USAGE_COUNT);
}

#if !HOST_HEAP_READS_AHEAD

/*
 * Whether all rows of a buffer's page may be returned to the scan without a test of each. See heapgetpage. Before the
 * buffer is pinned and locked, this is a guess, too.
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

#endif

/* Pin the buffer if it has the block; before 17, list the rows of its page. */
static bool
pin(HeapScanDesc heap, BlockNumber block, Buffer buffer)
{
	if (buffer == InvalidBuffer || block == InvalidBlockNumber || !lists_rows(heap) ||
		!is_counted_as_used(buffer, heap->rs_strategy))
		return false;
#if !HOST_HEAP_READS_AHEAD
	if (!all_rows_are_visible(heap, buffer))
		return false;
#endif
	if (!ReadRecentBuffer(relation_locator(heap->rs_base.rs_rd), MAIN_FORKNUM, block, buffer))
		return false;
#if !HOST_HEAP_READS_AHEAD
	if (!list_all_rows(heap, buffer))
	{
		ReleaseBuffer(buffer);
		return false;
	}
#endif
	return true;
}

/* Turn to the page that was found, which may have no visible rows; false, and no change, if it is not the next one. */
static bool
turn_to_guess(HeapPages *pages)
{
	HeapScanDesc heap = heap_scan(pages);
	BlockNumber block = next_block(heap);

	CHECK_FOR_INTERRUPTS();
	if (!pin(heap, block, pages->guess))
		return false;
	ReleaseBuffer(heap->rs_cbuf);
	heap->rs_cbuf = pages->guess;
	turn_block(heap, block);
	count_buffer_hit(heap->rs_base.rs_rd, heap->rs_strategy);
#if HOST_HEAP_READS_AHEAD
	heap_prepare_pagescan(&heap->rs_base);
#endif
	pages->turned = true;
	return true;
}

/* Let the access method turn the page; false if there is none. */
static bool
turn_by_access_method(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot)
{
	HeapScanDesc heap = heap_scan(pages);

#if HOST_HEAP_READS_AHEAD
	/* What the stream has read ahead is behind. It begins anew after the current block, as when a scan changes its direction. */
	if (pages->turned)
		heap->rs_dir = NoMovementScanDirection;
#endif
	pages->turned = false;
	/* All rows of this page have been examined. */
	if (pages->page != NULL && lists_rows(heap))
		heap->rs_cindex = ScanDirectionIsForward(direction) ? heap->rs_ntuples - 1 : 0;
	return heap_pages_next_row(pages, direction, slot);
}

/* Take the page to which the access method's state refers, and find the one after it: if the scan is backwards, by a guess. */
static void
take_page(HeapPages *pages, bool forward)
{
	HeapScanDesc heap = heap_scan(pages);

	pages->guess = guess(pages->buffer, heap->rs_cbuf);
	if (pages->guess == InvalidBuffer && forward)
		pages->guess = look_up(pages);
	pages->buffer = heap->rs_cbuf;
	pages->block = heap->rs_cblock;
	pages->page = BufferGetPage(heap->rs_cbuf);
	pages->count = (int) heap->rs_ntuples;
	pages->row = heap->rs_vistuples;
	pages->next = pages->guess == InvalidBuffer ? NULL : (const char *) BufferGetPage(pages->guess);
}

bool
heap_pages_turn(HeapPages *pages, ScanDirection direction, TupleTableSlot *slot)
{
	HeapScanDesc heap = heap_scan(pages);
	bool		forward = ScanDirectionIsForward(direction);

	if (pages->page != NULL && forward)
		while (turn_to_guess(pages))
		{
			take_page(pages, true);
			if (pages->count == 0)
				continue;
			ExecClearTuple(slot);
			/* Indexes and heaps count rows in the same field. */
			pgstat_count_index_tuples(heap->rs_base.rs_rd, pages->count);
			return true;
		}
	if (!turn_by_access_method(pages, direction, slot))
	{
		pages->page = NULL;
		return false;
	}
	if (lists_rows(heap))
		take_page(pages, forward);
	else
		heap_pages_take_row(pages, slot);
	/* The access method has counted one of them. */
	pgstat_count_index_tuples(heap->rs_base.rs_rd, pages->count - 1);
	return true;
}

#endif
