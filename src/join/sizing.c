#include "join/sizing.h"

#include "compat.h"

/*
 * The rate of false positives that filters are made for, and the one at which a filter is not worth its probes. A
 * false positive costs no more than a row without a filter.
 */
#define RATE			0.01
#define USELESS_RATE	0.3

/* For fewer, bloom_choose_geometry might choose another block size. */
#define FEWEST_KEYS		2048

/* Of estimates, which can be larger than any integer. */
#define MOST_KEYS		1e12

BloomGeometry
join_geometry(double keys)
{
	BloomGeometry geometry;
	double		bytes;

	keys = Min(Max(keys, FEWEST_KEYS), MOST_KEYS);
	if (bloom_choose_geometry((uint64) keys, RATE, &geometry, &bytes) != FILTER_OK)
		geometry.blocks = PG_INT32_MAX;
	return geometry;
}

double
join_filter_keys(const BloomLayer *layer)
{
	return bloom_cardinality(layer, bloom_bits_set(layer));
}

bool
join_filter_is_useless(const BloomLayer *layer)
{
	BloomGeometry geometry = {layer->blocks, layer->block_bits, layer->probes};

	return bloom_rate(&geometry, join_filter_keys(layer)) > USELESS_RATE;
}
