#include "core/hash.h"

#include "core/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CANONICAL_NAN UINT64_C(0x7ff8000000000000)

uint64_t
filter_hash_bytes(const void *bytes, size_t length)
{
	return XXH3_64bits(bytes, length);
}

uint64_t
filter_hash_integer(int64_t value)
{
	uint8_t		bytes[8];

	store_le64(bytes, (uint64_t) value);
	return XXH3_64bits(bytes, sizeof(bytes));
}

uint64_t
filter_hash_float(double value)
{
	uint8_t		bytes[8];

	if (value != value)
		store_le64(bytes, CANONICAL_NAN);
	else
		store_le_double(bytes, value == 0.0 ? 0.0 : value);
	return XXH3_64bits(bytes, sizeof(bytes));
}
