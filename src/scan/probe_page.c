#include "scan/probe_page.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/bloom_filter.h"
#include "core/cuckoo_filter.h"
#include "core/hash.h"
#include "core/pause.h"
#include "core/placement.h"
#include "stored/datum.h"
#include "stored/huge_memory.h"

/*
 * The time that a probe loses if its block is on two cache lines, as the number of bytes that could be copied in it
 * (measured with a filter of 10 MB); and the size from which on it loses any: below, both lines are cached.
 */
#define BYTES_PER_SPLIT_PROBE	128
#define BYTES_CACHED			((Size) 256 * 1024)

/* If less than this fraction of rows has one of the two answers, runs of rows with the other one are faster to probe. */
#define RUN_FRACTION	(1.0 / 16.0)

void
page_filter_init(PageFilter *filter, const FilterCondition *condition, PlanState *node, TupleDesc descriptor)
{
	filter->expression = ExecInitExpr(condition->filter, node);
	key_reader_init(&filter->key, descriptor, condition->column);
	filter->type = condition->type;
	filter->collation = condition->collation;
	filter->context = CurrentMemoryContext;
	filter->scan_context = AllocSetContextCreate(CurrentMemoryContext, "filter of a scan", ALLOCSET_SMALL_SIZES);
	filter->key_context = AllocSetContextCreate(CurrentMemoryContext, "keys of a filter scan", ALLOCSET_DEFAULT_SIZES);
	filter_cache_init(&filter->cache, CurrentMemoryContext);
	filter->pass_fraction = 2.0;
	filter->pass_recently = 0.5;
}

void
page_filter_init_runtime(PageFilter *filter, RuntimeProbe *probe)
{
	filter->runtime = probe;
	filter->pass_fraction = 2.0;
}

void
page_filter_forget(PageFilter *filter)
{
	if (filter->runtime != NULL)
		return;
	filter->evaluated = false;
	filter->seen = NULL;
	filter->placed.image = NULL;
	filter->probes = 0;
	filter->kinds_fit = false;
	MemoryContextReset(filter->scan_context);
}

static void
evaluate(PageFilter *filter, ExprContext *econtext)
{
	MemoryContext caller = MemoryContextSwitchTo(filter->scan_context);

	filter->datum = ExecEvalExpr(filter->expression, econtext, &filter->is_null);
	if (!filter->is_null)
	{
		struct varlena *stored = (struct varlena *) DatumGetPointer(filter->datum);

		/* The cache uses any other filter in place. */
		if (!VARATT_IS_EXTERNAL_ONDISK(stored) && !VARATT_IS_4B_C(stored))
			filter->datum = PointerGetDatum(filter_detoast(filter->datum));
		filter->seen = filter_cache_find(&filter->cache, filter->datum);
	}
	filter->evaluated = true;
	MemoryContextSwitchTo(caller);
}

/* Make the hasher, and compare its kind with the filter's. */
static bool
check_kinds(PageFilter *filter)
{
	const ValueKind *kind = &filter->seen->filter.kind;

	if (filter->hasher == NULL)
		filter->hasher = value_hasher_create(filter->type, filter->collation, filter->context);
	filter->kinds_fit = value_kinds_fit(kind, &filter->hasher->kind) ||
		value_kinds_exact_numbers(kind, &filter->hasher->kind);
	return filter->kinds_fit;
}

/*
 * A filter that is used in place is copied, so that its blocks begin on cache lines, once its probes have lost as much
 * time as the copy takes.
 */
static const Filter *
filter_to_probe(PageFilter *filter)
{
	const Filter *in_place = &filter->seen->filter;
	Size		bytes;

	if (filter->placed.image != NULL)
		return &filter->placed;
	if (filter->seen != &filter->cache.flat)
		return in_place;
	bytes = filter->cache.flat_size - VARHDRSZ;
	if (bytes > BYTES_CACHED && filter->probes >= bytes / BYTES_PER_SPLIT_PROBE &&
		filter_place_image(in_place, in_place->image) != in_place->image)
	{
		uint8	   *image = filter_place_image(in_place, huge_memory_allocate(filter->scan_context,
																			  bytes + FILTER_PLACEMENT_BYTES));

		filter_copy_bytes(image, in_place->image, bytes);
		filter->placed = *in_place;
		filter->placed.image = image;
		return &filter->placed;
	}
	return in_place;
}

