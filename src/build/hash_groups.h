/*
 * Hashes in memory, grouped by their leading bits. Each group is sorted on its own, in a core's cache, so that
 * sorting needs no second array of the size of all hashes; and hashes are not moved when more are added.
 */
#ifndef FILTER_BUILD_HASH_GROUPS_H
#define FILTER_BUILD_HASH_GROUPS_H

#include "postgres.h"

#define HASH_GROUP_BITS		8
#define HASH_GROUPS			(1 << HASH_GROUP_BITS)

typedef struct HashGroups HashGroups;

/* Create groups without hashes. The first hashes take about a megabyte of the context. */
extern HashGroups *hash_groups_create(MemoryContext context);

extern void hash_groups_add(HashGroups *groups, const uint64 *hashes, Size count);

extern Size hash_groups_count(const HashGroups *groups);

/* The number of hashes that the allocated memory has room for. */
extern Size hash_groups_room(const HashGroups *groups);

/* Sort every group and remove duplicates; returns how many hashes are left. Skips groups that have not changed. */
extern Size hash_groups_sort(HashGroups *groups);

/*
 * Visit all hashes, in runs that each belong to one group, lower groups first; within a group, in order if it is
 * sorted. The visitor returns false to stop; then this returns false, too.
 */
typedef bool (*HashVisitor) (const uint64 *hashes, Size count, void *argument);

extern bool hash_groups_visit(const HashGroups *groups, HashVisitor visitor, void *argument);

/* Discard all hashes: keep the memory for others, or free it. */
extern void hash_groups_clear(HashGroups *groups);
extern void hash_groups_free(HashGroups *groups);

#endif
