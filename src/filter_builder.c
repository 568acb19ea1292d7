#include "filter_builder.h"

#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"
#include "filter_datum.h"
#include "huge_memory.h"
#include "value_kind_name.h"

FilterBuilder *
filter_builder_create(MemoryContext context, FilterType type, int64 capacity, double rate, bool may_spill)
{
	FilterBuilder *builder = MemoryContextAllocZero(context, sizeof(FilterBuilder));

	builder->type = type;
	builder->rate = rate;
	builder->capacity = capacity;
	builder->context = context;
	builder->streaming_at = SIZE_MAX;
	collector_init(&builder->collector, context, may_spill);
	return builder;
}

void
filter_builder_allow_streaming(FilterBuilder *builder, Size filter_bytes)
{
	builder->streaming_at = Min(filter_bytes / (2 * sizeof(uint64)), collector_memory_limit());
}

void
filter_builder_close(FilterBuilder *builder)
{
	collector_close(&builder->collector);
}

/* The filter to be, without layers, for comparing kinds and for building. */
static void
describe(const FilterBuilder *builder, Filter *filter)
{
	if (filter_init(filter, builder->type, builder->rate) != FILTER_OK)
		filter_report(FILTER_BAD_RATE, 0.0);
	filter->kind = builder->kind;
}

void
filter_builder_take_kind_in_full(FilterBuilder *builder, const ValueKind *kind)
{
	uint8		sources = value_kinds_united_sources(&builder->kind, kind);

	value_kind_check(&builder->kind, kind);
	if (builder->kind.code == VALUE_KIND_NONE && kind->code != VALUE_KIND_NONE)
	{
		builder->kind = *kind;
		if (kind->name_length > 0)
			builder->kind.name = memcpy(MemoryContextAlloc(builder->context, kind->name_length), kind->name,
										kind->name_length);
	}
	builder->kind.sources = sources;
}

static bool
build_with(const uint64 *hashes, Size count, void *filter)
{
	return filter_build(filter, hashes, count, false) == FILTER_OK;
}

static bool
build_covering(const uint64 *hashes, Size count, void *filter)
{
	return filter_build(filter, hashes, count, true) == FILTER_OK;
}

/* A Bloom filter of the distinct hashes collected, with more layers where they are more than its capacity. */
static void
build_bloom(FilterBuilder *builder, MutableFilter *mutable, uint64 distinct)
{
	describe(builder, &mutable->filter);
	mutable->context = CurrentMemoryContext;
	mutable->datum = filter_allocate(&mutable->filter);
	mutable_filter_grow(mutable, builder->capacity != 0 ? (uint64) builder->capacity : distinct);
	while (filter_capacity(&mutable->filter) < distinct)
		mutable_filter_grow(mutable, 0);
	(void) collector_visit(&builder->collector, build_with, &mutable->filter);
}

/*
 * Values are gathered before they are added to a filter that streams. For a filter that fits a core's own cache they are few.
 * For a larger one they are as many as were collected before it started to stream, grouped by their place in the filter: so
 * a line of it is brought to the cache once for several of them, and its neighbours with it.
 */
#define PENDING_FEW		64
#define CACHED_BYTES	((Size) 256 * 1024)
#define GROUP_BITS		8

static void
allocate_pending(FilterBuilder *builder, Size room)
{
	builder->pending_room = VARSIZE(builder->streaming->datum) <= CACHED_BYTES ? PENDING_FEW : Max(room, PENDING_FEW);
	/* And as much again for grouping them. */
	builder->pending_hashes = huge_memory_allocate(builder->context, 2 * sizeof(uint64) * builder->pending_room);
}

static void
flush_pending(FilterBuilder *builder)
{
	if (builder->pending > PENDING_FEW)
	{
		Size		ends[1 << GROUP_BITS];
		uint64	   *grouped = builder->pending_hashes + builder->pending_room;

		filter_group_hashes(builder->pending_hashes, grouped, builder->pending, GROUP_BITS, ends);
		(void) mutable_filter_add_all(builder->streaming, grouped, builder->pending, false);
	}
	else
		(void) mutable_filter_add_all(builder->streaming, builder->pending_hashes, builder->pending, false);
	builder->pending = 0;
}

/* Turn the hashes collected so far into a Bloom filter of the capacity given, and go on with that. */
static void
start_streaming(FilterBuilder *builder)
{
	MemoryContext old = MemoryContextSwitchTo(builder->context);
	uint64		distinct = collector_distinct(&builder->collector);

	builder->streaming = palloc0(sizeof(MutableFilter));
	build_bloom(builder, builder->streaming, distinct);
	/* One that others are combined with gets no single values. */
	allocate_pending(builder, builder->streaming_at == SIZE_MAX ? PENDING_FEW : builder->streaming_at);
	builder->counted = distinct;
	/* The hashes were distinct, so what they leave of the capacity is known without a look at the bits. */
	if (builder->streaming->filter.layers == 1)
		builder->streaming->filter.room = (uint64) builder->capacity - distinct;
	collector_close(&builder->collector);
	MemoryContextSwitchTo(old);
}

void
filter_builder_add_slow(FilterBuilder *builder, uint64 hash)
{
	if (builder->streaming != NULL)
	{
		builder->pending_hashes[builder->pending++] = hash;
		if (builder->pending == builder->pending_room)
			flush_pending(builder);
		return;
	}
	/* Half of them will do: or a few repeats among many would have the collector sorted again and again. */
	if (collector_in_memory(&builder->collector) >= builder->streaming_at &&
		collector_compact(&builder->collector) >= builder->streaming_at / 2)
	{
		start_streaming(builder);
		builder->pending_hashes[builder->pending++] = hash;
		return;
	}
	collector_add_slow(&builder->collector, hash);
}

