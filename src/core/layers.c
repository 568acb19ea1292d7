/*
 * The layers of a filter: the rate and the size of the next one, lookups over all of them, and copying one. What differs
 * between the types is behind the methods of layers.h.
 */
#include "core/layers.h"

#include "core/pause.h"

#include <assert.h>
#include <math.h>

double
filter_layer_rate_fraction(uint32_t layer)
{
	/*
	 * The fractions for layers 1 to 31 sum to 0.40: a term that starts at 0.06 and halves with each layer, for
	 * filters that grow a few times, plus a floor that even the lowest rate (1e-7) can reach with the widest cuckoo
	 * slots. With 1 for the first layer that is 1.4 times the rate; the rest of 1.5 is for a slightly overfull Bloom
	 * layer, see layer_limit in bloom_filter.c.
	 */
	return layer == 0 ? 1.0 : 0.12 * ldexp(1.0, -(int) layer) + 0.009;
}

FilterStatus
filter_append_layer(Filter *filter, uint64_t capacity, double *bytes)
{
	double		rate = filter->rate * filter_layer_rate_fraction(filter->layers);
	const FilterLayer *newest = &filter->layer[filter->layers - (filter->layers > 0)];
	FilterLayer layer;
	FilterStatus status;
	bool		grows = capacity == 0 && filter->layers > 0;

	*bytes = 0.0;
	if (filter->fixed && filter->layers > 0)
		return FILTER_FULL;
	if (filter->layers == FILTER_MAX_LAYERS)
		return FILTER_TOO_MANY_LAYERS;
	if (grows)
		capacity = newest->capacity <= FILTER_MAX_CAPACITY / 2 ? newest->capacity * 2 : FILTER_MAX_CAPACITY;
	else if (capacity == 0)
		capacity = FILTER_DEFAULT_CAPACITY;

	memset(&layer, 0, sizeof(layer));
	layer.capacity = capacity;
	status = filter_methods(filter)->choose_geometry(filter, grows, capacity, rate, &layer, bytes);
	if (status != FILTER_OK)
		return status;
	filter->layer[filter->layers++] = layer;
	return *bytes > FILTER_MAX_IMAGE_BYTES ? FILTER_TOO_LARGE : FILTER_OK;
}

/* Not inline: its register use would slow down its caller. The stashes come last, so that they cost time only then. */
static FILTER_NOINLINE bool
cuckoo_layers_contain(const Filter *filter, uint64_t hash)
{
	for (uint32_t layer = filter->layers; layer-- > 0;)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		if (cuckoo_contains(&cuckoo, hash))
			return true;
	}
	for (uint32_t layer = filter->has_stash ? filter->layers : 0; layer-- > 0;)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);
		CuckooPlace place = cuckoo_place(&cuckoo, hash);

		if (cuckoo_has_class(&cuckoo, &place))
			return true;
	}
	return false;
}

/* The newest layers are the largest, so most values are there. */
bool
filter_contains(const Filter *filter, uint64_t hash)
{
	if (filter->type == FILTER_CUCKOO)
		return cuckoo_layers_contain(filter, hash);
	for (uint32_t layer = filter->layers; layer-- > 0;)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		if (bloom_contains(&bloom, hash))
			return true;
	}
	return false;
}

static void
copy_cuckoo_layer(const CuckooLayer *to, const CuckooLayer *from, bool becomes_set)
{
	uint64_t	bytes = to->counted && from->counted ? cuckoo_counted_bytes(from) : cuckoo_slot_bytes(from);
	uint32_t	used = cuckoo_stash_used(from);

	filter_copy_bytes(to->slots, from->slots, (size_t) bytes);
	if (used > 0)
		store_le64(to->slots + cuckoo_counted_bytes(to), used);
	for (uint32_t i = 0; i < used; i++)
		cuckoo_stash_set(to, i, cuckoo_stash_get(from, i) & ~(becomes_set ? (uint64_t) CUCKOO_MAX_COUNT : 0));
	if (becomes_set || (to->counted && !from->counted))
		cuckoo_merge_copies(to);
}

void
filter_copy_layer(const Filter *to, uint32_t to_layer, const Filter *from, uint32_t from_layer)
{
	assert(to->type == from->type && filter_same_geometry(&to->layer[to_layer], &from->layer[from_layer]));
	if (to->type == FILTER_BLOOM)
		filter_copy_bytes(filter_layer_start(to, to_layer), filter_layer_start(from, from_layer),
						  (size_t) from->layer[from_layer].bytes);
	else
	{
		CuckooLayer a = filter_cuckoo_layer(to, to_layer);
		CuckooLayer b = filter_cuckoo_layer(from, from_layer);

		copy_cuckoo_layer(&a, &b, to->is_set && !from->is_set);
	}
}
