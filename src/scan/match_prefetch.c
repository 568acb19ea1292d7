#include "scan/match_prefetch.h"

#include "compat.h"
#include "host/hash_table.h"

/*
 * The join's hash is of all of its keys, of which the filter may have only one. A key of variable length may have to be
 * decompressed, which takes longer than what is to be saved.
 */
void
match_prefetch_begin(RuntimeProbe *probe, HashJoinState *join)
{
	if (probe->keys != list_length(((HashJoin *) join->js.ps.plan)->hashkeys))
		return;
	for (int i = 0; i < probe->keys; i++)
		if (probe->reader[i].column[probe->reader[i].number - 1].length < 0)
			return;
	probe->join = join;
}

void
match_prefetch(RuntimeProbe *probe, PageRows *rows)
{
	HashJoinTable table = probe->join == NULL ? NULL : hash_table_to_prefetch(probe->join);
	PageRows	keyed;
	uint64		hashes[MaxHeapTuplesPerPage];

	if (table == NULL)
		return;
	keyed = *rows;
	keyed.next_bytes = 0;		/* of which only `rows` counts what has been prefetched */
	runtime_probe_join_hashes(probe, &keyed, hashes);
	hash_table_prefetch_buckets(table, hashes, keyed.count);
	page_prefetch_next(rows);
	hash_table_prefetch_rows(table, hashes, keyed.count);
}
