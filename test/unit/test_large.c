/*
 * Layers in which a bit, a byte or a slot has a number of more than 32 bits.
 *
 * The memory is allocated but hardly touched: a system that provides pages when they are first written needs only a
 * few MB for it. If such an allocation fails, and on 32-bit machines, the tests that need it are skipped.
 */
#include <string.h>

#include "core/bloom_inline.h"
#include "core/cuckoo_inline.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#define TWO_TO_32	(UINT64_C(1) << 32)

/* Zeroed memory, or NULL. */
static uint8_t *
sparse_memory(uint64_t bytes)
{
	return bytes <= SIZE_MAX ? calloc(1, (size_t) bytes) : NULL;
}

/* A random hash from the given one of `parts` equal ranges of hashes. */
static uint64_t
hash_in_part(uint64_t part, uint64_t parts, Random *random)
{
	uint64_t	width = UINT64_MAX / parts;

	/* Not at the ends of the range, where rounding could move it into the next one. */
	return part * width + width / 1000 + random_below(random, width - width / 500);
}

static bool
is_zero(const uint8_t *bytes, uint64_t length)
{
	static const uint8_t zeroes[4096];

	for (uint64_t at = 0; at < length; at += sizeof(zeroes))
	{
		uint64_t	some = length - at < sizeof(zeroes) ? length - at : sizeof(zeroes);

		if (memcmp(bytes + at, zeroes, (size_t) some) != 0)
			return false;
	}
	return true;
}

/* Computing sizes and offsets, up to those of the largest geometry, without allocating that memory. */
static void
test_bloom_numbers(void)
{
	BloomLayer	layer = {UINT32_MAX, BLOOM_BLOCK_BITS, 8, NULL};

	is(bloom_bytes(&layer), UINT64_C(274877906880), "bloom: 2^32 - 1 blocks are 64 bytes each");
	is(bloom_block_offset(&layer, UINT64_MAX), UINT64_C(274877906816), "bloom: the last hash is in the last block");
	is(bloom_block_offset(&layer, UINT64_C(0x8000000000000000)), UINT64_C(137438953408),
	   "bloom: the middle hash is in the middle block");
	is(bloom_block_offset(&layer, 0), 0, "bloom: the first hash is in the first block");
	layer.blocks = (UINT32_C(1) << 26) + 1;
	is(bloom_block_offset(&layer, UINT64_MAX), TWO_TO_32, "bloom: a block that begins at byte 2^32");
}

static void
test_cuckoo_numbers(void)
{
	CuckooLayer layer = cuckoo_layer(UINT32_MAX, 32767, 32, false, 0, NULL);
	CuckooPosition position = cuckoo_position(&layer, UINT64_MAX);

	is(cuckoo_slots(&layer), UINT64_C(281474976645120), "cuckoo: 2^32 - 1 pages of 65,536 slots");
	is(cuckoo_bytes(&layer), UINT64_C(1125899906580487), "cuckoo: of 4 bytes, and the tail");
	is(position.first_bit, 32 * UINT64_C(281474976579584), "cuckoo: the last hash is in the last page");
	is(position.window[0], 32766, "cuckoo: in its last lower window");
	is(cuckoo_window_offset(&layer, &position, 0), 4 * (UINT64_C(281474976579584) + 32766), "cuckoo: at its slot's byte");
	is(cuckoo_window_offset(&layer, &position, 1), 4 * (UINT64_C(281474976579584) + 32768 + position.window[1]),
	   "cuckoo: and in the upper half at that slot's byte");
	position = cuckoo_position(&layer, UINT64_C(0x8000000000000000));
	is(position.first_bit, 32 * UINT64_C(140737488289792), "cuckoo: the middle hash is in the middle page");
}

/*
 * Blocks that begin beyond byte 2^29, whose bits have numbers beyond 2^32.
 */
