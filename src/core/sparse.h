/*
 * A compact form of bytes that are mostly zero. Any of them can be read without unpacking the rest.
 *
 * The bytes are divided into blocks of 64. A block of zeroes takes no space; any other is stored as a 64-bit mask of
 * its nonzero bytes, followed by these bytes. SPARSE_GROUP_BLOCKS blocks form a group, which records where its first
 * stored block begins. The form depends on the machine, so it is for memory only.
 */
#ifndef FILTER_SPARSE_H
#define FILTER_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#define SPARSE_BLOCK_BYTES	((size_t) 64)
#define SPARSE_GROUP_BLOCKS 32
#define SPARSE_GROUP_BYTES	(SPARSE_BLOCK_BYTES * SPARSE_GROUP_BLOCKS)

typedef struct SparseGroup
{
	uint32_t	blocks;			/* bit i: whether block i has a nonzero byte */
	uint32_t	start;			/* offset of the first of these, after the groups */
} SparseGroup;

/* The packed size of the bytes, or any number above `limit` if it exceeds that; the limit is below 4 GB. */
extern size_t sparse_size(const uint8_t *bytes, size_t length, size_t limit);

/* Fill memory of sparse_size bytes, aligned for a SparseGroup. */
extern void sparse_pack(SparseGroup *packed, const uint8_t *bytes, size_t length);

/* Read a range of the packed bytes; length is the total length that was packed. */
extern void sparse_read(const SparseGroup *packed, size_t length, size_t offset, size_t count, uint8_t *to);

#endif
