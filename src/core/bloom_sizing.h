/*
 * How large a Bloom layer must be: geometry from capacity and rate, and the rate a geometry gives.
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
 * The expected false positive rate of a layer that holds so many distinct values, over random values.
 *
 * One block: the mean of (share of bits set)^probes, to the second order about the mean share. Many blocks: the mean of
 * that over the values in a block, which are Poisson distributed about values / blocks; the blocks that got more than
 * their share are why a blocked filter needs a few bits more than the textbook's -log2(rate) / ln 2.
 */
extern double bloom_rate(const BloomGeometry *geometry, double values);

/*
 * The smallest geometry that keeps capacity distinct values (1 or more) at or below the rate (above 0, below 1).
 * FILTER_TOO_LARGE when it would have more blocks than a layer can; *bytes tells the size in either case.
 */
extern FilterStatus bloom_choose_geometry(uint64_t capacity, double rate, BloomGeometry *geometry, double *bytes);

#endif
