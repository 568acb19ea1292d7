/*
 * Hashes in memory, grouped by their leading bits. Groups are sorted one by one, so sorting needs no second array for
 * all hashes, and a group may fit a core's cache. Adding hashes moves none of the others.
 */
#ifndef FILTER_COLLECT_HASH_GROUPS_H
#define FILTER_COLLECT_HASH_GROUPS_H

#include "postgres.h"

#include "collect/hash_array.h"

#define HASH_GROUP_BITS		6
#define HASH_GROUPS			(1 << HASH_GROUP_BITS)

typedef struct HashGroups HashGroups;

/* Create groups without hashes. The first hashes take about 256 kB of the context. */
extern HashGroups *hash_groups_create(MemoryContext context);

extern void hash_groups_add(HashGroups *groups, const uint64 *hashes, Size count);

/* The number of hashes, including duplicates, in all groups or in one. */
extern Size hash_groups_count(const HashGroups *groups);
extern Size hash_groups_count_one(const HashGroups *groups, uint32 group);

/* The size of the allocated memory, in hashes. */
extern Size hash_groups_room(const HashGroups *groups);

/* Sort every group and remove duplicates; returns how many hashes are left. Skips groups that have not changed. */
extern Size hash_groups_sort(HashGroups *groups);

/* Copy the hashes of a group to an array with room for all of them. */
extern void hash_groups_copy_one(const HashGroups *groups, uint32 group, uint64 *hashes);

/* Pass the hashes of a group to a visitor, a block at a time; false if the visitor stopped. */
extern bool hash_groups_visit_one(const HashGroups *groups, uint32 group, HashVisitor visitor, void *argument);

/* The same for all groups, lower ones first. */
extern bool hash_groups_visit(const HashGroups *groups, HashVisitor visitor, void *argument);

/* Discard all hashes: keep the memory for others, or free it. */
extern void hash_groups_clear(HashGroups *groups);
extern void hash_groups_free(HashGroups *groups);

#endif
