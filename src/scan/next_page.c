#include "scan/next_page.h"

#include "access/relscan.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"

#if FILTER_PINS_GUESSED_BUFFERS
#include "access/syncscan.h"
#endif

/*
 * The neighbour of this buffer, if this one is the neighbour of that of the last page: upwards, or downwards, in which
 * order the buffers of a table that was dropped are used again. Local buffers have negative numbers.
 */
static Buffer
guess(const NextPage *next, Buffer buffer)
{
	int			step = buffer - next->current;

	if ((step != 1 && step != -1) || next->current <= 0 || buffer <= 0 || buffer + step <= 0 || buffer + step > NBuffers)
		return InvalidBuffer;
	return buffer + step;
}

#if FILTER_PINS_GUESSED_BUFFERS

/* A page that is not in a buffer was probably not read for a while; nor were those after it. */
#define PAGES_NOT_LOOKED_UP 16

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
 * Whether a buffer is pinned by ReadRecentBuffer as by an ordinary read. Until 17, ReadRecentBuffer does not count the
 * use of a buffer, and since 18 it counts it even for a scan of a large table, which should not displace others. So a
 * buffer that a read would count as used is left to a read. It is not locked: a wrong answer only costs time.
 */
static bool
is_counted_as_used(Buffer buffer, BufferAccessStrategy strategy)
{
	int			uses = buffer_usage_count(GetBufferDescriptor(buffer - 1));

	return uses >= (strategy != NULL && !FILTER_GUESS_COUNTS_AS_USE ? 1 : BM_MAX_USAGE_COUNT);
}

/*
 * The block after the current one; InvalidBlockNumber if the scan ends or continues elsewhere, or if another block may be
 * its next one.
 */
static BlockNumber
next_block(HeapScanDesc heap)
{
	BlockNumber block = heap->rs_cblock + 1;

	if (block >= heap->rs_nblocks || block == heap->rs_startblock || heap->rs_numblocks != InvalidBlockNumber)
		return InvalidBlockNumber;
	if (heap->rs_base.rs_parallel != NULL)
	{
		ParallelBlockTableScanWorker worker = heap->rs_parallelworkerdata;
		uint64		blocks = ((ParallelBlockTableScanDesc) heap->rs_base.rs_parallel)->phs_nblocks;

		/* Since 17, a stream has already taken blocks of this process, which must be read from it. */
		if (FILTER_HEAP_READS_AHEAD || worker->phsw_chunk_remaining == 0 || worker->phsw_nallocated + 1 >= blocks)
			return InvalidBlockNumber;
	}
	return block;
}

/* Take the block that next_block has returned. */
static void
take_block(HeapScanDesc heap, BlockNumber block)
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

/* Only what can be turned to is worth looking up: otherwise the access method looks it up again. */
static Buffer
look_up(NextPage *next, HeapScanDesc heap)
{
	BlockNumber block = next_block(heap);
	Buffer		found;

	if (next->not_looked_up > 0)
	{
		next->not_looked_up--;
		return InvalidBuffer;
	}
	if (block == InvalidBlockNumber || (heap->rs_base.rs_flags & SO_ALLOW_PAGEMODE) == 0 ||
		RelationUsesLocalBuffers(heap->rs_base.rs_rd))
		return InvalidBuffer;
	found = find_buffer(heap->rs_base.rs_rd, block);
	if (found == InvalidBuffer)
		next->not_looked_up = PAGES_NOT_LOOKED_UP;
	return found;
}

#if !FILTER_HEAP_READS_AHEAD

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

		TestForOldSnapshot(heap->rs_base.rs_snapshot, heap->rs_base.rs_rd, page);
		heap->rs_ntuples = 0;
		for (OffsetNumber row = FirstOffsetNumber; row <= last; row++)
			if (ItemIdIsNormal(PageGetItemId(page, row)))
				heap->rs_vistuples[heap->rs_ntuples++] = row;
	}
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return visible;
}

#endif

void
next_page_find(NextPage *next, HeapScanDesc heap, bool forward)
{
	next->heap = heap;
	next->guess = guess(next, heap->rs_cbuf);
	if (next->guess == InvalidBuffer && forward)
		next->guess = look_up(next, heap);
	next->current = heap->rs_cbuf;
}

/* Pin the buffer that was found, if it has the block; before 17, list the rows of its page. */
static bool
pin(const NextPage *next, BlockNumber block)
{
	HeapScanDesc heap = next->heap;

	if (next->guess == InvalidBuffer || block == InvalidBlockNumber ||
		(heap->rs_base.rs_flags & SO_ALLOW_PAGEMODE) == 0 || !is_counted_as_used(next->guess, heap->rs_strategy))
		return false;
#if !FILTER_HEAP_READS_AHEAD
	if (!all_rows_are_visible(heap, next->guess))
		return false;
#endif
	if (!ReadRecentBuffer(relation_locator(heap->rs_base.rs_rd), MAIN_FORKNUM, block, next->guess))
		return false;
#if !FILTER_HEAP_READS_AHEAD
	if (!list_all_rows(heap, next->guess))
	{
		ReleaseBuffer(next->guess);
		return false;
	}
#endif
	return true;
}

bool
next_page_turn(NextPage *next)
{
	HeapScanDesc heap = next->heap;
	BlockNumber block = next_block(heap);

	CHECK_FOR_INTERRUPTS();
	if (!pin(next, block))
		return false;
	ReleaseBuffer(heap->rs_cbuf);
	heap->rs_cbuf = next->guess;
	take_block(heap, block);
	count_buffer_hit(heap->rs_base.rs_rd, heap->rs_strategy);
#if FILTER_HEAP_READS_AHEAD
	heap_prepare_pagescan(&heap->rs_base);
#endif
	next->turned = true;
	return true;
}

/* Since 17, a stream reads ahead. It begins anew after the current block, as when a scan changes its direction. */
void
next_page_leave(NextPage *next)
{
#if FILTER_HEAP_READS_AHEAD
	if (next->turned)
		next->heap->rs_dir = NoMovementScanDirection;
#endif
	next->turned = false;
}

#else

/* In 13, no function pins a buffer that is guessed. */
void
next_page_find(NextPage *next, HeapScanDesc heap, bool forward)
{
	(void) forward;
	next->guess = guess(next, heap->rs_cbuf);
	next->current = heap->rs_cbuf;
}

bool
next_page_turn(NextPage *next)
{
	(void) next;
	return false;
}

void
next_page_leave(NextPage *next)
{
	(void) next;
}

#endif