static void
test_bloom_memory(void)
{
	enum
	{
		VALUES = 2000
	};
	BloomLayer	layer = {(UINT32_C(1) << 23) + (UINT32_C(1) << 22), BLOOM_BLOCK_BITS, 9, NULL};
	uint64_t	hashes[VALUES];
	uint64_t	failed = 0;
	uint64_t	bits = 0;
	Random		random = {1};

	layer.bits = sparse_memory(bloom_bytes(&layer));
	if (layer.bits == NULL)
	{
		skip("bloom: a layer of more than 2^32 bits", "no 1 GB of memory");
		return;
	}
	/* Only hashes of the upper 30 percent, whose bits are all beyond the first 2^32. */
	for (size_t i = 0; i < VALUES; i++)
	{
		hashes[i] = hash_in_part(700 + i % 300, 1000, &random);
		if (bloom_contains(&layer, hashes[i]))
			wrong(&failed, "a value is found before it was added");
		bloom_prefetch(&layer, false, hashes[i]);
		if (!bloom_add(&layer, hashes[i]))
			wrong(&failed, "an add changes nothing");
	}
	for (size_t i = 0; i < VALUES; i++)
	{
		uint64_t	block = ((hashes[i] >> 32) * layer.blocks) >> 32;

		if (!bloom_contains(&layer, hashes[i]))
			wrong(&failed, "a value is lost");
		if (block * 512 < TWO_TO_32 || is_zero(layer.bits + block * 64, 64))
			wrong(&failed, "block %" PRIu64 " is empty", block);
		for (uint64_t byte = 0; byte < 64; byte++)
			for (unsigned bit = 0; bit < 8; bit++)
				bits += layer.bits[block * 64 + byte] >> bit & 1;
	}
	none_wrong(failed, "bloom: values of bits beyond 2^32 are found");
	ok(is_zero(layer.bits, TWO_TO_32 / 8), "bloom: and the first 2^32 bits are unchanged");
	ok(bloom_bits_set(&layer) <= bits && bloom_bits_set(&layer) > VALUES * 8, "bloom: bits beyond 2^32 are counted");
	free(layer.bits);
}

/*
 * Values of the last pages of a layer, one of them filled up so that entries move about in it.
 */
static void
check_cuckoo_memory(uint32_t pages, uint32_t slot_bits, bool counts_all)
{
	enum
	{
		SPREAD = 2000, CROWD = 55000, VALUES = SPREAD + CROWD
	};
	CuckooLayer layer = cuckoo_layer(pages, 32767, slot_bits, false, 0, NULL);
	uint64_t   *hashes = zeroed_memory(VALUES * sizeof(uint64_t));
	uint64_t	failed = 0;
	Random		random = {pages};

	layer.slots = sparse_memory(cuckoo_bytes(&layer));
	if (layer.slots == NULL)
	{
		skip("cuckoo: a layer of more than 2^32 bits", "not enough memory");
		free(hashes);
		return;
	}
	for (uint64_t i = 0; i < VALUES; i++)
	{
		/* Some in the last tenth of the pages, the others all in the last page. */
		uint64_t	page = i < SPREAD ? pages - 1 - i % (pages / 10) : pages - 1;
		uint64_t	lower;
		CuckooPosition position;

		hashes[i] = hash_in_part(page, pages, &random);
		position = cuckoo_position(&layer, hashes[i]);
		lower = (page * 65536 + position.window[0]) * slot_bits;
		if (position.first_bit != page * 65536 * slot_bits || lower < TWO_TO_32)
			wrong(&failed, "page %" PRIu64 " is at bit %" PRIu64, page, position.first_bit);
		cuckoo_prefetch(&layer, false, hashes[i]);
		if (cuckoo_add(&layer, &position) != FILTER_OK)
			wrong(&failed, "an add fails");
		if (i < SPREAD && is_zero(layer.slots + lower / 8, 8) &&
			is_zero(layer.slots + (page * 65536 + 32768 + position.window[1]) * slot_bits / 8, 8))
			wrong(&failed, "page %" PRIu64 ": both windows are empty", page);
	}
	for (size_t i = 0; i < VALUES; i++)
		if (!cuckoo_contains(&layer, hashes[i]))
			wrong(&failed, "a value is lost");
	if (counts_all && cuckoo_entries(&layer) != VALUES)
		wrong(&failed, "%" PRIu64 " entries", cuckoo_entries(&layer));
	for (size_t i = 0; i < VALUES; i += 2)
	{
		CuckooPosition position = cuckoo_position(&layer, hashes[i]);

		if (!cuckoo_remove(&layer, &position))
			wrong(&failed, "a value cannot be removed");
	}
	for (size_t i = 1; i < VALUES; i += 2)
		if (!cuckoo_contains(&layer, hashes[i]))
			wrong(&failed, "a value is lost by removing others");
	none_wrong(failed, "cuckoo: %" PRIu64 " slots of %u bits: values at the end are found", cuckoo_slots(&layer), slot_bits);
	ok(is_zero(layer.slots, TWO_TO_32 / 8), "cuckoo: and the first 2^32 bits are unchanged");
	free(layer.slots);
	free(hashes);
}

