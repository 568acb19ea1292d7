/*
 * A set of the hashes themselves: open addressing, linear probing, two thirds full.
 */
#ifndef BENCH_HASH_SET_H
#define BENCH_HASH_SET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct HashSet
{
	uint64_t	slots;
	uint64_t   *hashes;			/* slots of them, zeroed, owned by the caller */
} HashSet;

/* The size for a number of hashes; the caller allocates the memory. */
extern HashSet hash_set_size(uint64_t values);

/* The hash must not be 0, which marks an empty slot. */
extern void hash_set_add(const HashSet *set, uint64_t hash);
extern bool hash_set_contains(const HashSet *set, uint64_t hash);

#endif
