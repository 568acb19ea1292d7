/*
 * Forming a slot for each row would take longer than the probe, so a column is read where the rows lie on the page. A column
 * at a fixed offset is read there, and any other by walking over those before it.
 */
#include "scan_executor/rows.h"

#include "access/tupmacs.h"

#include "compat.h"

void
key_reader_init(KeyReader *reader, TupleDesc descriptor, AttrNumber number)
{
	reader->descriptor = descriptor;
	reader->number = number;
	reader->key = TupleDescAttr(descriptor, number - 1);
	reader->offset = 0;
	for (reader->fixed = 0; reader->fixed < number - 1; reader->fixed++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, reader->fixed);

		if (column->attlen < 0)
			return;
		reader->offset = (int) att_align_nominal(reader->offset, column->attalign) + column->attlen;
	}
	/* The key itself, unless it may begin without alignment. */
	if (reader->key->attlen > 0)
		reader->offset = (int) att_align_nominal(reader->offset, reader->key->attalign);
}

/* Where a value begins if the one before it ends at the offset. */
static inline int
column_start(Form_pg_attribute column, const char *data, int offset)
{
	return (int) att_align_pointer(offset, column->attalign, column->attlen, data + offset);
}

/* The key of any row, by walking over the columns before it that have no fixed offset: PostgreSQL's function takes longer. */
static Datum
read_any(const KeyReader *reader, HeapTupleHeader row, bool *is_null)
{
	const uint8 *bits = (row->t_infomask & HEAP_HASNULL) != 0 ? row->t_bits : NULL;
	const char *data = (char *) row + row->t_hoff;
	int			offset = reader->offset;
	int			i = reader->fixed;

	/* The column was added to the table after this row. heap_getattr would call what older minor releases lack. */
	if (HeapTupleHeaderGetNatts(row) < reader->number)
		return getmissingattr(reader->descriptor, reader->number, is_null);
	*is_null = bits != NULL && att_isnull(reader->number - 1, bits);
	if (*is_null)
		return (Datum) 0;
	for (int j = 0; bits != NULL && j < reader->fixed; j++)
		if (att_isnull(j, bits))
			i = offset = 0;
	for (; i < reader->number - 1; i++)
	{
		Form_pg_attribute column = TupleDescAttr(reader->descriptor, i);

		if (bits != NULL && att_isnull(i, bits))
			continue;
		offset = column_start(column, data, offset);
		offset = (int) att_addlength_pointer(offset, column->attlen, data + offset);
	}
	return fetchatt(reader->key, data + column_start(reader->key, data, offset));
}

/*
 * Read keys of this length at a fixed offset, or others if it is 0. Length and by_value are constants where this is inlined.
 */
static pg_always_inline void
read_keys(const KeyReader *reader, int length, bool by_value, PageRows *rows, Datum *keys, uint64 *hashes)
{
	int			count = 0;

	for (int i = 0; i < rows->count; i++)
	{
		HeapTupleHeader row = page_row(rows, i);
		bool		is_null = false;

		if (length == 0 || unlikely((row->t_infomask & HEAP_HASNULL) != 0 || HeapTupleHeaderGetNatts(row) < reader->number))
			keys[count] = read_any(reader, row, &is_null);
		else
		{
			const char *data = (char *) row + row->t_hoff;

			keys[count] = fetch_att(data + (length > 0 ? reader->offset : column_start(reader->key, data, reader->offset)), by_value,
									length);
		}
		rows->row[count] = rows->row[i];
		hashes[count] = hashes[i];
		count += !is_null;
	}
	rows->count = count;
}

/*
 * Begin to load the keys into the cache. Nothing has read the rows of a page that is all visible, so each would be waited for.
 * Of long rows, only the header and the key are loaded (or what lies at the offset of the first column without a fixed one).
 */
static void
rows_prefetch(const KeyReader *reader, const PageRows *rows)
{
	if (page_prefetch_pays(rows->page, rows->total))
	{
		/* Otherwise, an earlier filter, which rejected some rows, has loaded the page. */
		if (rows->count == rows->total)
			page_prefetch(rows->page);
		return;
	}
	for (int i = 0; i < rows->count; i++)
	{
		const char *row = (const char *) page_row(rows, i);

		filter_prefetch(row);
		filter_prefetch(row + MAXALIGN(SizeofHeapTupleHeader) + reader->offset);
	}
}

void
keys_read(const KeyReader *reader, PageRows *rows, Datum *keys, uint64 *hashes)
{
	int			length = reader->key->attlen;
	bool		is_fixed = reader->fixed == reader->number - 1;

	rows_prefetch(reader, rows);
	if (is_fixed && reader->key->attbyval && length == sizeof(int32))
		read_keys(reader, sizeof(int32), true, rows, keys, hashes);
	else if (is_fixed && reader->key->attbyval && length == sizeof(int64))
		read_keys(reader, sizeof(int64), true, rows, keys, hashes);
	else if (is_fixed && length == -1)
		read_keys(reader, -1, false, rows, keys, hashes);
	else
		read_keys(reader, 0, false, rows, keys, hashes);
}
