/*
 * Rows of one page of a table, and reading a column of them where they lie on the page, without a slot.
 */
#ifndef FILTER_SCAN_ROWS_H
#define FILTER_SCAN_ROWS_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "storage/bufpage.h"

#include "core/arithmetic.h"

typedef struct PageRows
{
	Page		page;			/* in a buffer that the scan has pinned */
	int			count;
	int			taken;			/* the number of rows before any filter */
	double		expected;		/* about the number of rows that this process will scan, unless the scan ends early */
	/* The part of the page that probably follows which is still to be prefetched. */
	const char *next;
	int			next_bytes;

	OffsetNumber row[MaxHeapTuplesPerPage]; /* line pointers, in the order of the scan */
} PageRows;

/*
 * Begin to load bytes of a page into the cache, line by line. All lines of a page are worth loading if there are at most
 * LINES_PER_ROW per row. With a few wide rows per page, a scan that loads all lines takes longer.
 */
#define LINES_PER_ROW			2

static inline void
page_prefetch(const char *begin, const char *end)
{
	for (; begin < end; begin += FILTER_CACHE_LINE_BYTES)
		filter_prefetch(begin);
}

static inline bool
page_rows_are_short(const PageRows *rows)
{
	return (Size) rows->taken * LINES_PER_ROW * FILTER_CACHE_LINE_BYTES >=
		(Size) (BLCKSZ - ((PageHeader) rows->page)->pd_upper);
}

/*
 * Prefetch a part of the next page. A CPU core keeps only some cache misses in flight, and then waits, so each step of the
 * work on a page loads a part of the next one. The number of parts is about the number of steps; with fewer or more, scans
 * take longer.
 */
#define NEXT_PAGE_PARTS			6

static inline void
page_prefetch_next(PageRows *rows)
{
	int			bytes = Min(rows->next_bytes, BLCKSZ / NEXT_PAGE_PARTS);

	page_prefetch(rows->next, rows->next + bytes);
	rows->next += bytes;
	rows->next_bytes -= bytes;
}

static inline HeapTupleHeader
page_row(const PageRows *rows, int index)
{
	return (HeapTupleHeader) PageGetItem(rows->page, PageGetItemId(rows->page, rows->row[index]));
}

typedef struct KeyReader
{
	TupleDesc	descriptor;
	AttrNumber	number;			/* of the column */
	Form_pg_attribute key;

	/* In a row without nulls in the first `fixed` columns, the next one is at this offset, before its alignment. */
	int			fixed;
	int			offset;
} KeyReader;

/* The descriptor must outlive the reader. */
extern void key_reader_init(KeyReader *reader, TupleDesc descriptor, AttrNumber number);

/*
 * Read the keys that are not null, and keep only the rows that have one, and the hashes of these rows' other keys. Keys that
 * are not passed by value stay on the page.
 */
extern void keys_read(const KeyReader *reader, PageRows *rows, Datum *keys, uint64 *hashes);

#endif
