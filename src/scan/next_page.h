/*
 * The next page of a table, which is found before the scan turns to it, so that it can be prefetched.
 *
 * PostgreSQL looks up each page in the table of its shared buffers, which costs several cache misses, and then examines
 * each row, even on a page whose rows are all visible. Together that takes a quarter of a filter scan's time. But a table
 * that was read from its beginning to its end often lies in consecutive buffers. So the next buffer is guessed where two
 * buffers were consecutive, and otherwise looked up. It is pinned if it indeed has the next page. Everything else is left
 * to PostgreSQL's heap access method, whose state is then as if it had turned the page itself.
 */
#ifndef FILTER_SCAN_NEXT_PAGE_H
#define FILTER_SCAN_NEXT_PAGE_H

#include "postgres.h"

#include "access/heapam.h"
#include "storage/buf.h"

typedef struct NextPage
{
	HeapScanDesc heap;			/* the scan */
	Buffer		current;		/* of the page that was taken last */
	Buffer		guess;			/* of the page after it; InvalidBuffer if it is not known */
	int			not_looked_up;	/* the number of pages for which to look up none, since one was not in any buffer */
	bool		turned;			/* whether next_page_turn has turned pages since PostgreSQL last did */
} NextPage;

/* Find the page after the current one of the scan; only for a forward scan by more than a guess. */
extern void next_page_find(NextPage *next, HeapScanDesc heap, bool forward);

/*
 * Turn to the next page, in a forward scan whose current page has been examined; it may have no visible rows. False, and
 * no change, if the page has to be found in another way: by the access method, with next_page_leave.
 */
extern bool next_page_turn(NextPage *next);

/* Before the access method turns the page, or begins anew: what it has read ahead may be behind. */
extern void next_page_leave(NextPage *next);

#endif
