/*
 * The hash is part of the image format: these vectors never change.
 *
 * Those of byte strings are the vectors of the xxHash project itself (XXH3, 64 bits, seed 0), over the test buffer that
 * it defines. Those of numbers also fix the bytes that represent a number; `printf '\x2a\0\0\0\0\0\0\0' | xxhsum -H3`,
 * or XXH3-64 in another language, gives the same.
 */
#include <math.h>
#include <string.h>

#include "core/bytes.h"
#include "core/hash.h"
#include "random.h"
#include "tap.h"

#define BUFFER_BYTES 2400

/* The test buffer of the xxHash project. */
static void
fill_test_buffer(uint8_t *buffer)
{
	uint64_t	generator = 2654435761U;

	for (int i = 0; i < BUFFER_BYTES; i++)
	{
		buffer[i] = (uint8_t) (generator >> 56);
		generator *= UINT64_C(11400714785074694797);
	}
}

static void
test_byte_vectors(void)
{
	static const struct
	{
		size_t		length;
		uint64_t	hash;
	}			vectors[] = {
		{0, UINT64_C(0x2d06800538d394c2)},
		{1, UINT64_C(0xc44bdff4074eecdb)},
		{6, UINT64_C(0x27b56a84cd2d7325)},
		{12, UINT64_C(0xa713daf0dfbb77e7)},
		{24, UINT64_C(0xa3fe70bf9d3510eb)},
		{48, UINT64_C(0x397da259ecba1f11)},
		{80, UINT64_C(0xbcdefbbb2c47c90a)},
		{195, UINT64_C(0xcd94217ee362ec3a)},
		{403, UINT64_C(0xcdeb804d65c6dea4)},
		{512, UINT64_C(0x617e49599013cb6b)},
		{2048, UINT64_C(0xdd59e2c3a5f038e0)},
		{2240, UINT64_C(0x6e73a90539cf2948)},
		{2367, UINT64_C(0xcb37aeb9e5d361ed)},
	};
	uint8_t		buffer[BUFFER_BYTES];

	fill_test_buffer(buffer);
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		is(filter_hash_bytes(buffer, vectors[i].length), vectors[i].hash,
		   "xxHash's own vector of %u bytes", (unsigned) vectors[i].length);
	is(filter_hash_bytes(NULL, 0), vectors[0].hash, "no bytes, and a null address");
}

