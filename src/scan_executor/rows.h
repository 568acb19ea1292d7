/*
 * Rows of one page of a table, and reading a column of them where they lie on the page, without a slot.
 */
#ifndef FILTER_SCAN_ROWS_H
#define FILTER_SCAN_ROWS_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"

#include "scan_executor/prefetch.h"

typedef struct PageRows
{
	Page		page;			/* in a buffer that the scan has pinned */
	int			count;
	int			total;			/* the number of rows before any filter */
	double		expected;		/* about the number of rows that this process will scan, unless the scan ends early */
	NextPage	next;
	OffsetNumber row[MaxHeapTuplesPerPage]; /* line pointers, in the order of the scan */
} PageRows;

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
