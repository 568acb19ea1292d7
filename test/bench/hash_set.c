#include "hash_set.h"

#include <stddef.h>

#include "core/arithmetic.h"

HashSet
hash_set_size(uint64_t values)
{
	return (HashSet) {values + values / 2 + 1, NULL};
}

/* The slot of the hash, or the empty slot where it would be added. */
static inline uint64_t
find(const HashSet *set, uint64_t hash)
{
	uint64_t	slot = multiply_high(hash, set->slots);

	while (set->hashes[slot] != 0 && set->hashes[slot] != hash)
		slot = slot + 1 < set->slots ? slot + 1 : 0;
	return slot;
}

void
hash_set_add(const HashSet *set, uint64_t hash)
{
	set->hashes[find(set, hash)] = hash;
}

bool
hash_set_contains(const HashSet *set, uint64_t hash)
{
	return set->hashes[find(set, hash)] != 0;
}
