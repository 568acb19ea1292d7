/*
 * Hashes in memory, grouped by their leading bits. Each group is sorted on its own, in a core's cache, so that
 * sorting needs no second array of the size of all hashes; and hashes are not moved when more are added.
 */
#ifndef FILTER_BUILD_HASH_GROUPS_H
#define FILTER_BUILD_HASH_GROUPS_H

#include "postgres.h"

#include "build/hash_array.h"

#define HASH_GROUP_BITS		6
#define HASH_GROUPS			(1 << HASH_GROUP_BITS)

typedef struct HashGroups HashGroups;

/* Create groups without hashes. The first hashes take about 256 kB of the context. */
extern HashGroups *hash_groups_create(MemoryContext context);

extern void hash_groups_add(HashGroups *groups, const uint64 *hashes, Size count);

extern Size hash_groups_count(const HashGroups *groups);

/* The number of hashes that the allocated memory has room for. */
extern Size hash_groups_room(const HashGroups *groups);

/* Sort every group and remove duplicates; returns how many hashes are left. Skips groups that have not changed. */
extern Size hash_groups_sort(HashGroups *groups);

/* Pass the hashes of a group to a visitor; in order, if the groups are sorted. */
extern bool hash_groups_visit_one(const HashGroups *groups, uint32 group, HashVisitor visitor, void *argument);

/* The same for all groups, lower ones first. */
extern bool hash_groups_visit(const HashGroups *groups, HashVisitor visitor, void *argument);

/* Discard all hashes: keep the memory for others, or free it. */
extern void hash_groups_clear(HashGroups *groups);
extern void hash_groups_free(HashGroups *groups);

#endif
