/*
 * Hashes in memory, grouped by their leading bits.
 */
#ifndef FILTER_COLLECT_HASH_GROUPS_H
#define FILTER_COLLECT_HASH_GROUPS_H

#include "postgres.h"

/* Allocate an array for at least one hash. */
extern uint64 *hash_array_allocate(MemoryContext context, Size count);

#define HASH_GROUP_BITS		6
#define HASH_GROUPS			(1 << HASH_GROUP_BITS)

typedef struct HashGroups HashGroups;

/* Create groups without hashes. The first hashes take about 256 kB. */
extern HashGroups *hash_groups_create(MemoryContext parent);

extern void hash_groups_add(HashGroups *groups, const uint64 *hashes, Size count);

/* The number of hashes, including duplicates, in all groups, and in one. */
extern Size hash_groups_count(const HashGroups *groups);
extern Size hash_groups_count_one(const HashGroups *groups, uint32 group);

extern uint32 hash_groups_largest(const HashGroups *groups);

/* The size of the allocated memory, in hashes. */
extern Size hash_groups_capacity(const HashGroups *groups);

/* Sort the groups and remove duplicates. Skips groups that have not changed. */
extern void hash_groups_sort(HashGroups *groups);

/* Copy the hashes of a group to an array with room for all of them; returns their number. */
extern Size hash_groups_copy_one(const HashGroups *groups, uint32 group, uint64 *hashes);

/* Discard all hashes: keep the memory for others, or free it. */
extern void hash_groups_clear(HashGroups *groups);
extern void hash_groups_free(HashGroups *groups);

#endif
