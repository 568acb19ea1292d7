/*
 * Mutations of images that are still images, for libFuzzer: nearly every random change of a header is rejected, since
 * offsets and lengths must match exactly, and then nothing after the header is examined. Therefore the header is
 * usually repaired after a change; some changes are made to the layers themselves.
 */
#include "fuzz.h"

#include "core/bytes.h"

extern size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t max_length);
extern size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max_length, unsigned seed);

#define HEADER 24
#define DESCRIPTOR 24

/* The size of a layer in bytes, or 0 if its geometry is invalid. The first byte of its capacity chooses the room of a stash. */
static uint64_t
layer_length(bool bloom, const uint8_t *descriptor)
{
	uint32_t	count = load_le32(descriptor + 8);
	uint32_t	size = load_le16(descriptor + 12);
	uint32_t	width = descriptor[14];

	if (bloom)
	{
		BloomLayer	layer = {count, size, width, NULL};

		return bloom_geometry_is_valid(count, size, width) ? bloom_bytes(&layer) : 0;
	}
	else
	{
		CuckooLayer layer;

		if (!cuckoo_geometry_is_valid(count, size, width))
			return 0;
		layer = cuckoo_layer(count, size, width, (descriptor[15] & 1) != 0,
							 (descriptor[15] & 2) != 0 ? 1 + descriptor[0] % 20u : 0, NULL);
		return cuckoo_bytes(&layer);
	}
}

static void
random_geometry(Random *random, bool bloom, uint8_t *descriptor)
{
	static const uint8_t widths[] = {6, 6, 7, 8, 9, 12, 16, 25, 28, 32};
	uint32_t	count = (uint32_t) random_below(random, 6) + 1;

	store_le64(descriptor, random_next(random) >> (1 + random_below(random, 63)) | 1);
	if (bloom)
	{
		store_le16(descriptor + 12, (uint16_t) (count > 1 ? 512 : 64 * (random_below(random, 24) + 1)));
		descriptor[14] = (uint8_t) (random_below(random, 32) + 1);
	}
	else
	{
		count = count > 3 ? 1 : count;
		store_le16(descriptor + 12, (uint16_t) (random_below(random, random_below(random, 2) ? 6 : 300) + 1));
		descriptor[14] = widths[random_below(random, sizeof(widths))];
	}
	store_le32(descriptor + 8, count);
}