/* Replace the rows by those whose key is not null, and get the hashes of these. */
static bool
hash_keys(PageFilter *filter, PageRows *rows, uint64 *hashes)
{
	MemoryContext caller = MemoryContextSwitchTo(filter->key_context);
	int			count = 0;
	bool		fits = true;

	for (int i = 0; i < rows->count; i++)
	{
		bool		is_null;
		Datum		key = key_read(&filter->key, page_row(rows, i), &is_null);

		if (is_null)
			continue;
		if (unlikely(!filter->kinds_fit) && !check_kinds(filter))
		{
			fits = false;
			break;
		}
		hashes[count] = filter_spread(value_hash(filter->hasher, key));
		rows->row[count++] = rows->row[i];
		/* A key that allocates memory, because it was compressed for example, may be large and take long. */
		if (unlikely(!filter->key_context->isReset))
		{
			MemoryContextReset(filter->key_context);
			CHECK_FOR_INTERRUPTS();
		}
	}
	rows->count = count;
	MemoryContextSwitchTo(caller);
	return fits;
}

/* Keep the rows that the filter contains, if most of them have the given answer: the others end runs. */
static int
keep_by_runs(const Filter *filter, PageRows *rows, const uint64 *hashes, bool usual)
{
	int			kept = 0;

	for (int i = 0; i < rows->count; i++)
	{
		int			end = i + (int) filter_contains_run(filter, hashes + i, rows->count - i, usual);

		if (usual)
		{
			memmove(&rows->row[kept], &rows->row[i], sizeof(OffsetNumber) * (end - i));
			kept += end - i;
		}
		else if (end < rows->count)
			rows->row[kept++] = rows->row[end];
		i = end;
	}
	return kept;
}

static int
keep_one_by_one(const Filter *filter, PageRows *rows, const uint64 *hashes)
{
	const FilterMethods *methods = filter->type == FILTER_BLOOM ? &bloom_filter_methods : &cuckoo_filter_methods;
	int			kept = 0;

	for (uint32 layer = 0; layer < filter->layers; layer++)
		methods->prefetch(filter, layer, hashes, rows->count);
	for (int i = 0; i < rows->count; i++)
	{
		/* Without a branch that the CPU could not predict. */
		rows->row[kept] = rows->row[i];
		kept += filter_contains(filter, hashes[i]);
	}
	return kept;
}

static void
keep_contained(PageFilter *filter, PageRows *rows, const uint64 *hashes)
{
	const Filter *probed = filter_to_probe(filter);
	int			count = rows->count;

	if (filter->pass_recently < RUN_FRACTION || filter->pass_recently > 1.0 - RUN_FRACTION)
		rows->count = keep_by_runs(probed, rows, hashes, filter->pass_recently > 0.5);
	else
		rows->count = keep_one_by_one(probed, rows, hashes);
	if (count > 0)
		filter->pass_recently = (double) rows->count / count;
}

/* The same for a stored filter of which only the header has been fetched so far. */
static void
keep_contained_in_stored(PageFilter *filter, PageRows *rows, const uint64 *hashes)
{
	MemoryContext caller = MemoryContextSwitchTo(filter->key_context);
	int			kept = 0;

	for (int i = 0; i < rows->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		rows->row[kept] = rows->row[i];
		kept += filter_cache_contains(&filter->cache, filter->seen, filter->datum, hashes[i]);
	}
	rows->count = kept;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(filter->key_context);
}

bool
page_filter_keep(PageFilter *filter, ExprContext *econtext, PageRows *rows)
{
	uint64		hashes[MaxHeapTuplesPerPage];
	int			before = rows->count;

	if (filter->runtime != NULL)
	{
		runtime_probe_keep(filter->runtime, rows, filter->counts);
		return true;
	}
	if (!filter->evaluated)
		evaluate(filter, econtext);
	if (filter->is_null)
		rows->count = 0;
	else if (!hash_keys(filter, rows, hashes))
		return false;
	else if (filter->seen->filter.image != NULL)
		keep_contained(filter, rows, hashes);
	else
		keep_contained_in_stored(filter, rows, hashes);
	filter->probes += before;
	filter->counts->probed += before;
	filter->counts->rejected += before - rows->count;
	return true;
}
