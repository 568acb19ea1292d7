#include "core/hash.h"

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/pause.h"

#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#define CANONICAL_NAN UINT64_C(0x7ff8000000000000)

/* Longer values are hashed in strides; the hash is the same. */
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

void
filter_float_bytes(double value, uint8_t bytes[8])
{
	if (value != value)
		store_le64(bytes, CANONICAL_NAN);
	else
		store_le_double(bytes, value == 0.0 ? 0.0 : value);
}

uint64_t
filter_hash_float(double value)
{
	uint8_t		bytes[8];

	filter_float_bytes(value, bytes);
	return XXH3_64bits(bytes, sizeof(bytes));
}

#define WITNESS_PRIME		((UINT64_C(1) << 61) - 1)
#define WITNESS_BYTES		((size_t) 7)

/*
 * a * b mod 2^61 - 1, for factors below 2^61. Since 2^61 is congruent to 1, the product's bits from 61 on are added
 * to the rest.
 */
static uint64_t
multiply_mod_prime(uint64_t a, uint64_t b)
{
	uint64_t	low = a * b;
	uint64_t	sum = (low & WITNESS_PRIME) + (multiply_high(a, b) << 3 | low >> 61);

	return sum >= WITNESS_PRIME ? sum - WITNESS_PRIME : sum;
}

uint64_t
filter_witness(const void *bytes, size_t length, uint64_t key)
{
	uint64_t	point = key % WITNESS_PRIME;
	/* The length distinguishes strings that differ in trailing zeroes only. */
	uint64_t	sum = multiply_mod_prime(length % WITNESS_PRIME, point);

	for (size_t i = 0; i < length;)
		for (size_t end = filter_stride(i, length, LONG_BYTES / WITNESS_BYTES * WITNESS_BYTES); i < end;
			 i += WITNESS_BYTES)
		{
			uint8_t		chunk[8] = {0};

			memcpy(chunk, (const uint8_t *) bytes + i, length - i < WITNESS_BYTES ? length - i : WITNESS_BYTES);
			sum += load_le64(chunk);
			sum = multiply_mod_prime(sum >= WITNESS_PRIME ? sum - WITNESS_PRIME : sum, point);
		}
	/* The sum has 61 bits: shift it so that the uppermost bits of the result are used. */
	return sum << 3;
}
