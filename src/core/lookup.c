/*
 * A lookup goes through all layers of a filter, uses what was prepared for it, or reads only some bytes of its image.
 */
#include "core/lookup.h"

#include "core/bloom_inline.h"
#include "core/cuckoo_stash.h"

/*
 * The newest layers are the largest, so most values are there. These functions are not inline, because the registers they need
 * would slow down their callers.
 */
static FILTER_NOINLINE bool
cuckoo_layers_contain(const FilterView *filter, uint64_t hash)
{
	for (uint32_t layer = filter->header.layers; layer-- > 0;)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPosition position = cuckoo_position(&cuckoo, hash);

		if (cuckoo_has_class(&cuckoo, &position))
			return true;
	}
	return false;
}

static FILTER_NOINLINE bool
bloom_layers_contain(const FilterView *filter, uint64_t hash)
{
	for (uint32_t layer = filter->header.layers; layer-- > 0;)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		if (bloom_contains(&bloom, hash))
			return true;
	}
	return false;
}

bool
filter_contains(const FilterView *filter, uint64_t hash)
{
	return filter->header.type == FILTER_BLOOM ? bloom_layers_contain(filter, hash) : cuckoo_layers_contain(filter, hash);
}

static bool
contains_in_any(const void *in, uint64_t hash)
{
	return filter_contains(*(const FilterView *const *) in, hash);
}

void
filter_prepare(PreparedFilter *prepared, const FilterView *filter)
{
	if (filter_is_plain(&filter->header))
	{
		filter_any_layer(&prepared->in.layer, filter, 0);
		prepared->contains = filter->header.type == FILTER_BLOOM ? bloom_lookup(&prepared->in.layer.bloom) : cuckoo_lookup();
	}
	else
	{
		prepared->in.filter = filter;
		prepared->contains = contains_in_any;
	}
}

uint32_t
filter_lookup_ranges(const FilterView *filter, uint32_t index, uint64_t hash, FilterRange range[2])
{
	AnyLayer	layer;
	uint64_t	start = filter->header.layer[index].offset;
	CuckooPosition position;

	filter_any_layer(&layer, filter, index);
	if (filter->header.type == FILTER_BLOOM)
	{
		range[0].offset = start + bloom_block_offset(&layer.bloom, hash);
		range[0].length = layer.bloom.block_bits / 8;
		return 1;
	}
	position = cuckoo_position(&layer.cuckoo, hash);
	for (uint32_t half = 0; half < 2; half++)
	{
		range[half].offset = start + cuckoo_window_offset(&layer.cuckoo, &position, half);
		range[half].length = CUCKOO_WINDOW_BYTES;
	}
	return 2;
}

uint32_t
filter_counter_ranges(const FilterView *filter, uint32_t index, uint64_t hash, FilterRange range[2])
{
	CuckooLayer cuckoo = filter_cuckoo_layer(filter, index);
	CuckooPosition position = cuckoo_position(&cuckoo, hash);

	for (uint32_t half = 0; half < 2; half++)
	{
		uint64_t	slot = cuckoo_slot_of_position(&cuckoo, &position, 2 * half);

		range[half].offset = filter->header.layer[index].offset + cuckoo_slot_bytes(&cuckoo) + slot / 2;
		range[half].length = 1 + slot % 2;
	}
	return cuckoo.counted ? 2 : 0;
}

bool
filter_ranges_contain(const FilterView *filter, uint32_t index, uint64_t hash, const uint8_t *const bytes[2])
{
	AnyLayer	layer;
	CuckooPosition position;

	filter_any_layer(&layer, filter, index);
	if (filter->header.type == FILTER_BLOOM)
		return bloom_block_contains(&layer.bloom, bytes[0], hash);
	position = cuckoo_position(&layer.cuckoo, hash);
	return cuckoo_windows_contain(&layer.cuckoo, &position, bytes);
}
