/*
 * A copy of an image is placed so that the blocks of its largest layer are cache lines, wherever its memory begins.
 */
#include "core/bloom_inline.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

/* The addresses tried: every alignment that an allocation can have, and others. */
#define STARTS 256

/* Whether the block of a hash lies on a single cache line. */
static bool
is_on_one_line(const BloomLayer *layer, uint64_t hash)
{
	uintptr_t	first = (uintptr_t) (layer->bits + bloom_block_offset(layer, hash));
	uintptr_t	last = first + layer->block_bits / 8 - 1;

	return first / FILTER_CACHE_LINE_BYTES == last / FILTER_CACHE_LINE_BYTES;
}

/* Copy a filter to memory that begins at each address in turn. The placement is computed before there is an image. */
static void
check(const char *what, OwnedFilter *owned, uint32_t largest)
{
	size_t		size = (size_t) owned->image_bytes + FILTER_PLACEMENT_BYTES;
	uint8_t    *memory = zeroed_memory(size + STARTS);
	uint64_t	outside = 0,
				split = 0,
				moved = 0;

	for (size_t start = 0; start < STARTS; start++)
	{
		FilterView	header = owned->filter;
		FilterView	copy;
		BloomLayer	layer;
		Random		random = {start};
		const char *reason;
		uint8_t    *image;

		header.image = NULL;
		image = filter_place_image(&header.header, memory + start);
		if (image < memory + start || image + owned->image_bytes > memory + start + size)
		{
			wrong(&outside, "the image begins %td bytes after memory", image - memory);
			continue;
		}
		memcpy(image, owned->image, (size_t) owned->image_bytes);
		if (filter_open(&copy, image, owned->image_bytes, &reason) != FILTER_OK)
			bail_out(reason);
		if (filter_place_image(&copy.header, image) != image)
			wrong(&moved, "placing a placed image moves it");
		layer = filter_bloom_layer(&copy, largest);
		for (int i = 0; i < 100; i++)
			if (!is_on_one_line(&layer, random_next(&random)))
				wrong(&split, "a block is on two lines");
	}
	none_wrong(outside, "%s: the image is in its memory", what);
	none_wrong(split, "%s: each block is on one line", what);
	none_wrong(moved, "%s: its place stays the same", what);
	free(memory);
	owned_filter_free(owned);
}

static OwnedFilter
layers(uint64_t first, uint64_t second, uint64_t third)
{
	OwnedFilter owned = owned_filter_create(FILTER_BLOOM, first, 0.01);

	if (owned_filter_grow(&owned, second) != FILTER_OK || owned_filter_grow(&owned, third) != FILTER_OK)
		bail_out("a layer could not be added");
	return owned;
}

int
main(void)
{
	OwnedFilter owned;
	FilterHeader none;
	uint8_t		memory[1 + FILTER_PLACEMENT_BYTES];

	owned = owned_filter_create(FILTER_BLOOM, 5000, 0.01);
	check("one layer", &owned, 0);

	owned = owned_filter_create(FILTER_BLOOM, 5000, 0.01);
	owned_filter_set_kind(&owned, VALUE_KIND_NAMED, "a name that is padded");
	check("a name", &owned, 0);

	/* The first layer is a single block whose length is not a multiple of a cache line. */
	owned = layers(21, 5000, 10000);
	ok(owned.filter.header.layer[0].bytes % FILTER_CACHE_LINE_BYTES != 0, "the second layer begins off the lines of the first");
	check("the largest layer is the newest", &owned, 2);

	owned = layers(10000, 21, 5000);
	check("the largest layer is the oldest", &owned, 0);

	if (filter_init(&none, FILTER_BLOOM, 0.01) != FILTER_OK)
		bail_out("no filter");
	ok((uintptr_t) filter_place_image(&none, memory) - (uintptr_t) memory <= FILTER_PLACEMENT_BYTES,
	   "a filter without layers is placed anywhere");
	return done_testing();
}
