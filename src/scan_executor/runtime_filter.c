/*
 * The node that makes a filter puts its address into an executor parameter, which the plan has for this purpose, as a
 * recursive union does for its scans. The filter is thus known to the nodes of one execution, and ends with it.
 *
 * No result depends on the probes: the join of this node drops the rows that the filter would reject. Probes may therefore be
 * left out: before the filter is ready, for the rows that EvalPlanQual checks again, and while too many rows pass.
 *
 * There is an exception below a node that computes something from several rows, such as an aggregate. Part of a group would
 * give a result that the query never has, on which an expression above may fail. There, either all rows are probed or none.
 *
 * Nor does a result depend on the prefetching of matches. A hash join looks up one row at a time, and waits for memory twice:
 * for the bucket, and for the row in it. A scan has all rows of a page that passed its filters, so it can begin to load what
 * the join will read for all of them.
 */
#include "scan_executor/runtime_filter.h"

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/bloom_inline.h"
#include "host/hash_table.h"
#include "plan_nodes/settings.h"
#include "scan_executor/key_hash.h"

/*
 * The guard examines a window of rows. If too many of them pass, the filter is bypassed for some rows, and then examined
 * again. The rows of a table are often in the order in which they came, so that those of a month, for example, match together,
 * and a long bypass would let too many others pass after them. Each bypass is therefore twice as long as the one before, and
 * the first one after a window that rejects rows is short. The longest is 32 windows: if all rows pass, the probes of a
 * thirty-second of them are needless.
 */
#define WINDOW_ROWS			((uint32) 1 << 12)
#define SHORTEST_BYPASS		((int64) 1 << 13)
#define LONGEST_BYPASS		((int64) 1 << 17)

typedef struct RuntimeProbe
{
	RowFilter	common;
	EState	   *estate;
	const RuntimeProbePlan *plan;
	bool		feeds_join;		/* whether the plan says so, and it pays to prefetch what the join looks up */
	int			keys;
	KeyReader  *reader;
	KeyHash    *hash;

	/* The guard counts the rows of the present window or, while bypass_rows is positive, the rows still to be bypassed. */
	uint32		window_rows;
	uint32		window_passed;
	int64		bypass_rows;
	int64		next_bypass;	/* the rows of the next bypass; 0: the shortest */
} RuntimeProbe;

/* The filter of a probe; null if there is none in this execution, or it must not be used. */
static RuntimeFilter *
runtime_filter_of(const RuntimeProbe *probe)
{
	/* EvalPlanQual has a copy of the parameters, but joins rows that the filter may not have. */
	if (probe->estate->es_epq_active != NULL)
		return NULL;
	return (RuntimeFilter *) DatumGetPointer(probe->estate->es_param_exec_vals[probe->plan->param].value);
}

/*
 * The first scan that needs all or nothing decides for all such scans of the filter: rows of one group may come from several of
 * them, and nodes between them and the join may keep rows of one execution for the next.
 */
RuntimeFilter *
runtime_probe_filter(const RowFilter *common)
{
	const RuntimeProbe *probe = (const RuntimeProbe *) common;
	RuntimeFilter *filter = runtime_filter_of(probe);

	if (filter == NULL || (probe->plan->all_or_nothing && filter->groups == GROUPS_KEPT))
		return NULL;
	if (filter->layer.bits == NULL)
		filter->check(filter);
	if (probe->plan->all_or_nothing)
		filter->groups = filter->layer.bits != NULL ? GROUPS_FILTERED : GROUPS_KEPT;
	return filter->layer.bits != NULL ? filter : NULL;
}

/* Whether some rows are to be probed, or to pass without a probe. */
static bool
is_to_probe(RuntimeProbe *probe, int rows)
{
	if (runtime_probe_filter(&probe->common) == NULL)
		return false;
	if (probe->plan->all_or_nothing)
		return true;
	if (probe->window_rows >= WINDOW_ROWS)
	{
		if (probe->window_passed > runtime_filter_max_match_fraction * probe->window_rows)
		{
			probe->bypass_rows = Max(probe->next_bypass, SHORTEST_BYPASS);
			probe->next_bypass = Min(2 * probe->bypass_rows, LONGEST_BYPASS);
		}
		else
			probe->next_bypass = 0;
		probe->window_rows = 0;
		probe->window_passed = 0;
	}
	if (probe->bypass_rows > 0)
	{
		probe->bypass_rows -= rows;
		return false;
	}
	probe->window_rows += rows;
	return true;
}

