/*
 * The plain cuckoo filter (Fan, Andersen, Kaminsky, Mitzenmacher, 2014), with fingerprints of 12 bits in buckets of
 * four, whose number is a power of two.
 */
#ifndef BENCH_PLAIN_CUCKOO_H
#define BENCH_PLAIN_CUCKOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_CUCKOO_FINGERPRINT_BITS	12
#define PLAIN_CUCKOO_BUCKET_SLOTS		4
#define PLAIN_CUCKOO_HIGHEST_LOAD		0.95

typedef struct PlainCuckoo
{
	uint64_t	buckets;
	uint8_t    *slots;			/* plain_cuckoo_bytes of them, zeroed, owned by the caller */
} PlainCuckoo;

/* The size for a number of values; the caller allocates the memory. */
extern PlainCuckoo plain_cuckoo_size(uint64_t values);
extern uint64_t plain_cuckoo_bytes(const PlainCuckoo *cuckoo);

/* False, with a value lost, if the filter is full. */
extern bool plain_cuckoo_add(const PlainCuckoo *cuckoo, uint64_t hash);
extern bool plain_cuckoo_contains(const PlainCuckoo *cuckoo, uint64_t hash);

/* As filter_contains_run: the first of the hashes for which plain_cuckoo_contains is not `wanted`. Prefetches. */
extern size_t plain_cuckoo_contains_run(const PlainCuckoo *cuckoo, const uint64_t *hashes, size_t count, bool wanted);

#endif
