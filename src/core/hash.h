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

/* Hash of a floating-point number: its 8 little-endian bytes, with -0 folded into 0 and every NaN into one. */
extern uint64_t filter_hash_float(double value);

#endif
