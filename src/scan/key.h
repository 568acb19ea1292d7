/*
 * Reading the column of a row where it lies on its page, without a slot.
 */
#ifndef FILTER_SCAN_KEY_H
#define FILTER_SCAN_KEY_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "scan/rows.h"

/* What determines the place of a value in a row. */
typedef struct KeyColumn
{
	int16		length;			/* in bytes; -1 and -2 as in pg_type */
	int16		alignment;		/* in bytes */
} KeyColumn;

typedef struct KeyReader
{
	TupleDesc	descriptor;
	AttrNumber	number;			/* of the column */
	bool		by_value;
	KeyColumn  *column;			/* the columns up to this one, which is the last */

	/* In a row without nulls in the first `fixed` columns, the next one is at this offset, before its alignment. */
	int			fixed;
	int			offset;
} KeyReader;

/* Allocates in the current memory context. The descriptor must outlive the reader. */
extern void key_reader_init(KeyReader *reader, TupleDesc descriptor, AttrNumber number);

/*
 * Read the keys that are not null, and replace the rows by those that have one. Keys that are not passed by value stay
 * on the page.
 */
extern void keys_read(const KeyReader *reader, PageRows *rows, Datum *keys);

#endif
