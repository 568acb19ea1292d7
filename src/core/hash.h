/*
 * The hash that both filter types use: XXH3-64 with seed 0 over the canonical bytes of a value.
 *
 * It is part of the image format: the same value has the same hash on every CPU and in every release. docs/format.md specifies
 * the canonical bytes of each kind. This module makes those of numbers, and its caller all others.
 */
#ifndef FILTER_HASH_H
#define FILTER_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of length bytes; bytes may be null when length is 0. */
extern uint64_t filter_hash_bytes(const void *bytes, size_t length);

/* Hash of a whole number: 8 bytes, two's complement, little-endian. Also used for dates, times and booleans. */
extern uint64_t filter_hash_integer(int64_t value);

/* Replace whole numbers, in two's complement, by their hashes. */
extern void filter_hash_integers(uint64_t *numbers, size_t count);

/* Hash of a floating-point number: 8 bytes, little-endian, with -0 replaced by 0 and every NaN by the same NaN. */
extern uint64_t filter_hash_float(double value);

/*
 * Convert the hash of a value to the one that determines its position in a filter, which core/filter.h and everything below it
 * expect. This is a bijection: distinct hashes stay distinct.
 *
 * Users use the hash for other purposes: sharding by some of its bits, or adding values in hash order. If the same hash
 * determined the position, such values would crowd one end of every layer and raise the rate there to nearly 1. One round of xor,
 * shift and multiply mixes them, since all bits of the hash are already random. It is part of the image format.
 */
static inline uint64_t
filter_mix(uint64_t hash)
{
	hash ^= hash >> 32;
	hash *= UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 32;
}

#endif
