/*
 * The number of values is not known before the last one has come, so hashes are collected in a hash set (hash_set.c), and
 * become a filter of exactly their number. If the user gave a capacity and memory is full, a Bloom filter of this capacity is
 * filled directly, since its bits do not depend on order or duplicates.
 */
#include "collect/builder.h"

#include "core/bloom_filter.h"
#include "core/pause.h"
#include "value/kind_name.h"

StaticAssertDecl(sizeof(FilterBuilder) <= 256, "HASH_SET_FIRST is too large");

FilterBuilder *
filter_builder_create(MemoryContext context, FilterType type, uint64 capacity, double rate, HashPool *pool)
{
	FilterBuilder *builder = MemoryContextAllocZero(context, sizeof(FilterBuilder));

	builder->type = type;
	builder->rate = rate;
	builder->capacity = capacity;
	hash_set_init(&builder->hashes, context, pool);
	return builder;
}

void
filter_builder_set_kind(FilterBuilder *builder, const ValueKind *kind)
{
	uint8		sources = value_kinds_united_sources(&builder->kind, kind);

	value_kind_check(&builder->kind, kind);
	if (builder->kind.code == VALUE_KIND_NONE && kind->code != VALUE_KIND_NONE)
		builder->kind = value_kind_copy(kind, builder->hashes.context);
	builder->kind.sources = sources;
}

StaticAssertDecl(CUCKOO_RUN_BITS == HASH_GROUP_BITS, "runs of hashes must end where groups do");

/*
 * A cuckoo filter depends on the order of its hashes and on how they are divided into runs, and has an entry for each. A Bloom
 * filter depends on neither, and ignores duplicates.
 */
static HashOrder
order_to_build(const FilterBuilder *builder)
{
	return builder->type == FILTER_BLOOM ? HASHES_IN_ANY_ORDER : HASHES_SORTED;
}

/*
 * A filter of the distinct hashes collected, in one layer sized for their number, or for the capacity if that is larger;
 * without a layer if both are 0.
 */
static struct varlena *
build_layer(FilterBuilder *builder, uint64 distinct)
{
	FilterView	filter;
	struct varlena *datum;
	FilterStatus status;
	double		bytes;
	HashScan	scan;

	(void) filter_plan(&filter.header, builder->type, builder->rate, Max(builder->capacity, distinct));
	filter.header.kind = builder->kind;
	for (int attempt = 0;; attempt++)
	{
		datum = filter_allocate(&filter);
		status = FILTER_OK;
		hash_scan_begin(&scan, &builder->hashes, order_to_build(builder));
		while (status == FILTER_OK && hash_scan_next(&scan))
			status = filter_build(&filter, scan.hashes, scan.count);
		hash_scan_end(&scan);
		if (status == FILTER_OK)
			return datum;
		pfree(datum);
		filter.header.kind = builder->kind;	/* its name was in the datum */
		status = filter_plan_again(&filter.header, attempt, &bytes);
		if (status != FILTER_OK)
			filter_report(status, bytes);
	}
}

/*
 * A filter may replace the hashes if it needs less memory, or if memory is left. One filter per aggregation is always allowed,
 * since the aggregation needs the memory of one filter at its end anyway.
 */
static bool
may_stream(const FilterBuilder *builder)
{
	if (builder->stream_bytes == 0)
		return false;
	return builder->hashes.pool == NULL || !builder->hashes.pool->has_stream ||
		hash_set_can_be_replaced(&builder->hashes, builder->stream_bytes / sizeof(uint64));
}

/*
 * Turn the hashes collected so far, which are in memory, into a Bloom filter of the given capacity, and stream into it from
 * now on, unless they exceed the capacity. Further hashes are collected until memory is full, and then added together, grouped
 * by their position in the filter, so that one access to memory serves several values.
 */