static void
test_text_vectors(void)
{
	static const struct
	{
		const char *text;
		uint64_t	hash;
	}			vectors[] = {
		{"a", UINT64_C(0xe6c632b61e964e1f)},
		{"apple", UINT64_C(0x517a430dcf1f8a00)},
		{"z\xc3\xbcrich", UINT64_C(0x03c124efb9a9b5b7)},
		{"The quick brown fox jumps over the lazy dog", UINT64_C(0xce7d19a5418fb365)},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		is(filter_hash_bytes(vectors[i].text, strlen(vectors[i].text)), vectors[i].hash, "'%s'", vectors[i].text);
}

static void
test_integer_vectors(void)
{
	static const struct
	{
		int64_t		value;
		uint64_t	hash;
	}			vectors[] = {
		{0, UINT64_C(0xc77b3abb6f87acd9)},
		{1, UINT64_C(0x2fbc593564db792e)},
		{-1, UINT64_C(0x5111c7e47d784413)},
		{42, UINT64_C(0xd5a6f8c838df27c8)},
		{INT16_MAX, UINT64_C(0x55176db343b74fb0)},
		{INT16_MIN, UINT64_C(0x8eef0bde2d08aba0)},
		{INT32_MAX, UINT64_C(0x4f7eaf7f8d7636f2)},
		{INT32_MIN, UINT64_C(0xc2647c75780a00fd)},
		{INT64_MAX, UINT64_C(0xa233cf376558df46)},
		{INT64_MIN, UINT64_C(0x828f2476789a0e5f)},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		is(filter_hash_integer(vectors[i].value), vectors[i].hash, "integer %" PRId64, vectors[i].value);
}

/* int2, int4 and int8 of one value are one value: 8 bytes, two's complement, little-endian. */
static void
test_integer_widths(void)
{
	uint64_t	differing = 0;

	for (int value = INT16_MIN; value <= INT16_MAX; value++)
	{
		uint8_t		bytes[8];

		for (int i = 0; i < 8; i++)
			bytes[i] = value < 0 ? 0xff : 0;
		bytes[0] = (uint8_t) ((unsigned) value & 0xff);
		bytes[1] = (uint8_t) ((unsigned) value >> 8 & 0xff);
		if (filter_hash_integer(value) != filter_hash_bytes(bytes, sizeof(bytes)))
			wrong(&differing, "%d", value);
	}
	none_wrong(differing, "an integer of 2 bytes is hashed as the 8 it is extended to by its sign");
}

static void
test_float_vectors(void)
{
	static const struct
	{
		double		value;
		uint64_t	hash;
	}			vectors[] = {
		{0.0, UINT64_C(0xc77b3abb6f87acd9)},
		{1.0, UINT64_C(0x620bae6765497e01)},
		{-1.5, UINT64_C(0xa6adab8826c48a82)},
		{0.1, UINT64_C(0xc9d73e6076fe03cd)},
		{1e300, UINT64_C(0x21ccf72e98ccb08c)},
		{INFINITY, UINT64_C(0x359afb8a3a239b72)},
		{-INFINITY, UINT64_C(0x966b04ab6a2f4836)},
		{4.9406564584124654e-324, UINT64_C(0x2fbc593564db792e)},
		{NAN, UINT64_C(0x0aa61dcfa381c167)},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		is(filter_hash_float(vectors[i].value), vectors[i].hash, "float %g", vectors[i].value);
}

/* Floats that are equal in SQL have equal hashes, others do not. */
static void
test_float_folding(void)
{
	static const uint64_t not_a_number[] = {
		UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000), UINT64_C(0x7ff0000000000001),
		UINT64_C(0xfff0000000000001), UINT64_C(0x7ff8dead0000beef), UINT64_C(0xffffffffffffffff)
	};
	uint64_t	hash = filter_hash_float(double_of(not_a_number[0]));
	uint64_t	differing = 0;
	Random		random = {1};

	is(filter_hash_float(-0.0), filter_hash_float(0.0), "-0 hashes as 0");
	for (size_t i = 1; i < sizeof(not_a_number) / sizeof(not_a_number[0]); i++)
		if (filter_hash_float(double_of(not_a_number[i])) != hash)
			wrong(&differing, "pattern %016" PRIx64, not_a_number[i]);
	none_wrong(differing, "every NaN hashes as one");

	ok(filter_hash_float(1.0) != filter_hash_float(-1.0), "1 and -1 differ");
	ok(filter_hash_float(INFINITY) != filter_hash_float(-INFINITY), "both infinities differ");
	ok(filter_hash_float(4.9406564584124654e-324) != filter_hash_float(0.0), "the smallest float is not 0");

	differing = 0;
	for (int i = 0; i < 10000; i++)
	{
		uint64_t	pattern = random_next(&random);
		double		value = double_of(pattern);
		uint8_t		bytes[8];

		store_le64(bytes, pattern);
		if (value == value && value != 0.0 && filter_hash_float(value) != filter_hash_bytes(bytes, sizeof(bytes)))
			wrong(&differing, "pattern %016" PRIx64, pattern);
	}
	none_wrong(differing, "every other float is hashed as its 8 bytes, little-endian");
}

/* Values are at any alignment: after a varlena header, inside an array. */
static void
test_alignment(void)
{
	uint8_t		buffer[BUFFER_BYTES];
	uint8_t		moved[BUFFER_BYTES + 8];
	uint64_t	differing = 0;

	fill_test_buffer(buffer);
	for (size_t shift = 1; shift < 8; shift++)
	{
		memcpy(moved + shift, buffer, BUFFER_BYTES);
		for (size_t length = 0; length <= 600; length++)
			if (filter_hash_bytes(moved + shift, length) != filter_hash_bytes(buffer, length))
				wrong(&differing, "%u bytes, %u beyond an aligned address", (unsigned) length, (unsigned) shift);
	}
	none_wrong(differing, "the address does not matter");
}

/*
 * Mixing is part of the image format. It is a bijection by its construction; its purpose is that the hashes of a
 * shard, which agree in some bits, no longer agree in any 16 neighbouring bits more often than by chance.
 */
static void
test_mix_vectors(void)
{
	static const struct
	{
		uint64_t	hash,
					mixed;
	}			vectors[] = {
		{0, 0},
		{1, UINT64_C(0xd6e8feb8b0b1032b)},
		{UINT64_MAX, UINT64_C(0x99a6026d99a6026d)},
		{UINT64_C(0xd5a6f8c838df27c8), UINT64_C(0xf212d44aa74cd94a)},
		{UINT64_C(0x517a430dcf1f8a00), UINT64_C(0x42bcfd32dd15b645)},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		is(filter_mix(vectors[i].hash), vectors[i].mixed, "mixed %016" PRIx64, vectors[i].hash);
}

static void
test_mix_of_shards(void)
{
	enum
	{
		SHARD = 160000,			/* values, for 256 cells of 625 with a standard deviation of 25 */
		CELLS = 256
	};
	uint64_t	failed = 0;

	for (int fixed = 0; fixed <= 60; fixed += 4)
		for (int looked_at = 0; looked_at <= 56; looked_at++)
		{
			uint32_t	cell[CELLS] = {0};

			for (int64_t value = 0; value < SHARD; value++)
			{
				uint64_t	hash = filter_hash_integer(value);

				/* Only hashes with these four bits. */
				hash = (hash & ~(UINT64_C(15) << fixed)) | UINT64_C(5) << fixed;
				cell[(filter_mix(hash) >> looked_at) % CELLS]++;
			}
			for (int i = 0; i < CELLS; i++)
				if (cell[i] < SHARD / CELLS - 6 * 25 || cell[i] > SHARD / CELLS + 6 * 25)
					wrong(&failed, "bits %d to %d fixed: %u values with equal bits %d to %d", fixed, fixed + 3, cell[i],
						  looked_at, looked_at + 7);
		}
	none_wrong(failed, "hashes that agree in some bits spread evenly");
}

/*
 * Different integers have different hashes: here is the inverse of filter_hash_integer, that is, of XXH3 for 8 bytes
 * and seed 0. So cf_agg, which stores values of equal hashes once, never takes two integers for one.
 */
static uint64_t
rotate_left(uint64_t number, int bits)
{
	return number << bits | number >> (64 - bits);
}

static uint64_t
integer_of_hash(uint64_t hash)
{
	const uint64_t factor = UINT64_C(0x9fb21c651e98df25);
	uint64_t	inverse = factor;

	/* Newton's iteration doubles the correct bits of the factor's inverse modulo 2^64; the first three are correct. */
	for (int i = 0; i < 5; i++)
		inverse *= 2 - factor * inverse;
	hash ^= hash >> 28 ^ hash >> 56;
	hash *= inverse;
	hash ^= (hash >> 35) + 8;
	hash *= inverse;
	/* As polynomials over two elements modulo x^64 + 1, where the 64th power of 1 + x^49 + x^24 is 1. */
	for (int i = 0; i < 63; i++)
		hash ^= rotate_left(hash, 49) ^ rotate_left(hash, 24);
	hash ^= UINT64_C(0x1cad21f72c81017c) ^ UINT64_C(0xdb979083e96dd4de);
	return rotate_left(hash, 32);
}

static void
test_integers_are_exact(void)
{
	Random		random = {4711};
	uint64_t	failed = 0;

	for (int i = 0; i < 100000; i++)
	{
		uint64_t	number = i < 1000 ? (uint64_t) i - 500 : random_next(&random);

		if (integer_of_hash(filter_hash_integer((int64_t) number)) != number)
			wrong(&failed, "%llu", (unsigned long long) number);
	}
	none_wrong(failed, "the hash of an integer can be inverted");
}

int
main(void)
{
	test_byte_vectors();
	test_text_vectors();
	test_integer_vectors();
	test_integer_widths();
	test_float_vectors();
	test_float_folding();
	test_alignment();
	test_mix_vectors();
	test_mix_of_shards();
	test_integers_are_exact();
	return done_testing();
}
