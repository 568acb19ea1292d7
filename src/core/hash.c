/*
 * Numbers become their canonical bytes here; XXH3 hashes these and all others.
 */
#include "core/hash.h"

#include "core/bytes.h"
#include "core/pause.h"

#define XXH_INLINE_ALL
#if defined(__has_include)
#if !__has_include(<xxhash.h>)
#error "xxhash.h is missing: install libxxhash-dev (Debian, Ubuntu), xxhash-devel (Fedora, RHEL) or xxhash-dev (Alpine)"
#endif
#endif
#include <xxhash.h>

#define CANONICAL_NAN UINT64_C(0x7ff8000000000000)

/* Longer values are hashed in strides, with pauses; the hash is the same. */
#define LONG_BYTES ((size_t) 1 << 20)

static uint64_t
hash_long(const void *bytes, size_t length)
{
	XXH3_state_t state;

	(void) XXH3_64bits_reset(&state);
	for (size_t i = 0, end; i < length; i = end)
	{
		end = filter_stride(i, length, LONG_BYTES);
		(void) XXH3_64bits_update(&state, (const uint8_t *) bytes + i, end - i);
	}
	return XXH3_64bits_digest(&state);
}

uint64_t
filter_hash_bytes(const void *bytes, size_t length)
{
	return length <= LONG_BYTES ? XXH3_64bits(bytes, length) : hash_long(bytes, length);
}

static inline uint64_t
hash_integer(uint64_t number)
{
	uint8_t		bytes[8];

	store_le64(bytes, number);
	return XXH3_64bits(bytes, sizeof(bytes));
}

uint64_t
filter_hash_integer(int64_t value)
{
	return hash_integer((uint64_t) value);
}

void
filter_hash_integers(uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = hash_integer(numbers[i]);
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
