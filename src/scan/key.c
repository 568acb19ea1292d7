#include "scan/key.h"

#include "compat.h"

void
key_reader_init(KeyReader *reader, TupleDesc descriptor, AttrNumber column)
{
	Form_pg_attribute key = TupleDescAttr(descriptor, column - 1);

	reader->descriptor = descriptor;
	reader->column = column;
	reader->by_value = key->attbyval;
	reader->length = key->attlen;
	reader->alignment = key->attalign;
	reader->offset = 0;
	for (int i = 0; i < column - 1; i++)
	{
		Form_pg_attribute before = TupleDescAttr(descriptor, i);

		if (before->attlen <= 0)
		{
			reader->offset = -1;
			return;
		}
		reader->offset = (int) att_align_nominal(reader->offset, before->attalign) + before->attlen;
	}
}

Datum
key_read_slowly(const KeyReader *reader, HeapTupleHeader row, bool *is_null)
{
	HeapTupleData tuple;

	tuple.t_data = row;
	return heap_getattr(&tuple, reader->column, reader->descriptor, is_null);
}
