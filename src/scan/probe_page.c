#include "scan/probe_page.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash.h"
#include "core/pause.h"
#include "core/placement.h"
#include "stored/datum.h"
#include "stored/huge_memory.h"
#include "value/kind_name.h"

/*
 * The time that a probe loses if its block is on two cache lines, as the number of bytes that could be copied in it
 * (measured with a filter of 10 MB); and the size from which on it loses any: below, both lines are cached.
 */
#define BYTES_PER_SPLIT_PROBE	128
#define BYTES_CACHED			((Size) 256 * 1024)

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

/* Make the hasher, and compare its kind with the filter's: the same error as that of contains. */
static void
check_kinds(PageFilter *filter)
{
	const ValueKind *kind = &filter->seen->filter.kind;

	if (filter->hasher == NULL)
		filter->hasher = value_hasher_create(filter->type, filter->collation, filter->context);
	if (!value_kinds_exact_numbers(kind, &filter->hasher->kind))
		value_kind_check(kind, &filter->hasher->kind);
	filter->kinds_fit = true;
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
	if (bytes > BYTES_CACHED && bytes <= filter_cache_copies_limit() &&
		filter->probes >= bytes / BYTES_PER_SPLIT_PROBE &&
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

/* Get the hashes of keys. One that has to be decompressed, for example, allocates memory and may take long. */
static void
hash_all(PageFilter *filter, const Datum *keys, int count, uint64 *hashes)
{
	MemoryContext caller = MemoryContextSwitchTo(filter->key_context);

	for (int i = 0; i < count; i++)
	{
		if (filter->hasher->hash_many != NULL)
			i += filter->hasher->hash_many(keys + i, count - i, hashes + i);
		if (i == count)
			break;
		hashes[i] = value_hash(filter->hasher, keys[i]);
		if (unlikely(!filter->key_context->isReset))
		{
			MemoryContextReset(filter->key_context);
			CHECK_FOR_INTERRUPTS();
		}
	}
	MemoryContextSwitchTo(caller);
}

/* Replace the rows by those whose key is not null, and get the hashes of these. */
static void
hash_keys(PageFilter *filter, PageRows *rows, uint64 *hashes)
{
	Datum		keys[MaxHeapTuplesPerPage];

	keys_read(&filter->key, rows, keys);
	page_prefetch_next(rows);
	if (rows->count == 0)
		return;
	if (unlikely(!filter->kinds_fit))
		check_kinds(filter);
	hash_all(filter, keys, rows->count, hashes);
	page_prefetch_next(rows);
	for (int i = 0; i < rows->count; i++)
		hashes[i] = filter_spread(hashes[i]);
}

static void
keep_contained(const Filter *filter, PageRows *rows, const uint64 *hashes)
{
	uint32		contained[MaxHeapTuplesPerPage];
	int			count = (int) filter_contained(filter, hashes, (size_t) rows->count, contained);

	for (int i = 0; i < count; i++)
		rows->row[i] = rows->row[contained[i]];
	rows->count = count;
	page_prefetch_next(rows);
}

/* The same for a stored filter of which only the header has been fetched so far. */
static void
keep_contained_in_slices(PageFilter *filter, PageRows *rows, const uint64 *hashes)
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

void
page_filter_keep(PageFilter *filter, ExprContext *econtext, PageRows *rows)
{
	uint64		hashes[MaxHeapTuplesPerPage];
	int			before = rows->count;

	if (filter->runtime != NULL)
	{
		runtime_probe_keep(filter->runtime, rows, filter->counts);
		return;
	}
	if (!filter->evaluated)
		evaluate(filter, econtext);
	if (filter->is_null)
		rows->count = 0;
	else
	{
		hash_keys(filter, rows, hashes);
		if (filter->seen->filter.image == NULL)
			filter_cache_expect(&filter->cache, filter->seen, filter->datum,
								(uint64) (filter->rows * rows->count / rows->taken));
		if (filter->seen->filter.image != NULL)
			keep_contained(filter_to_probe(filter), rows, hashes);
		else
			keep_contained_in_slices(filter, rows, hashes);
	}
	filter->probes += before;
	filter->counts->probed += before;
	filter->counts->rejected += before - rows->count;
}
