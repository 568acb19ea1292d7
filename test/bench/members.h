/*
 * The values that the programs add to filters: a sequence of random, distinct hashes, each computed from its index.
 */
#ifndef BENCH_MEMBERS_H
#define BENCH_MEMBERS_H

#include "owned_filter.h"
#include "random.h"

static inline uint64_t
hash_of_index(uint64_t index)
{
	Random		random = {index * UINT64_C(0x9e3779b97f4a7c15)};

	return random_next(&random);
}

/* The hashes of the indexes below count, in ascending order. The caller frees them. */
extern uint64_t *sorted_members(size_t count);

/* A filter of the right size for these distinct hashes, which it contains. */
extern OwnedFilter filter_of(FilterType type, double rate, const uint64_t *hashes, size_t count);

#endif
