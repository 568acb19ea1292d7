/*
 * A Bloom filter grows by layers of twice the capacity and a fraction of the rate (filter_append_layer), so that the sum of
 * all rates stays near the one that the user chose, as in Almeida et al., "Scalable Bloom Filters", 2007. Values are not
 * counted, so whether a layer is full is estimated from its bits.
 */
#include "core/bloom_filter.h"

#include "core/lookup.h"
#include "core/pause.h"

#include <assert.h>
#include <math.h>

/*
 * The estimate at which a Bloom layer counts as full: half a standard deviation above its capacity, so that noise in
 * the estimate does not give a filter a second layer before it reaches its capacity.
 */
static double
layer_limit(uint64_t capacity)
{
	return (double) capacity + 0.5 * sqrt((double) capacity);
}

/*
 * The number of values that a layer is planned for: those that it holds when it is full, and one more, less half a percent of
 * its capacity. From 10,000 values on, a layer is therefore no larger than its capacity requires; a smaller one would
 * otherwise exceed its rate (test_small of test/unit/test_rates.c). Half a percent more values raise even the rate of 1e-7,
 * with its 23 probes, by less than a tenth: by 23 * ln 2 * 0.005.
 */
static uint64_t
values_at_most(uint64_t capacity)
{
	double		more = layer_limit(capacity) + 1.0 - 1.005 * (double) capacity;

	return capacity + (more > 0.0 ? (uint64_t) ceil(more) : 0);
}

FilterStatus
bloom_filter_choose_geometry(uint64_t capacity, double rate, FilterLayer *layer, double *bytes)
{
	BloomLayer	bloom = {0};
	FilterStatus status = bloom_choose_geometry(values_at_most(capacity), rate, &bloom, bytes);

	layer->count = bloom.blocks;
	layer->size = bloom.block_bits;
	layer->width = bloom.probes;
	return status;
}

double
filter_merge_limit(uint64_t capacity)
{
	double		noise = 3.0 * sqrt((double) capacity);
	double		most = (double) capacity / 64.0;	/* raises the rate of 23 probes by 23 * ln 2 / 64, a quarter */

	return layer_limit(capacity) + (noise < most ? noise : most);
}

/* The number of new values for which the newest layer has room, by counting its bits; 0 if it is full. */
static uint64_t
remaining_in_newest(const FilterView *filter)
{
	const FilterLayer *newest = &filter->header.layer[filter->header.layers - 1];
	BloomLayer	bloom = filter_bloom_layer(filter, filter->header.layers - 1);
	double		left = layer_limit(newest->capacity) - bloom_cardinality(&bloom, bloom_bits_set(&bloom));

	if (left < 1.0)
		return left > 0.0 ? 1 : 0;
	return left < (double) newest->capacity ? (uint64_t) left : newest->capacity;
}

/* Whether an addition need not count the layer's bits, since the block of the hash is not crowded. */
static bool
block_has_space(FilterView *filter, const BloomLayer *bloom, uint64_t hash)
{
	if (filter->crowded_bits == 0)
		filter->crowded_bits = bloom_crowded_bits(bloom, filter->header.layer[filter->header.layers - 1].capacity);
	return bloom_bits_set_in_block(bloom, hash) < filter->crowded_bits;
}

FilterStatus
bloom_filter_add(FilterView *filter, uint64_t hash, bool *changed)
{
	uint32_t	newest = filter->header.layers - 1;
	BloomLayer	bloom;
	bool		has_space;

	*changed = false;
	if (filter->header.layers == 0)
		return FILTER_FULL;

	bloom = filter_bloom_layer(filter, newest);
	has_space = filter->header.fixed || filter->remaining > 0 || block_has_space(filter, &bloom, hash);
	/* In a single layer, setting bits again changes nothing, so a test beforehand would be wasted. */
	if ((filter->header.layers > 1 || !has_space) && filter_contains(filter, hash))
		return FILTER_OK;
	if (!has_space && (filter->remaining = remaining_in_newest(filter)) == 0)
		return FILTER_FULL;
	*changed = bloom_add(&bloom, hash);
	filter->remaining -= *changed && filter->remaining > 0;
	return FILTER_OK;
}

void
bloom_filter_expect(FilterView *filter, size_t count)
{
	if (filter->header.fixed)
		filter->remaining = UINT64_MAX;
	else if (filter->header.layers > 0 && filter->remaining == 0 && count > FILTER_BATCH)
		filter->remaining = remaining_in_newest(filter);
}

