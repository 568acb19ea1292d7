/*
 * RedisBloom: its Bloom filter at 1%, which does not grow here, and its cuckoo filter with the defaults of CF.RESERVE:
 * 8 bits, two slots per bucket (1.6% per layer), a power of two of buckets, and another layer of the same size as soon
 * as a value finds no place, which happens at loads below 0.5. The Bloom filter takes two hashes; the second one is the
 * first rotated, the cheapest possibility.
 */
#include "contender.h"

#include <stdio.h>

/* The core has functions of these names, too. */
#define bloom_add	redis_bloom_add
#define bloom_add_h	redis_bloom_add_h

/* Functions that the server provides to modules. */
static void *
touched_array(size_t count, size_t size)
{
	return touched_memory(count * size);
}

#define CUCKOO_TRYCALLOC	touched_array
#define CUCKOO_REALLOC		realloc
#define CUCKOO_FREE			free

#include "bloom/bloom.c"
#include "cuckoo.c"
#include "murmur2/MurmurHash2.c"

void		(*RedisModule_Free) (void *) = free;
void	   *(*RedisModule_Calloc) (size_t, size_t) = touched_array;
void	   *(*RedisModule_TryCalloc) (size_t, size_t) = touched_array;
RM_Config	rm_config;

#define BLOOM_RATE		0.01
#define BUCKET_SLOTS	2
#define MAX_KICKS		20
#define EXPANSION		1

static bloom_hashval
two_hashes(uint64_t hash)
{
	bloom_hashval hashes = {hash, hash << 32 | hash >> 32};

	return hashes;
}

static void *
create_bloom(uint64_t values)
{
	struct bloom *bloom = touched_memory(sizeof(*bloom));

	if (bloom_init(bloom, values, BLOOM_RATE, BLOOM_OPT_NOROUND | BLOOM_OPT_FORCE64) != 0)
		abort();
	return bloom;
}

static void
destroy_bloom(void *set)
{
	bloom_free(set);
	free(set);
}

static uint64_t
bloom_bytes_of(const void *set)
{
	return ((const struct bloom *) set)->bytes;
}

static size_t
add_to_bloom(void *set, const uint64_t *hashes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void) bloom_add_h(set, two_hashes(hashes[i]));
	return count;
}

static size_t
count_in_bloom(const void *set, const uint64_t *hashes, size_t count)
{
	size_t		found = 0;

	for (size_t i = 0; i < count; i++)
		found += bloom_check_h(set, two_hashes(hashes[i])) == 1;
	return found;
}

static void *
create_cuckoo(uint64_t values)
{
	CuckooFilter *cuckoo = touched_memory(sizeof(*cuckoo));

	if (CuckooFilter_Init(cuckoo, values, BUCKET_SLOTS, MAX_KICKS, EXPANSION) != 0)
		abort();
	return cuckoo;
}

static void
destroy_cuckoo(void *set)
{
	CuckooFilter_Free(set);
	free(set);
}

/* A byte per slot. */
static uint64_t
cuckoo_bytes_of(const void *set)
{
	const CuckooFilter *cuckoo = set;
	uint64_t	sum = 0;

	for (unsigned layer = 0; layer < cuckoo->numFilters; layer++)
		sum += cuckoo->filters[layer].numBuckets * BUCKET_SLOTS;
	return sum;
}

static size_t
add_to_cuckoo(void *set, const uint64_t *hashes, size_t count)
{
	size_t		added = 0;

	while (added < count && CuckooFilter_Insert(set, hashes[added]) == CuckooInsert_Inserted)
		added++;
	return added;
}

static size_t
count_in_cuckoo(const void *set, const uint64_t *hashes, size_t count)
{
	size_t		found = 0;

	for (size_t i = 0; i < count; i++)
		found += (size_t) CuckooFilter_Check(set, hashes[i]);
	return found;
}

static size_t
remove_from_cuckoo(void *set, const uint64_t *hashes, size_t count)
{
	size_t		removed = 0;

	for (size_t i = 0; i < count; i++)
		removed += (size_t) CuckooFilter_Delete(set, hashes[i]);
	return removed;
}

const Contender redisbloom_contenders[] = {
	{
		.name = "RedisBloom, Bloom",
		.kind = CONTENDER_BLOOM,
		.create = create_bloom,
		.destroy = destroy_bloom,
		.bytes = bloom_bytes_of,
		.add = add_to_bloom,
		.count = count_in_bloom,
	},
	{
		.name = "RedisBloom, cuckoo",
		.kind = CONTENDER_CUCKOO,
		.create = create_cuckoo,
		.destroy = destroy_cuckoo,
		.bytes = cuckoo_bytes_of,
		.add = add_to_cuckoo,
		.count = count_in_cuckoo,
		.remove = remove_from_cuckoo,
	},
	{.name = NULL},
};