/* Free the memory that hashing a key took, for example to decompress it. A key may be large, and take long. */
static inline void
reset_key_context(void)
{
	if (unlikely(!CurrentMemoryContext->isReset))
	{
		MemoryContextReset(CurrentMemoryContext);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Add a key to the hashes of all rows, for the filter or, in 32 bits, for the join. for_join and the method, which is the
 * key's, are constants where this is inlined.
 */
static pg_always_inline void
hash_key(RuntimeProbe *probe, int key, bool for_join, KeyHashMethod method, const Datum *values, int count, uint64 *hashes)
{
	for (int i = 0; i < count; i++)
	{
		uint64		value = key_hash_value(&probe->hash[key], method, values[i]);

		hashes[i] = for_join ? hash_table_combine(hashes[i], value) : key_hash_combine(hashes[i], value);
		if (key_hash_allocates(method))
			reset_key_context();
	}
}

/* Hash the keys of all rows into hashes[]; the rows with a null are removed. */
static void
hash_keys(RuntimeProbe *probe, bool for_join, PageRows *rows, uint64 *hashes)
{
	memset(hashes, 0, sizeof(uint64) * rows->count);
	for (int i = 0; i < probe->keys; i++)
	{
		Datum		values[MaxHeapTuplesPerPage];

		keys_read(&probe->reader[i], rows, values, hashes);
		next_page_prefetch(&rows->next);
		if (for_join)
			hash_key(probe, i, true, KEY_HASH_BY_FUNCTION, values, rows->count, hashes);
		else if (probe->hash[i].method == KEY_HASH_INTEGER)
			hash_key(probe, i, false, KEY_HASH_INTEGER, values, rows->count, hashes);
		else if (probe->hash[i].method == KEY_HASH_BIGINT)
			hash_key(probe, i, false, KEY_HASH_BIGINT, values, rows->count, hashes);
		else
			hash_key(probe, i, false, probe->hash[i].method, values, rows->count, hashes);
	}
}

static bool
runtime_probe_hash(RowFilter *common, PageRows *rows, uint64 *hashes)
{
	RuntimeProbe *probe = (RuntimeProbe *) common;

	if (!is_to_probe(probe, rows->count))
		return false;
	hash_keys(probe, false, rows, hashes);
	return true;
}

static int
runtime_probe_contained(RowFilter *common, const PageRows *rows, const uint64 *hashes, uint32 *index)
{
	RuntimeProbe *probe = (RuntimeProbe *) common;
	int			count = (int) bloom_contained(&runtime_filter_of(probe)->layer, hashes, (size_t) rows->count, index);

	probe->window_passed += count;
	return count;
}

bool
runtime_probe_row(RowFilter *common, TupleTableSlot *row)
{
	RuntimeProbe *probe = (RuntimeProbe *) common;
	MemoryContext caller;
	uint64		hash = 0;
	bool		is_null = false;
	bool		passes;

	if (!is_to_probe(probe, 1))
	{
		common->counts->bypassed++;
		return true;
	}
	caller = MemoryContextSwitchTo(common->key_context);
	for (int i = 0; i < probe->keys && !is_null; i++)
	{
		Datum		value = slot_getattr(row, probe->reader[i].number, &is_null);

		if (!is_null)
			hash = key_hash_combine(hash, key_hash_value(&probe->hash[i], probe->hash[i].method, value));
	}
	reset_key_context();
	MemoryContextSwitchTo(caller);
	passes = !is_null && bloom_contains(&runtime_filter_of(probe)->layer, hash);
	probe->window_passed += passes;
	common->counts->probed++;
	common->counts->rejected += !passes;
	return passes;
}

RowFilter *
runtime_probe_create(const RuntimeProbePlan *plan, EState *estate, TupleDesc descriptor)
{
	RowFilter  *common = row_filter_create(sizeof(RuntimeProbe));
	RuntimeProbe *probe = (RuntimeProbe *) common;

	common->hash = runtime_probe_hash;
	common->contained = runtime_probe_contained;
	common->settled = true;
	probe->estate = estate;
	probe->plan = plan;
	probe->feeds_join = plan->feeds_join;
	probe->keys = list_length(plan->keys);
	probe->reader = palloc0(sizeof(KeyReader) * probe->keys);
	probe->hash = palloc0(sizeof(KeyHash) * probe->keys);
	for (int i = 0; i < probe->keys; i++)
	{
		const JoinKey *key = list_nth(plan->keys, i);
		AttrNumber	column = castNode(Var, key->value)->varattno;

		key_reader_init(&probe->reader[i], descriptor, column);
		key_hash_init(&probe->hash[i], key);
		/* Decompressing a key of variable length, or casting one, takes longer than prefetching saves. */
		if (TupleDescAttr(descriptor, column - 1)->attlen < 0 || OidIsValid(key->cast))
			probe->feeds_join = false;
	}
	return common;
}

void
runtime_probe_prefetch_matches(RowFilter *common, PageRows *rows)
{
	RuntimeProbe *probe = (RuntimeProbe *) common;
	const RuntimeFilter *filter = probe->feeds_join ? runtime_filter_of(probe) : NULL;
	HashJoinTable table = filter == NULL || filter->join == NULL ? NULL : hash_table_to_prefetch(filter->join);
	MemoryContext caller;
	PageRows	keyed;
	uint64		hashes[MaxHeapTuplesPerPage];

	if (table == NULL)
		return;
	keyed = *rows;
	keyed.next.bytes = 0;		/* only `rows` counts what has been prefetched */
	caller = MemoryContextSwitchTo(common->key_context);
	hash_keys(probe, true, &keyed, hashes);
	MemoryContextSwitchTo(caller);
	next_page_prefetch(&rows->next);
	hash_table_prefetch(table, hashes, keyed.count);
}

Size
runtime_probe_shared_size(const RowFilter *common)
{
	const RuntimeFilter *filter = ((const RuntimeProbe *) common)->plan->below_gather ? runtime_probe_filter(common) : NULL;

	return MAXALIGN(sizeof(SharedFilter) + (filter != NULL ? bloom_bytes(&filter->layer) + BLOOM_BLOCK_BITS / 8 : 0));
}

/* The filter's bits in shared memory: each block is a cache line. */
static BloomLayer
shared_layer(SharedFilter *shared)
{
	BloomLayer	layer = shared->geometry;

	layer.bits = (uint8 *) TYPEALIGN(BLOOM_BLOCK_BITS / 8, shared + 1);
	return layer;
}

void
runtime_probe_share(const RowFilter *common, SharedFilter *shared)
{
	const RuntimeFilter *filter = ((const RuntimeProbe *) common)->plan->below_gather ? runtime_probe_filter(common) : NULL;

	/* A filter that has become ready since the workers were first started is left to the leader. No group can wait for it. */
	shared->ready = filter != NULL && runtime_probe_shared_size(common) <= shared->size;
	Assert(shared->ready || filter == NULL || !((const RuntimeProbe *) common)->plan->all_or_nothing);
	if (!shared->ready)
		return;
	shared->geometry = filter->layer;
	memcpy(shared_layer(shared).bits, filter->layer.bits, bloom_bytes(&filter->layer));
}

void
runtime_probe_receive(const RowFilter *common, SharedFilter *shared)
{
	const RuntimeProbe *probe = (const RuntimeProbe *) common;
	RuntimeFilter *filter;

	if (!shared->ready)
		return;
	filter = MemoryContextAllocZero(probe->estate->es_query_cxt, sizeof(RuntimeFilter));
	filter->layer = shared_layer(shared);
	probe->estate->es_param_exec_vals[probe->plan->param].value = PointerGetDatum(filter);
}
