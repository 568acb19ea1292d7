#include "value/hashing.h"

#include "utils/memutils.h"

#include "core/bytes.h"
#include "core/pause.h"

void
value_keep_canonical(ValueHasher *hasher, const void *bytes, Size length)
{
	StringInfo	to = hasher->canonical;

	/* This raises the error if the string would be too long. */
	enlargeStringInfo(to, (int) Min(length, MaxAllocSize));
	filter_copy_bytes((uint8 *) to->data + to->len, bytes, length);
	to->len += (int) length;
	to->data[to->len] = '\0';
}

void
value_append_integer(StringInfo to, int64 number)
{
	uint8		bytes[8];

	store_le64(bytes, (uint64) number);
	appendBinaryStringInfo(to, (const char *) bytes, sizeof(bytes));
}