/* A run of no more values than there is room for cannot overfill the layer. */
size_t
bloom_filter_add_run(FilterView *filter, const uint64_t *hashes, size_t count, bool *changed)
{
	BloomLayer	bloom;
	size_t		part = count < filter->remaining ? count : (size_t) filter->remaining;
	size_t		changes;

	if (filter->header.layers != 1 || part == 0)
		return 0;
	bloom = filter_bloom_layer(filter, 0);
	changes = bloom_add_all(&bloom, hashes, part);
	*changed |= changes > 0;
	filter->remaining -= changes;
	return part;
}

/*
 * The values in a Bloom layer and in the older layers of its geometry, which exist after a union that did not fit in one
 * layer: a value in several of them counts once. If nearly all bits of the union are set, the estimate is unreliable, and the
 * sum over the layers is used.
 */
#define MIN_CLEAR 64			/* bits: the estimate is within a few percent */

static double
cardinality_of_alike(const FilterView *filter, uint32_t newest, bool counted[FILTER_MAX_LAYERS])
{
	BloomLayer	alike[FILTER_MAX_LAYERS];
	uint32_t	count = 0;
	double		sum = 0.0;
	uint64_t	set;

	for (uint32_t layer = newest + 1; layer-- > 0;)
		if (filter_same_geometry(&filter->header.layer[layer], &filter->header.layer[newest]))
		{
			alike[count] = filter_bloom_layer(filter, layer);
			sum += bloom_cardinality(&alike[count], bloom_bits_set(&alike[count]));
			count++;
			counted[layer] = true;
		}
	if (count < 2)
		return sum;
	set = bloom_bits_set_in_any(alike, count);
	if (bloom_bytes(&alike[0]) * 8 - set < MIN_CLEAR)
		return sum;
	return fmin(sum, bloom_cardinality(&alike[0], set));
}

/*
 * The fraction of new values that a layer received: a value that an older layer seems to contain is not added. A layer grew
 * out of the older layers if each has half the capacity of the next; others came with a union.
 */
#define MIN_RECEIVED 0.1		/* keeps the estimate finite */

static double
bloom_received(const FilterView *filter, uint32_t layer)
{
	double		fraction = 1.0;

	for (uint32_t older = layer; older-- > 0 && filter->header.layer[older + 1].capacity == 2 * filter->header.layer[older].capacity;)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, older);

		fraction *= 1.0 - bloom_rate_now(&bloom);
	}
	return fmax(fraction, MIN_RECEIVED);
}

double
bloom_filter_cardinality(const FilterView *filter)
{
	bool		counted[FILTER_MAX_LAYERS] = {false};
	double		sum = 0.0;

	for (uint32_t layer = filter->header.layers; layer-- > 0;)
		if (!counted[layer])
			sum += cardinality_of_alike(filter, layer, counted) / bloom_received(filter, layer);
	return sum;
}

bool
bloom_filter_unite_layer(FilterView *target, const FilterView *source, uint32_t source_layer)
{
	for (uint32_t layer = 0; layer < target->header.layers; layer++)
	{
		const FilterLayer *to = &target->header.layer[layer];
		BloomLayer	both[2] = {filter_bloom_layer(target, layer), filter_bloom_layer(source, source_layer)};

		if (!filter_same_geometry(to, &source->header.layer[source_layer]) ||
			(!target->header.fixed &&
			 bloom_cardinality(&both[0], bloom_bits_set_in_any(both, 2)) > filter_merge_limit(to->capacity)))
			continue;
		bloom_merge(&both[0], &both[1], false);
		return true;
	}
	return false;
}

FilterStatus
filter_intersect(const FilterView *target, const FilterView *source)
{
	BloomLayer	a,
				b;

	assert(target->header.type == FILTER_BLOOM && source->header.type == FILTER_BLOOM);
	if (target->header.layers != 1 || source->header.layers != 1 ||
		!filter_same_geometry(&target->header.layer[0], &source->header.layer[0]))
		return FILTER_OTHER_GEOMETRY;
	a = filter_bloom_layer(target, 0);
	b = filter_bloom_layer(source, 0);
	bloom_merge(&a, &b, true);
	return FILTER_OK;
}
