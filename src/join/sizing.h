/*
 * How large a join's filter is.
 */
#ifndef FILTER_JOIN_SIZING_H
#define FILTER_JOIN_SIZING_H

#include "postgres.h"

#include "core/bloom.h"
#include "core/bloom_sizing.h"

/* A block is a cache line. */
#define JOIN_BLOCK_BYTES	((Size) BLOOM_BLOCK_BITS / 8)

/* The geometry for a number of keys, of blocks of BLOOM_BLOCK_BITS bits. */
extern BloomGeometry join_geometry(double keys);

/* The number of distinct keys in a filter, estimated. */
extern double join_filter_keys(const BloomLayer *layer);

/* Whether a filter is too full to be worth its probes. */
extern bool join_filter_is_useless(const BloomLayer *layer);

#endif
