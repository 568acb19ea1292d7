/*
 * Sparse bytes: any part can be read back unchanged, whatever the length and the number of zero bytes.
 */
#include <string.h>

#include "core/pause.h"
#include "core/sparse.h"
#include "random.h"
#include "tap.h"

static unsigned long pauses;

static void
count_pause(void)
{
	pauses++;
}

static SparseGroup *
pack(const uint8_t *bytes, size_t length)
{
	/* Exactly of the computed size, so that a sanitizer detects access beyond it. */
	SparseGroup *packed = zeroed_memory(sparse_size(bytes, length, UINT32_MAX));

	sparse_pack(packed, bytes, length);
	return packed;
}

/* Parts of every length that a probe reads, and across blocks and groups. */
static uint64_t
wrong_parts(const uint8_t *bytes, size_t length, Random *random)
{
	SparseGroup *packed = pack(bytes, length);
	uint8_t    *to = zeroed_memory(length);
	uint64_t	count = 0;

	sparse_read(packed, length, 0, length, to);
	if (memcmp(to, bytes, length) != 0)
		wrong(&count, "all of %zu bytes", length);
	for (uint64_t i = 0; i < repeats(500) && length > 0; i++)
	{
		size_t		offset = (size_t) random_below(random, length);
		size_t		part = (size_t) random_below(random, length - offset + 1);

		if (i % 2 == 0 && part > 70)
			part = 70;
		sparse_read(packed, length, offset, part, to);
		if (memcmp(to, bytes + offset, part) != 0)
			wrong(&count, "%zu at %zu of %zu bytes", part, offset, length);
	}
	free(to);
	free(packed);
	return count;
}

static void
test_reading(void)
{
	static const size_t lengths[] = {0, 1, 7, 8, 63, 64, 65, 2047, 2048, 2049, 4100, 100000};
	static const unsigned zeros_of_256[] = {0, 10, 128, 250, 255, 256};

	for (size_t fill = 0; fill < sizeof(zeros_of_256) / sizeof(zeros_of_256[0]); fill++)
	{
		Random		random = {fill};
		uint64_t	count = 0;

		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		{
			uint8_t    *bytes = zeroed_memory(lengths[i]);

			for (size_t j = 0; j < lengths[i]; j++)
				if (random_below(&random, 256) >= zeros_of_256[fill])
					bytes[j] = (uint8_t) (1 << random_below(&random, 8) | random_below(&random, 256));
			count += wrong_parts(bytes, lengths[i], &random);
			free(bytes);
		}
		none_wrong(count, "%u of 256 bytes zero: every part as it was", zeros_of_256[fill]);
	}
}

/* Each bit alone, in each byte of a block. */
static void
test_single_bits(void)
{
	uint64_t	count = 0;
	Random		random = {1};

	for (size_t bit = 0; bit < 8 * SPARSE_BLOCK_BYTES; bit++)
	{
		uint8_t		bytes[3 * SPARSE_BLOCK_BYTES] = {0};

		bytes[SPARSE_BLOCK_BYTES + bit / 8] = (uint8_t) (1 << bit % 8);
		count += wrong_parts(bytes, sizeof(bytes), &random);
	}
	none_wrong(count, "one bit in a block");
}

static void
test_size(void)
{
	size_t		length = (size_t) 16 << 20;
	uint8_t    *bytes = zeroed_memory(length);
	size_t		size;

	size = sparse_size(bytes, length, UINT32_MAX);
	ok(size <= length / 200, "zeros are packed into 1/200: %zu of %zu", size, length);
	for (size_t i = 0; i < length; i += 256)
		bytes[i] = 1;
	size = sparse_size(bytes, length, UINT32_MAX);
	ok(size <= length / 25, "one byte of 256 that is not zero: packed into 1/25: %zu of %zu", size, length);
	ok(sparse_size(bytes, length, 1000) > 1000, "a destination that is too small");
	memset(bytes, 1, length);
	size = sparse_size(bytes, length, UINT32_MAX);
	ok(size > length && size <= length + length / 7, "without zeros it is longer: %zu of %zu", size, length);

	filter_pause_hook = count_pause;
	free(pack(bytes, length));
	ok(pauses >= 20, "packing pauses %lu times", pauses);
	filter_pause_hook = NULL;
	free(bytes);
}

int
main(void)
{
	test_reading();
	test_single_bits();
	test_size();
	return done_testing();
}
