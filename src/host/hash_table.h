/*
 * The table of a hash join: whether it has rows, and prefetching the rows that will be looked up. No result depends on the
 * prefetching. The portable form finds no table worth it.
 */
#ifndef FILTER_HOST_HASH_TABLE_H
#define FILTER_HOST_HASH_TABLE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "host/host.h"

/* Whether a join has hashed a row of the present execution. */
extern bool hash_table_has_rows(const HashJoinState *join);

#ifndef FILTER_HOST_PORTABLE
/* The table of a join if it is worth prefetching, and otherwise null. */
extern HashJoinTable hash_table_to_prefetch(const HashJoinState *join);

/* Load the buckets of hashes, of 32 bits each, and begin to load the first row in each. */
extern void hash_table_prefetch(HashJoinTable table, const uint64 *hashes, int count);
#else
#define hash_table_to_prefetch(join) ((void) (join), NULL)
#define hash_table_prefetch(table, hashes, count) ((void) (table), (void) (hashes), (void) (count))
#endif

/* Combine the hashes of several keys, one after the other, beginning with 0. See ExecHashGetHashValue of nodeHash.c. */
static inline uint64
hash_table_combine(uint64 hash, uint64 value)
{
	return ((uint32) hash << 1 | (uint32) hash >> 31) ^ value;
}

#endif
