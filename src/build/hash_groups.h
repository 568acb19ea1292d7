/*
 * Hashes in memory, grouped by their leading bits. Each group is sorted on its own, in a core's cache, so that sorting them
 * all takes no second array of their size; and they stay where they are when they become more.
 */
#ifndef FILTER_BUILD_HASH_GROUPS_H
#define FILTER_BUILD_HASH_GROUPS_H

#include "postgres.h"

#define HASH_GROUP_BITS		8
#define HASH_GROUPS			(1 << HASH_GROUP_BITS)

typedef struct HashGroups HashGroups;

/* Without hashes. It takes a megabyte with the first ones, from the context. */
extern HashGroups *hash_groups_create(MemoryContext context);

extern void hash_groups_add(HashGroups *groups, const uint64 *hashes, Size count);

extern Size hash_groups_count(const HashGroups *groups);

/* Hashes that the memory taken has room for. */
extern Size hash_groups_room(const HashGroups *groups);

/* Sort every group and drop repeats; returns how many are left. Groups that nothing was added to since are left alone. */
extern Size hash_groups_sort(HashGroups *groups);

/*
 * Visit all hashes, in runs that each belong to one group, lower groups first, and in order where they are sorted. The visitor
 * returns false to stop, and so does this.
 */
typedef bool (*HashVisitor) (const uint64 *hashes, Size count, void *argument);

extern bool hash_groups_visit(const HashGroups *groups, HashVisitor visitor, void *argument);

/* Forget all hashes, but keep the memory for others; or give that back, too. */
extern void hash_groups_clear(HashGroups *groups);
extern void hash_groups_free(HashGroups *groups);

#endif
