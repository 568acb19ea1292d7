/*
 * A hash join waits for memory twice per row: for the bucket, and for the row in it. The fields of PostgreSQL's HashJoinTable
 * are read while another node of the plan owns it, so it is read only in states in which its buckets are known to exist: see
 * has_buckets.
 */
#include "host/hash_table.h"

#include "access/htup_details.h"
#include "executor/hashjoin.h"

#include "core/arithmetic.h"

bool
hash_table_has_rows(const HashJoinState *join)
{
	return join->hj_HashTable != NULL && join->hj_HashTable->totalTuples > 0;
}

#ifndef FILTER_HOST_PORTABLE

/*
 * A hash table of fewer rows is in the caches of the CPU, where prefetching takes more time than it saves, whether all rows
 * match or few.
 */
#ifdef FILTER_PREFETCH_ALL
#define FEWEST_ROWS		0
#else
#define FEWEST_ROWS		25000
#endif

/*
 * The bucket must exist, since first_row reads it, whereas prefetching reads nothing. A private table keeps its buckets, in
 * the one batch that it has, until hj_HashTable is null. A shared table has its buckets while this process is attached to the
 * batch and has it as its current one: curbatch is -1 before a Parallel Hash is complete, and is set to -1 by
 * ExecHashTableDetachBatch, before they can be freed. ExecHashTableDetach then makes the table look like a private one; but
 * the Hash node still knows that it is not.
 */
static bool
has_buckets(const HashJoinState *join, HashJoinTable table)
{
	const HashState *hash = castNode(HashState, innerPlanState(join));

	return table->curbatch == 0 && table->parallel_state == hash->parallel_state;
}

/* A table of several batches is not prefetched, since most rows are looked up later. */
HashJoinTable
hash_table_to_prefetch(const HashJoinState *join)
{
	HashJoinTable table = join->hj_HashTable;

	if (table == NULL || table->nbatch > 1 || table->totalTuples < FEWEST_ROWS || !has_buckets(join, table))
		return NULL;
	return table;
}

static inline const void *
bucket_of(HashJoinTable table, uint64 hash)
{
	uint32		bucket = (uint32) hash & ((uint32) table->nbuckets - 1);

	if (table->parallel_state == NULL)
		return &table->buckets.unshared[bucket];
	return &table->buckets.shared[bucket];
}

/* The first row of a bucket, or null. See ExecHashFirstTuple of nodeHash.c. */
static inline HashJoinTuple
first_row(HashJoinTable table, const void *bucket)
{
	if (table->parallel_state == NULL)
		return *(const HashJoinTuple *) bucket;
	return dsa_get_address(table->area, dsa_pointer_atomic_read((dsa_pointer_atomic *) bucket));
}

void
hash_table_prefetch(HashJoinTable table, const uint64 *hashes, int count)
{
	for (int i = 0; i < count; i++)
		filter_prefetch(bucket_of(table, hashes[i]));
	for (int i = 0; i < count; i++)
	{
		const char *row = (const char *) first_row(table, bucket_of(table, hashes[i]));

		if (row == NULL)
			continue;
		/* The prefetch reaches to the first column. */
		filter_prefetch(row);
		filter_prefetch(row + HJTUPLE_OVERHEAD + MAXALIGN(SizeofMinimalTupleHeader));
	}
}

#endif
