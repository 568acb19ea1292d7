/*
 * The hash both filter types are built on: XXH3-64 with seed 0 over the canonical bytes of a value.
 *
 * It is part of the image format: the same value has the same hash on every CPU and in every release. The canonical
 * bytes of each kind are specified in docs/format.md; the fixed-width ones are made here, the others by the caller.
 */
#ifndef FILTER_HASH_H
#define FILTER_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of length bytes; bytes may be null when length is 0. */
extern uint64_t filter_hash_bytes(const void *bytes, size_t length);

/* Hash of a whole number: 8 bytes, two's complement, little-endian. Dates, times and booleans use it too. */
extern uint64_t filter_hash_integer(int64_t value);

/* Hash of a floating-point number: of its 8 canonical bytes, little-endian with -0 folded into 0 and every NaN into one. */
extern uint64_t filter_hash_float(double value);
extern void filter_float_bytes(double value, uint8_t bytes[8]);

/*
 * A second hash of bytes whose first one may have been chosen to collide: a polynomial over the bytes, seven at a time, at a
 * point that follows from a secret key, modulo 2^61 - 1 (Carter and Wegman, "Universal classes of hash functions", 1979). For
 * any two different strings of n bytes at most, chosen without knowing the key, the uppermost 40 bits are equal with a
 * probability of at most (n / 7 + 2) / 2^38. Not part of the image format.
 */
extern uint64_t filter_witness(const void *bytes, size_t length, uint64_t key);

/*
 * From the hash of a value to the one that places it in a filter, which is what core/filter.h and all below it take. A
 * bijection: distinct hashes stay distinct.
 *
 * Users do things by the hash: they make shards by some of its bits, or add values in its order. Placed by that same hash,
 * such values would crowd one end of every layer and reach a rate near 1 there. One round of xor, shift and multiply is
 * enough to make them spread, since all bits of the hash are random to begin with. Part of the image format.
 */
static inline uint64_t
filter_spread(uint64_t hash)
{
	hash ^= hash >> 32;
	hash *= UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 32;
}

#endif