void
filter_builder_borrow(FilterBuilder *builder, const char *run, Size run_length)
{
	builder->run = run;
	builder->run_length = run_length;
}

FilterBuilder *
filter_builder_from_image(MemoryContext context, int64 capacity, double rate, const void *image, Size bytes, uint64 counted)
{
	FilterBuilder *builder = filter_builder_create(context, FILTER_BLOOM, capacity, rate, false);
	MemoryContext old = MemoryContextSwitchTo(context);
	struct varlena *datum = palloc(VARHDRSZ + bytes);
	Filter	   *filter;

	SET_VARSIZE(datum, VARHDRSZ + bytes);
	memcpy(VARDATA(datum), image, bytes);
	builder->streaming = palloc0(sizeof(MutableFilter));
	builder->streaming->context = context;
	builder->streaming->datum = datum;
	allocate_pending(builder, PENDING_FEW);
	builder->counted = counted;
	filter = &builder->streaming->filter;
	filter_view_varlena(filter, datum);
	filter_builder_take_kind(builder, &filter->kind);
	MemoryContextSwitchTo(old);
	return builder;
}

/* Add the values of a filter of the same parameters to one that streams. */
static void
combine_filter(FilterBuilder *builder, const Filter *filter, uint64 counted)
{
	Filter	   *mine = &builder->streaming->filter;

	if (mine->layers == 1 && filter->layers == 1 && filter_same_geometry(&mine->layer[0], &filter->layer[0]) &&
		(builder->counted + counted <= (uint64) builder->capacity || filter_can_merge_layer(mine, 0, filter, 0)))
		(void) filter_merge_layer(mine, 0, filter, 0);
	else
		mutable_filter_merge(builder->streaming, filter);
	builder->counted += counted;
	builder->streaming->filter.room = 0;
}

static bool
add_to_newest_layer(const uint64 *hashes, Size count, void *streaming)
{
	(void) mutable_filter_add_all(streaming, hashes, count, false);
	return true;
}

/* Add the hashes that another builder collected to a filter that streams. */
static void
combine_hashes(FilterBuilder *builder, FilterBuilder *other)
{
	MutableFilter *streaming = builder->streaming;
	uint64		distinct = collector_distinct(&other->collector);
	uint64		newest;

	if (distinct <= (uint64) builder->capacity)
	{
		MutableFilter theirs;
		Filter	   *mine = &streaming->filter;

		build_bloom(other, &theirs, distinct);
		if (builder->counted + distinct <= (uint64) builder->capacity ||
			filter_can_merge_layer(mine, 0, &theirs.filter, 0))
		{
			combine_filter(builder, &theirs.filter, distinct);
			pfree(theirs.datum);
			return;
		}
		pfree(theirs.datum);
	}
	/* A further layer with room for all of them, whose rate is the lower for not being the first. */
	newest = streaming->filter.layer[streaming->filter.layers - 1].capacity;
	mutable_filter_grow(streaming, Max(distinct, 2 * newest));
	streaming->filter.room = streaming->filter.layer[streaming->filter.layers - 1].capacity;
	(void) collector_visit(&other->collector, add_to_newest_layer, streaming);
	builder->counted += distinct;
	streaming->filter.room = 0;
}

void
filter_builder_combine(FilterBuilder *builder, FilterBuilder *other)
{
	if (other->kind.code != VALUE_KIND_NONE)
		filter_builder_take_kind_in_full(builder, &other->kind);
	if (other->streaming == NULL && builder->streaming == NULL)
		collector_add_sorted(&builder->collector, other->run, other->run_length);
	else if (other->streaming == NULL)
	{
		flush_pending(builder);
		collector_add_sorted(&other->collector, other->run, other->run_length);
		if (other->kind.code != VALUE_KIND_NONE)
			combine_hashes(builder, other);
	}
	else
	{
		if (builder->streaming == NULL)
			start_streaming(builder);
		flush_pending(builder);
		combine_filter(builder, &other->streaming->filter, other->counted);
	}
}

static struct varlena *
finish_cuckoo(FilterBuilder *builder, uint64 distinct)
{
	Filter		planned,
				filter;
	struct varlena *datum;
	double		bytes;
	FilterStatus status;

	describe(builder, &planned);
	status = filter_append_layer(&planned, Max((uint64) builder->capacity, distinct), &bytes);
	for (int attempt = 0;; attempt++)
	{
		if (status != FILTER_OK)
			filter_report(status, bytes);
		filter = planned;
		datum = filter_allocate(&filter);
		if (collector_visit(&builder->collector, attempt < FILTER_BUILD_ATTEMPTS ? build_with : build_covering, &filter))
			return datum;
		/* Rare: the values' places were too crowded somewhere. */
		pfree(datum);
		status = filter_enlarge_newest(&planned, &bytes);
	}
}

struct varlena *
filter_builder_finish(FilterBuilder *builder)
{
	uint64		distinct;

	if (builder->streaming != NULL)
	{
		struct varlena *datum;

		flush_pending(builder);
		filter_set_sources(&builder->streaming->filter, builder->kind.sources);
		/* The state may be finished again, after more rows of a window frame. */
		datum = palloc(VARSIZE(builder->streaming->datum));
		memcpy(datum, builder->streaming->datum, VARSIZE(builder->streaming->datum));
		return datum;
	}
	distinct = collector_distinct(&builder->collector);
	if (distinct == 0 && builder->capacity == 0)
	{
		Filter		empty;

		describe(builder, &empty);
		return filter_allocate(&empty);
	}
	if (builder->type == FILTER_BLOOM)
	{
		MutableFilter mutable;

		build_bloom(builder, &mutable, distinct);
		return mutable.datum;
	}
	return finish_cuckoo(builder, distinct);
}
