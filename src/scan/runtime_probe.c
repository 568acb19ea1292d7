#include "scan/runtime_probe.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/bloom_kernels.h"
#include "host/hash_table.h"
#include "scan/join_key.h"

/*
 * The guard examines a window of rows. If too many of them pass, the filter is bypassed for many more rows, and then
 * examined again: the rows of a table are often not in random order.
 */
#define WINDOW_ROWS		((uint32) 1 << 14)
#define BYPASS_ROWS		((int64) 1 << 20)

List *
runtime_probe_to_list(const RuntimeProbePlan *plan)
{
	return list_make2(list_make2_int(plan->number, plan->param), join_keys_to_node(plan->keys));
}

void
runtime_probe_from_list(RuntimeProbePlan *plan, List *list)
{
	plan->number = linitial_int(linitial(list));
	plan->param = lsecond_int(linitial(list));
	plan->keys = join_keys_from_node(lsecond(list));
}

RuntimeProbe *
runtime_probe_create(const RuntimeProbePlan *plan, EState *estate, TupleDesc descriptor)
{
	RuntimeProbe *probe = palloc0(sizeof(RuntimeProbe));

	probe->estate = estate;
	probe->param = plan->param;
	probe->keys = list_length(plan->keys);
	probe->reader = palloc0(sizeof(KeyReader) * probe->keys);
	probe->hash = palloc0(sizeof(KeyHash) * probe->keys);
	for (int i = 0; i < probe->keys; i++)
	{
		const JoinKey *key = list_nth(plan->keys, i);

		key_reader_init(&probe->reader[i], descriptor, castNode(Var, key->value)->varattno);
		key_hash_init(&probe->hash[i], key->function, key->collation, key->by_integer);
	}
	probe->key_context = AllocSetContextCreate(CurrentMemoryContext, "keys of a runtime filter", ALLOCSET_DEFAULT_SIZES);
	return probe;
}

/* The filter for some rows, or null if it is not ready, or must not be used. */
static const RuntimeFilter *
ready_filter(const RuntimeProbe *probe, int rows)
{
	RuntimeFilter *filter;

	/* EvalPlanQual has a copy of the parameters, but joins other rows than those of the filter. */
	if (probe->estate->es_epq_active != NULL)
		return NULL;
	filter = (RuntimeFilter *) DatumGetPointer(probe->estate->es_param_exec_vals[probe->param].value);
	if (filter != NULL && !filter->ready && filter->check != NULL)
		filter->check(filter, rows);
	return filter != NULL && filter->ready ? filter : NULL;
}

/* Keep the hashes of the rows that are left, which were those of `before`. */
static void
keep_hashes(const PageRows *before, const PageRows *rows, uint64 *hashes)
{
	if (rows->count == before->count)
		return;
	for (int i = 0, j = 0; i < rows->count; i++, j++)
	{
		while (before->row[j] != rows->row[i])
			j++;
		hashes[i] = hashes[j];
	}
}

/* What the hashes are for: to probe the filter, or to find rows as the hash join does. */
typedef enum HashUse
{
	HASH_FOR_FILTER,
	HASH_FOR_JOIN
} HashUse;

static inline uint64
combine(HashUse use, uint64 hash, uint64 value)
{
	if (use == HASH_FOR_FILTER)
		return key_hash_combine(hash, value);
	return hash_table_combine(hash, value);
}

/* Add a key to the hashes of all rows. The use and the method, which is that of the key, are constants where this is inlined. */
static pg_always_inline void
hash_key(RuntimeProbe *probe, int key, HashUse use, KeyHashMethod method, const Datum *values, int count, uint64 *hashes)
{
	for (int i = 0; i < count; i++)
	{
		hashes[i] = combine(use, hashes[i], key_hash_value(&probe->hash[key], method, values[i]));
		/* A key that allocates memory, because it was compressed for example, may be large and take long. */
		if (method == KEY_HASH_BY_FUNCTION && unlikely(!probe->key_context->isReset))
		{
			MemoryContextReset(probe->key_context);
			CHECK_FOR_INTERRUPTS();
		}
	}
}

/* Hash the keys of all rows into hashes[]; the rows with a null are removed. */
static void
hash_keys(RuntimeProbe *probe, HashUse use, PageRows *rows, uint64 *hashes)
{
	MemoryContext caller = MemoryContextSwitchTo(probe->key_context);

	memset(hashes, 0, sizeof(uint64) * rows->count);
	for (int i = 0; i < probe->keys; i++)
	{
		Datum		values[MaxHeapTuplesPerPage];
		PageRows	before;

		if (i > 0)
			before = *rows;
		keys_read(&probe->reader[i], rows, values);
		page_prefetch_next(rows);
		if (i > 0)
			keep_hashes(&before, rows, hashes);
		if (use == HASH_FOR_JOIN)
			hash_key(probe, i, HASH_FOR_JOIN, KEY_HASH_BY_FUNCTION, values, rows->count, hashes);
		else if (probe->hash[i].method == KEY_HASH_INTEGER)
			hash_key(probe, i, HASH_FOR_FILTER, KEY_HASH_INTEGER, values, rows->count, hashes);
		else if (probe->hash[i].method == KEY_HASH_BIGINT)
			hash_key(probe, i, HASH_FOR_FILTER, KEY_HASH_BIGINT, values, rows->count, hashes);
		else
			hash_key(probe, i, HASH_FOR_FILTER, probe->hash[i].method, values, rows->count, hashes);
	}
	MemoryContextSwitchTo(caller);
}

static void
keep_contained(const BloomLayer *filter, PageRows *rows, const uint64 *hashes)
{
	uint32		contained[MaxHeapTuplesPerPage];
	int			count = (int) bloom_contained(filter, hashes, (size_t) rows->count, contained);

	for (int i = 0; i < count; i++)
		rows->row[i] = rows->row[contained[i]];
	rows->count = count;
}

/* Whether the filter is to be probed with the next page; if so, count what the last ones had. */
static void
guard(RuntimeProbe *probe, const RuntimeFilter *filter, int before, int after)
{
	probe->window_rows += before;
	probe->window_passed += after;
	if (probe->window_rows < WINDOW_ROWS)
		return;
	if (probe->window_passed > filter->max_matches * probe->window_rows)
		probe->bypass_rows = BYPASS_ROWS;
	probe->window_rows = 0;
	probe->window_passed = 0;
}

void
runtime_probe_keep(RuntimeProbe *probe, PageRows *rows, ProbeCounts *counts)
{
	uint64		hashes[MaxHeapTuplesPerPage];
	const RuntimeFilter *filter = ready_filter(probe, rows->count);
	int			before = rows->count;

	if (filter == NULL || probe->bypass_rows > 0)
	{
		probe->bypass_rows -= filter == NULL ? 0 : before;
		counts->bypassed += before;
		return;
	}
	hash_keys(probe, HASH_FOR_FILTER, rows, hashes);
	page_prefetch_next(rows);
	keep_contained(&filter->layer, rows, hashes);
	page_prefetch_next(rows);
	counts->probed += before;
	counts->rejected += before - rows->count;
	guard(probe, filter, before, rows->count);
}

void
runtime_probe_join_hashes(RuntimeProbe *probe, PageRows *rows, uint64 *hashes)
{
	hash_keys(probe, HASH_FOR_JOIN, rows, hashes);
}