/* The largest image: its bits have numbers beyond 2^31, and its offsets are near the limit. */
static void
check_largest_image(FilterType type)
{
	enum
	{
		VALUES = 2000
	};
	const char *name = type == FILTER_BLOOM ? "bloom" : "cuckoo";
	FilterView	filter;
	FilterView	opened;
	uint8_t    *image;
	uint64_t	capacity = 500000000;
	uint64_t	hashes[VALUES];
	uint64_t	failed = 0;
	const char *reason = "";
	bool		changed;
	double		bytes = 0.0;
	Random		random = {5};
	FilterStatus status;

	/* Reduce the capacity by half a percent until it fits. */
	do
	{
		(void) filter_init(&filter.header, type, 0.01);
		capacity -= capacity / 200;
		status = filter_append_layer(&filter.header, capacity, &bytes);
		if (status == FILTER_OK)
			status = filter_lay_out(&filter.header, &bytes);
	} while (status == FILTER_TOO_LARGE);
	ok(status == FILTER_OK && bytes > 0.99 * FILTER_MAX_IMAGE_BYTES, "%s: the largest image is close to the limit", name);

	image = sparse_memory((uint64_t) bytes);
	if (image == NULL)
	{
		skip("values in the largest image", "no 500 MB of memory");
		return;
	}
	filter.header.kind.code = VALUE_KIND_INTEGER;
	filter_write_header(&filter, image);
	if (filter_open(&opened, image, (uint64_t) bytes, &reason) != FILTER_OK)
		wrong(&failed, "it does not open: %s", reason);
	else
	{
		opened.remaining = VALUES;
		for (uint64_t i = 0; i < VALUES; i++)
		{
			hashes[i] = hash_in_part(i, VALUES, &random);
			if (filter_add(&opened, hashes[i], false, &changed) != FILTER_OK || !changed)
				wrong(&failed, "an add fails");
		}
		if (filter_contains_run(&opened, hashes, VALUES, true) != VALUES)
			wrong(&failed, "a value is lost");
		if (filter_contains_run(&filter, hashes, VALUES, true) != VALUES)
			wrong(&failed, "another view of the image does not find a value");
		for (uint64_t i = 0; i < VALUES && type == FILTER_CUCKOO; i++)
			if (!filter_remove(&opened, hashes[i]))
				wrong(&failed, "a value cannot be removed");
		if (type == FILTER_CUCKOO && !filter_layer_is_empty(&opened, 0))
			wrong(&failed, "entries are left after all values were removed");
	}
	none_wrong(failed, "%s: the largest image holds values from its beginning to its end", name);
	free(image);
}

int
main(void)
{
	test_bloom_numbers();
	test_cuckoo_numbers();
	if (sizeof(size_t) < 8)
	{
		skip("layers of more than 2^32 bits", "this machine has 32-bit addresses");
		return done_testing();
	}
	test_bloom_memory();
	check_cuckoo_memory(40000, 6, false);	/* more than 2^31 slots */
	check_cuckoo_memory(12000, 9, false);
	check_cuckoo_memory(2500, 32, true);
	check_largest_image(FILTER_BLOOM);
	check_largest_image(FILTER_CUCKOO);
	return done_testing();
}
