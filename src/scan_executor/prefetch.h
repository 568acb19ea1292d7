/*
 * Load pages of a table into the CPU's cache before their rows are read.
 *
 * While a scan filters the rows of one page, it loads the page that probably follows. A core has only some cache misses in
 * flight, and then waits, so the scan does not load that page at once. It loads one part of it before each step of its work on
 * the present page: reading keys, hashing them, probing, and so on. There are about as many parts as steps; with fewer or more,
 * scans take longer. When the scan turns the page, it loads what is left.
 */
#ifndef FILTER_SCAN_PREFETCH_H
#define FILTER_SCAN_PREFETCH_H

#include "postgres.h"

#include "storage/bufpage.h"

#include "core/arithmetic.h"

/* All of a page is worth loading if it has at most this many cache lines per row. */
#define LINES_PER_ROW			2

#define NEXT_PAGE_PARTS			6

/* What has not been loaded of the next page. */
typedef struct NextPage
{
	const char *rest;
	int			bytes;
} NextPage;

static inline void
prefetch_bytes(const char *begin, const char *end)
{
	for (; begin < end; begin += FILTER_CACHE_LINE_BYTES)
		filter_prefetch(begin);
}

/* Load the rows of the present page. */
static inline void
page_prefetch(Page page)
{
	prefetch_bytes(page + ((PageHeader) page)->pd_upper, page + BLCKSZ);
}

/* Whether it pays to load all of a page, which has this number of rows. */
static inline bool
page_prefetch_pays(Page page, int rows)
{
	return (Size) rows * LINES_PER_ROW * FILTER_CACHE_LINE_BYTES >= (Size) (BLCKSZ - ((PageHeader) page)->pd_upper);
}

/* Load a part of the next page, if any is left. */
static inline void
next_page_prefetch(NextPage *page)
{
	int			bytes = Min(page->bytes, BLCKSZ / NEXT_PAGE_PARTS);

	prefetch_bytes(page->rest, page->rest + bytes);
	page->rest += bytes;
	page->bytes -= bytes;
}

static inline void
next_page_prefetch_rest(const NextPage *page)
{
	prefetch_bytes(page->rest, page->rest + page->bytes);
}

#endif
