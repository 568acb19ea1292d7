/*
 * Reading the column of a row where it lies on its page, without a slot.
 */
#ifndef FILTER_SCAN_KEY_H
#define FILTER_SCAN_KEY_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"

typedef struct KeyReader
{
	TupleDesc	descriptor;
	AttrNumber	column;
	bool		by_value;
	int16		length;
	char		alignment;
	int			offset;			/* of the column in rows without nulls, before its alignment; -1: differs from row to row */
} KeyReader;

extern void key_reader_init(KeyReader *reader, TupleDesc descriptor, AttrNumber column);

/* For a row in which the column has no fixed place, or may be missing or null. */
extern Datum key_read_slowly(const KeyReader *reader, HeapTupleHeader row, bool *is_null);

/* A value that is not passed by value stays on the page. */
static inline Datum
key_read(const KeyReader *reader, HeapTupleHeader row, bool *is_null)
{
	char	   *data;
	int			offset = reader->offset;

	if (unlikely(offset < 0 || (row->t_infomask & HEAP_HASNULL) != 0 || HeapTupleHeaderGetNatts(row) < reader->column))
		return key_read_slowly(reader, row, is_null);
	*is_null = false;
	data = (char *) row + row->t_hoff;
	offset = att_align_pointer(offset, reader->alignment, reader->length, data + offset);
	return fetch_att(data + offset, reader->by_value, reader->length);
}

#endif