static void
start_streaming(FilterBuilder *builder)
{
	uint64		distinct = hash_set_distinct(&builder->hashes);
	MemoryContext context = builder->hashes.context;
	HashPool   *pool = builder->hashes.pool;
	MemoryContext old;
	FilterStream *stream;

	if (distinct > builder->capacity)
	{
		builder->stream_bytes = 0;
		return;
	}
	stream = MemoryContextAllocZero(context, sizeof(FilterStream));
	hash_set_init(&stream->missing, context, pool);
	stream->filter.context = context;
	old = MemoryContextSwitchTo(context);
	stream->filter.datum = build_layer(builder, distinct);
	MemoryContextSwitchTo(old);
	hash_set_clear(&builder->hashes);
	filter_view_varlena(&stream->filter.filter, stream->filter.datum);
	/* The hashes were distinct, so the remaining capacity is known without counting bits. */
	stream->filter.filter.remaining = builder->capacity - distinct;
	if (pool != NULL)
	{
		pool->held += VARSIZE(stream->filter.datum) / sizeof(uint64);
		pool->has_stream = true;
	}
	builder->stream = stream;
}

/* Add values to the filter while it has room; then collect those that it does not contain. */
static void
add_or_collect(FilterStream *stream, const uint64 *hashes, Size count)
{
	const FilterView *filter = &stream->filter.filter;

	while (count > 0)
	{
		/* Values within the remaining capacity do not make the filter grow. */
		Size		part = Max(1, Min(count, filter->remaining));

		if (filter->remaining > 0)
			(void) mutable_filter_add_all(&stream->filter, hashes, part, false);
		else if (!filter_contains(filter, *hashes))
			hash_set_add(&stream->missing, *hashes);
		hashes += part;
		count -= part;
	}
}

static void
flush(FilterBuilder *builder)
{
	HashScan	scan;

	hash_scan_begin(&scan, &builder->hashes, HASHES_IN_ANY_ORDER);
	while (hash_scan_next(&scan))
		add_or_collect(builder->stream, scan.hashes, scan.count);
	hash_set_empty(&builder->hashes);
}

void
filter_builder_add_slow(FilterBuilder *builder, uint64 hash)
{
	bool		can_stream = builder->hashes.spills == 0 && (builder->stream != NULL || may_stream(builder));

	if (can_stream && !hash_set_make_space_in_memory(&builder->hashes, builder->stream == NULL))
	{
		if (builder->stream == NULL)
			start_streaming(builder);
		else
			flush(builder);
	}
	hash_set_add(&builder->hashes, hash);
}

/*
 * Return the filter after adding the hashes collected since it was full, which it does not contain: to the same layer if they
 * are few, otherwise to another layer sized for them.
 */
static struct varlena *
finish_streaming(FilterBuilder *builder)
{
	MutableFilter mutable;
	FilterView *filter = &mutable.filter;
	HashSet    *collected = &builder->stream->missing;
	uint64		missing = hash_set_distinct(collected);
	HashScan	scan;

	/* The filter is copied, since the state may be finished again, after more rows of a window frame. */
	mutable_filter_from(&mutable, PointerGetDatum(builder->stream->filter.datum));
	filter_set_sources(filter, builder->kind.sources);
	if (missing == 0)
		return mutable.datum;
	if (filter_cardinality(filter) + (double) missing > filter_merge_limit(builder->capacity))
		mutable_filter_grow(&mutable, missing);
	/*
	 * All values have room. If this were estimated again, sorted values would seem to fill the layer as soon as they fill its
	 * first blocks.
	 */
	filter->remaining = missing;
	hash_scan_begin(&scan, collected, HASHES_SORTED);
	while (hash_scan_next(&scan))
		(void) mutable_filter_add_all(&mutable, scan.hashes, scan.count, false);
	return mutable.datum;
}

struct varlena *
filter_builder_finish(FilterBuilder *builder)
{
	if (builder->stream != NULL)
	{
		flush(builder);
		return finish_streaming(builder);
	}
	/* If the capacity is enough for all hashes, it makes no difference how many of them are distinct. */
	if (builder->type == FILTER_BLOOM && builder->capacity != 0 && hash_set_count(&builder->hashes) <= builder->capacity)
		return build_layer(builder, 0);
	return build_layer(builder, hash_set_distinct(&builder->hashes));
}