/* Turn the bytes into a valid header, with as many layers as fit; the bytes after it become the layers. */
static size_t
repair(uint8_t *bytes, size_t length, size_t max_length, Random *random)
{
	bool		bloom;
	uint64_t	name,
				end;
	uint8_t    *descriptor;
	uint32_t	layers;

	if (max_length < 512)
		return length;
	if (length < HEADER)
		memset(bytes + length, 0, HEADER - length);
	memcpy(bytes, "ckfl\1", 5);
	if (bytes[5] != 1 && bytes[5] != 2)
		bytes[5] = (uint8_t) (1 + bytes[5] % 2);
	bloom = bytes[5] == 1;
	bytes[6] = 1;
	if (bytes[7] > FILTER_MAX_LAYERS)
		bytes[7] = (uint8_t) (bytes[7] % 5);
	if (!(load_le_double(bytes + 8) >= FILTER_MIN_RATE && load_le_double(bytes + 8) <= FILTER_MAX_RATE))
		store_le_double(bytes + 8, 0.5 / (double) (1 + random_below(random, 1000)));
	bytes[16] = (uint8_t) (bytes[16] % (VALUE_KIND_LAST + 1));
	/* Only a cuckoo filter is a set, and only a filter of one layer does not grow. */
	bytes[17] &= (uint8_t) ((bloom ? 0 : 1) | (bytes[7] == 1 ? 2 : 0));
	store_le16(bytes + 18, (uint16_t) (bytes[16] == VALUE_KIND_NAMED ? 1 + bytes[18] % 16 : 0));
	bytes[20] = bytes[16] == VALUE_KIND_TEXT || bytes[16] == VALUE_KIND_FLOAT ? bytes[20] % 4 : 0;
	memset(bytes + 21, 0, 3);

	name = load_le16(bytes + 18);
	end = HEADER + (name + 7) / 8 * 8;
	for (uint64_t i = HEADER; i < end; i++)
		if (i - HEADER >= name)
			bytes[i] = 0;
		else if (i >= length || bytes[i] < ' ' || bytes[i] > '~')
			bytes[i] = 'a';
	descriptor = bytes + end;
	for (layers = 0; layers < bytes[7] && end + (layers + 1) * DESCRIPTOR <= max_length; layers++)
	{
		uint8_t    *at = descriptor + layers * DESCRIPTOR;

		if (at + DESCRIPTOR > bytes + length)
			memset(at, 0, DESCRIPTOR);
		at[15] = bloom ? 0 : at[15] & ((bytes[17] & 1) != 0 ? 2 : 3);
		if (layer_length(bloom, at) == 0 || layer_length(bloom, at) > max_length)
			random_geometry(random, bloom, at);
		if (load_le64(at) == 0 || load_le64(at) > FILTER_MAX_CAPACITY)
			store_le64(at, 1 + random_below(random, 100));
	}
	bytes[7] = (uint8_t) layers;
	for (;; bytes[7] = (uint8_t) --layers)
	{
		uint64_t	offset = end + layers * DESCRIPTOR;

		for (uint32_t i = 0; i < layers; i++)
		{
			store_le64(descriptor + i * DESCRIPTOR + 16, offset);
			offset += layer_length(bloom, descriptor + i * DESCRIPTOR);
		}
		if (offset <= max_length)
		{
			if (offset > length)
				memset(bytes + length, (int) (random_next(random) & random_next(random) & 0xff),
					   (size_t) offset - length);
			return (size_t) offset;
		}
	}
}

/*
 * Change the bits of a layer of an image: clear it, or fill it with values that collide or do not, some of them many times.
 */
static void
mutate_layers(uint8_t *bytes, size_t length, Random *random)
{
	const char *reason;
	FilterView	filter;
	uint32_t	layer;
	uint64_t	mask = random_below(random, 2) ? UINT64_MAX : random_next(random) & random_next(random);
	bool		copies = random_below(random, 2) == 0;
	bool		changed;

	if (filter_open(&filter, bytes, length, &reason) != FILTER_OK || filter.header.layers == 0)
		return;
	layer = (uint32_t) random_below(random, filter.header.layers);
	if (random_below(random, 2) == 0)
		memset(filter.image + filter.header.layer[layer].offset, 0, (size_t) filter.header.layer[layer].bytes);
	filter.header.layers = layer + 1;	/* values are added to the last one */
	for (uint64_t i = random_below(random, 1 + 2 * filter.header.layer[layer].bytes); i > 0; i--)
	{
		uint64_t	hash = random_next(random) & mask;

		filter.remaining = 1;
		for (uint64_t copy = copies ? 1 + random_below(random, 20) : 1; copy > 0; copy--)
			if (filter_add(&filter, hash, false, &changed) != FILTER_OK)
				return;
	}
}

size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max_length, unsigned seed)
{
	Random		random = {seed};
	uint64_t	choice = random_below(&random, 8);

	if (choice != 0)
		length = LLVMFuzzerMutate(bytes, length, max_length);
	if (choice == 1)
		return length;
	length = repair(bytes, length, max_length, &random);
	if (choice == 2 && length > HEADER)
	{
		/* Another number of layers, whose geometries are whatever bytes follow. */
		bytes[7] = (uint8_t) random_below(&random, 5);
		length = repair(bytes, length, max_length, &random);
	}
	if (choice <= 3)
		mutate_layers(bytes, length, &random);
	return length;
}
