/*
 * Little-endian loads and stores of unaligned bytes: the image has one byte order on every CPU. Compilers turn each
 * of these into a single move, byte-reversing on a big-endian machine.
 */
#ifndef FILTER_BYTES_H
#define FILTER_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t
little_endian_64(uint64_t value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(value);
#elif defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return value;
#else
#error "the byte order of this machine is not known"
#endif
}

static inline uint64_t
load_le64(const uint8_t *bytes)
{
	uint64_t	value;

	memcpy(&value, bytes, sizeof(value));
	return little_endian_64(value);
}

static inline void
store_le64(uint8_t *bytes, uint64_t value)
{
	value = little_endian_64(value);
	memcpy(bytes, &value, sizeof(value));
}

static inline uint32_t
load_le32(const uint8_t *bytes)
{
	return (uint32_t) bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 | (uint32_t) bytes[3] << 24;
}

static inline void
store_le32(uint8_t *bytes, uint32_t value)
{
	bytes[0] = (uint8_t) value;
	bytes[1] = (uint8_t) (value >> 8);
	bytes[2] = (uint8_t) (value >> 16);
	bytes[3] = (uint8_t) (value >> 24);
}

static inline uint16_t
load_le16(const uint8_t *bytes)
{
	return (uint16_t) (bytes[0] | bytes[1] << 8);
}

static inline void
store_le16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t) value;
	bytes[1] = (uint8_t) (value >> 8);
}

/* An IEEE 754 double is stored as the little-endian bytes of its bit pattern. */
static inline double
load_le_double(const uint8_t *bytes)
{
	uint64_t	pattern = load_le64(bytes);
	double		value;

	memcpy(&value, &pattern, sizeof(value));
	return value;
}

static inline void
store_le_double(uint8_t *bytes, double value)
{
	uint64_t	pattern;

	memcpy(&pattern, &value, sizeof(pattern));
	store_le64(bytes, pattern);
}

#endif
