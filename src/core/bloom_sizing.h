/*
 * How large a Bloom layer must be: the geometry for a capacity and rate, and the rate of a geometry.
 */
#ifndef FILTER_BLOOM_SIZING_H
#define FILTER_BLOOM_SIZING_H

#include <stdint.h>

#include "core/status.h"

typedef struct BloomGeometry
{
	uint32_t	blocks;
	uint32_t	block_bits;
	uint32_t	probes;
} BloomGeometry;

/*
 * The expected false positive rate, for random values, of a layer that holds `values` distinct values.
 *
 * One block: the mean of (fraction of bits set)^probes, to second order around the mean fraction. Many blocks: the
 * mean of that over the number of values in a block, which is Poisson distributed with mean values / blocks. Because
 * some blocks hold more values than average, a blocked filter needs a few bits more per value than the textbook's
 * -log2(rate) / ln 2.
 */
extern double bloom_rate(const BloomGeometry *geometry, double values);

/*
 * The smallest geometry that holds capacity distinct values (1 or more) at or below the rate (above 0, below 1).
 * FILTER_TOO_LARGE if it needs more blocks than a layer can have; *bytes is set to the size in either case.
 */
extern FilterStatus bloom_choose_geometry(uint64_t capacity, double rate, BloomGeometry *geometry, double *bytes);

#endif
