/*
 * Groups are sorted one by one, so sorting needs no second array for all hashes, and a group may fit a core's cache. Each
 * group is a list of blocks, so adding hashes moves none of the others.
 */
#include "collect/hash_groups.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"

/*
 * A block is about 4 kB. If its size were a multiple of 4 kB, the ends of all groups, which are written to in turn, would
 * compete for the same few cache sets.
 */
#define BLOCK_HASHES	519

/* Each allocation adds a quarter of the existing blocks: at least one block per group, at most 64 MB. */
#define MAX_BLOCKS		((Size) 64 * 1024 * 1024 / sizeof(Block))

typedef struct Block
{
	struct Block *next;
	uint64		hashes[BLOCK_HASHES];
} Block;

typedef struct Group
{
	uint64	   *end;			/* end of the hashes in the last block */
	uint64	   *block_end;		/* end of the last block */
	Block	   *first;			/* null if the group is empty */
	Block	   *last;
	Size		blocks;
	Size		sorted;			/* the number of hashes after the last sort */
} Group;

struct HashGroups
{
	MemoryContext context;		/* of the groups and their blocks */
	Group		group[HASH_GROUPS];
	Block	   *emptied;		/* list of blocks that no longer contain hashes */
	Block	   *untouched;		/* blocks that have never contained any */
	Block	   *untouched_end;
	Size		allocated;		/* total number of blocks */
};

uint64 *
hash_array_allocate(MemoryContext context, Size count)
{
	return MemoryContextAllocHuge(context, Max(count, 1) * sizeof(uint64));
}

HashGroups *
hash_groups_create(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "groups of hashes", ALLOCSET_SMALL_SIZES);
	HashGroups *groups = MemoryContextAllocZero(context, sizeof(HashGroups));

	groups->context = context;
	return groups;
}

static void
allocate_blocks(HashGroups *groups)
{
	Size		count = Min(Max(groups->allocated / 4, HASH_GROUPS), MAX_BLOCKS);

	groups->untouched = MemoryContextAllocHuge(groups->context, count * sizeof(Block));
	groups->untouched_end = groups->untouched + count;
	groups->allocated += count;
}

static pg_noinline void
append_block(HashGroups *groups, Group *group)
{
	Block	   *block = groups->emptied;

	if (block != NULL)
		groups->emptied = block->next;
	else
	{
		if (groups->untouched == groups->untouched_end)
			allocate_blocks(groups);
		block = groups->untouched++;
	}
	block->next = NULL;
	if (group->first == NULL)
		group->first = block;
	else
		group->last->next = block;
	group->last = block;
	group->end = block->hashes;
	group->block_end = block->hashes + BLOCK_HASHES;
	group->blocks++;
}

void
hash_groups_add(HashGroups *groups, const uint64 *hashes, Size count)
{
	for (Size i = 0; i < count; i++)
	{
		Group	   *group = &groups->group[hashes[i] >> (64 - HASH_GROUP_BITS)];

		if (unlikely(group->end == group->block_end))
			append_block(groups, group);
		*group->end++ = hashes[i];
	}
}

Size
hash_groups_count_one(const HashGroups *groups, uint32 group)
{
	const Group *counted = &groups->group[group];

	return counted->blocks * BLOCK_HASHES - (counted->block_end - counted->end);
}

Size
hash_groups_count(const HashGroups *groups)
{
	Size		count = 0;

	for (uint32 i = 0; i < HASH_GROUPS; i++)
		count += hash_groups_count_one(groups, i);
	return count;
}

Size
hash_groups_capacity(const HashGroups *groups)
{
	return groups->allocated * (sizeof(Block) / sizeof(uint64));
}

uint32
hash_groups_largest(const HashGroups *groups)
{
	uint32		largest = 0;

	for (uint32 i = 1; i < HASH_GROUPS; i++)
		if (hash_groups_count_one(groups, i) > hash_groups_count_one(groups, largest))
			largest = i;
	return largest;
}

static void
clear_group(HashGroups *groups, Group *group)
{
	if (group->first != NULL)
	{
		group->last->next = groups->emptied;
		groups->emptied = group->first;
	}
	memset(group, 0, sizeof(*group));
}

Size
hash_groups_copy_one(const HashGroups *groups, uint32 group, uint64 *hashes)
{
	const Group *copied = &groups->group[group];
	Size		count = 0;

	for (const Block *block = copied->first; block != NULL; block = block->next)
	{
		Size		in_block = block == copied->last ? copied->end - block->hashes : BLOCK_HASHES;

		CHECK_FOR_INTERRUPTS();
		memcpy(hashes + count, block->hashes, in_block * sizeof(uint64));
		count += in_block;
	}
	return count;
}

/* Sort one group and remove duplicates. `hashes` and `scratch` each have room for the group. */
static void
sort_group(HashGroups *groups, uint32 number, uint64 *hashes, uint64 *scratch)
{
	Group	   *group = &groups->group[number];
	Size		count = filter_sort_unique(hashes, scratch, hash_groups_copy_one(groups, number, hashes));
	Size		done = 0;

	/* Nothing below can fail: the group's old blocks are enough for the distinct hashes. */
	clear_group(groups, group);
	while (done < count)
	{
		Size		part = Min(count - done, BLOCK_HASHES);

		append_block(groups, group);
		memcpy(group->end, hashes + done, part * sizeof(uint64));
		group->end += part;
		done += part;
	}
	group->sorted = count;
}

void
hash_groups_sort(HashGroups *groups)
{
	Size		largest = hash_groups_count_one(groups, hash_groups_largest(groups));
	uint64	   *hashes = hash_array_allocate(CurrentMemoryContext, largest);
	uint64	   *scratch = hash_array_allocate(CurrentMemoryContext, largest);

	for (uint32 i = 0; i < HASH_GROUPS; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (hash_groups_count_one(groups, i) > groups->group[i].sorted)
			sort_group(groups, i, hashes, scratch);
	}
	pfree(scratch);
	pfree(hashes);
}

void
hash_groups_clear(HashGroups *groups)
{
	for (uint32 i = 0; i < HASH_GROUPS; i++)
		clear_group(groups, &groups->group[i]);
}

void
hash_groups_free(HashGroups *groups)
{
	MemoryContextDelete(groups->context);
}
