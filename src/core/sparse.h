/*
 * Bytes most of which are zero, in less memory, any of which can be read without unpacking the rest.
 *
 * The bytes are cut into blocks of 64. A block without a byte but zeros takes nothing; of another there is a 64-bit mask
 * of the bytes that are not zero, and then these bytes. SPARSE_GROUP_BLOCKS blocks share a group, which knows where the
 * first of them begins. The form is for memory only: it depends on the machine.
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
	uint32_t	blocks;			/* bit i: whether block i is not all zeros */
	uint32_t	start;			/* of the first one of these, behind the groups */
} SparseGroup;

/* The memory that the bytes take, or any number over `most` if they take more than that; most is below 4 GB. */
extern size_t sparse_size(const uint8_t *bytes, size_t length, size_t most);

/* Fill memory of sparse_size bytes, aligned for a SparseGroup. */
extern void sparse_pack(SparseGroup *packed, const uint8_t *bytes, size_t length);

/* Read some of the bytes, which lie within those that were packed; length is that of all of them. */
extern void sparse_read(const SparseGroup *packed, size_t length, size_t offset, size_t count, uint8_t *to);

#endif
