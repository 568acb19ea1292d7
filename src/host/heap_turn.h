/*
 * For the files behind heap_pages.h that know the state of the heap access method.
 */
#ifndef FILTER_HOST_HEAP_TURN_H
#define FILTER_HOST_HEAP_TURN_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"

#include "compat.h"
#include "host/heap_pages.h"
#include "host/host.h"

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
 * Raise an error: the state of the scan does not mean what this room takes it to mean, so rows would be lost or come
 * twice.
 */
pg_noreturn extern void heap_state_differs(HeapScanDesc heap, BlockNumber block);

/* In heap_next.c. */
#ifdef HOST_TURNS_PAGES

/* The shared buffer of the page after the scan's present one; InvalidBuffer if there is none, or it cannot be turned to. */
extern Buffer heap_next_find(const HeapPages *pages);

/*
 * Turn to the page that was found, with the list of its visible rows, of which there may be none; false, and no change, if
 * it is not the next one, or the access method has to examine it.
 */
extern bool heap_next_turn(HeapPages *pages);

#else
#define heap_next_find(pages) ((void) (pages), InvalidBuffer)
#define heap_next_turn(pages) ((void) (pages), false)
#endif

#endif
