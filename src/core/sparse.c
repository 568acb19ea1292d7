#include "core/sparse.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/bytes.h"
#include "core/pause.h"

#define WORD_BYTES		8
#define MASK_BYTES		8

/* Groups packed between two pauses. */
#define STRIDE_GROUPS	(FILTER_STRIDE_WORDS * WORD_BYTES / SPARSE_GROUP_BYTES)

static size_t
groups_of(size_t length)
{
	return (length + SPARSE_GROUP_BYTES - 1) / SPARSE_GROUP_BYTES;
}

/* Bit i: whether byte i of a word is not zero. */
static uint64_t
mask_of_word(uint64_t word)
{
	word |= word >> 4;
	word |= word >> 2;
	word |= word >> 1;
	word &= UINT64_C(0x0101010101010101);
	/* The products of different bytes do not overlap, so the highest byte collects one bit of each. */
	return (word * UINT64_C(0x0102040810204080)) >> 56;
}

/* Bit i: whether byte i of a block is not zero. The last block may be shorter. */
static inline uint64_t
mask_of_block(const uint8_t *block, size_t length)
{
	uint64_t	words[SPARSE_BLOCK_BYTES / WORD_BYTES] = {0};
	uint64_t	any = 0;
	uint64_t	mask = 0;

	memcpy(words, block, length);
	for (size_t i = 0; i < SPARSE_BLOCK_BYTES / WORD_BYTES; i++)
		any |= words[i];
	if (any == 0)
		return 0;
	for (size_t i = 0; i < SPARSE_BLOCK_BYTES / WORD_BYTES; i++)
		mask |= mask_of_word(little_endian_64(words[i])) << i * WORD_BYTES;
	return mask;
}

static inline uint64_t
mask_at(const uint8_t *bytes, size_t offset, size_t length)
{
	/* A constant length lets the compiler turn the copy into a few moves. */
	if (length - offset >= SPARSE_BLOCK_BYTES)
		return mask_of_block(bytes + offset, SPARSE_BLOCK_BYTES);
	return mask_of_block(bytes + offset, length - offset);
}

size_t
sparse_size(const uint8_t *bytes, size_t length, size_t limit)
{
	size_t		groups = groups_of(length);
	size_t		size = groups * sizeof(SparseGroup);

	for (size_t group = 0; group < groups;)
		for (size_t end = filter_stride(group, groups, STRIDE_GROUPS); group < end; group++)
		{
			for (size_t i = group * SPARSE_GROUP_BYTES; i < length && i < (group + 1) * SPARSE_GROUP_BYTES;
				 i += SPARSE_BLOCK_BYTES)
			{
				uint64_t	mask = mask_at(bytes, i, length);

				if (mask != 0)
					size += MASK_BYTES + filter_popcount_64(mask);
			}
			if (size > limit)
				return size;
		}
	return size;
}

/* Write the mask of a block and its nonzero bytes; returns where they end. */
static uint8_t *
pack_block(uint8_t *to, const uint8_t *block, uint64_t mask)
{
	memcpy(to, &mask, MASK_BYTES);
	to += MASK_BYTES;
	for (; mask != 0; mask >>= 1, block++)
		if (mask & 1)
			*to++ = *block;
	return to;
}

void
sparse_pack(SparseGroup *packed, const uint8_t *bytes, size_t length)
{
	size_t		groups = groups_of(length);
	uint8_t    *first = (uint8_t *) (packed + groups);
	uint8_t    *to = first;

	for (size_t group = 0; group < groups;)
		for (size_t end = filter_stride(group, groups, STRIDE_GROUPS); group < end; group++)
		{
			packed[group].blocks = 0;
			packed[group].start = (uint32_t) (to - first);
			for (uint32_t block = 0; block < SPARSE_GROUP_BLOCKS; block++)
			{
				size_t		offset = group * SPARSE_GROUP_BYTES + block * SPARSE_BLOCK_BYTES;
				uint64_t	mask;

				if (offset >= length)
					break;
				mask = mask_at(bytes, offset, length);
				if (mask == 0)
					continue;
				packed[group].blocks |= UINT32_C(1) << block;
				to = pack_block(to, bytes + offset, mask);
			}
		}
}

static void
unpack_block(const SparseGroup *packed, size_t groups, size_t number, uint8_t block[SPARSE_BLOCK_BYTES])
{
	const SparseGroup *group = &packed[number / SPARSE_GROUP_BLOCKS];
	uint32_t	bit = UINT32_C(1) << number % SPARSE_GROUP_BLOCKS;
	const uint8_t *from = (const uint8_t *) (packed + groups) + group->start;
	uint64_t	mask;

	memset(block, 0, SPARSE_BLOCK_BYTES);
	if ((group->blocks & bit) == 0)
		return;
	for (uint32_t before = group->blocks & (bit - 1); before != 0; before &= before - 1)
	{
		memcpy(&mask, from, MASK_BYTES);
		from += MASK_BYTES + filter_popcount_64(mask);
	}
	memcpy(&mask, from, MASK_BYTES);
	from += MASK_BYTES;
	for (; mask != 0; mask >>= 1, block++)
		if (mask & 1)
			*block = *from++;
}

void
sparse_read(const SparseGroup *packed, size_t length, size_t offset, size_t count, uint8_t *to)
{
	size_t		groups = groups_of(length);

	while (count > 0)
	{
		uint8_t		block[SPARSE_BLOCK_BYTES];
		size_t		within = offset % SPARSE_BLOCK_BYTES;
		size_t		part = SPARSE_BLOCK_BYTES - within < count ? SPARSE_BLOCK_BYTES - within : count;

		unpack_block(packed, groups, offset / SPARSE_BLOCK_BYTES, block);
		memcpy(to, block + within, part);
		to += part;
		offset += part;
		count -= part;
	}
}
