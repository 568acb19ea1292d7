#include "collect/builder.h"

#include "utils/memutils.h"

#include "compat.h"
#include "collect/hash_distinct.h"
#include "collect/witness.h"
#include "core/cuckoo_add.h"
#include "core/pause.h"
#include "stored/datum.h"
#include "value/kind_name.h"

void
builder_pool_init(BuilderPool *pool, MemoryContext context)
{
	hash_pool_init(&pool->hashes, context);
	pool->has_stream = false;
}

void
builder_pool_close(BuilderPool *pool)
{
	hash_pool_close(&pool->hashes);
}

static void
init_set(const FilterBuilder *builder, HashSet *set)
{
	hash_set_init(set, builder->context, builder->pool != NULL ? &builder->pool->hashes : NULL);
}

FilterBuilder *
filter_builder_create(MemoryContext context, FilterType type, uint64 capacity, double rate, BuilderPool *pool)
{
	FilterBuilder *builder = MemoryContextAllocZero(context, sizeof(FilterBuilder));

	builder->type = type;
	builder->rate = rate;
	builder->capacity = capacity;
	builder->context = context;
	builder->pool = pool;
	init_set(builder, &builder->hashes);
	return builder;
}

void
filter_builder_allow_streaming(FilterBuilder *builder, Size filter_bytes)
{
	builder->stream_bytes = filter_bytes;
}

void
filter_builder_share_plan(FilterBuilder *builder, const Filter *plan)
{
	builder->shared_plan = plan;
}

/*
 * Plan the filter to build: with a layer for the capacity, or without a layer if that is 0. Choosing the geometry of a
 * layer can take longer than filling it, so the groups of a GROUP BY share the plan for a given capacity.
 */
static void
plan(const FilterBuilder *builder, Filter *filter, uint64 capacity)
{
	const Filter *shared = builder->shared_plan;

	if (shared != NULL && shared->layers == 1 && shared->layer[0].capacity == capacity && shared->rate == builder->rate)
		*filter = *shared;
	else
		(void) filter_plan(filter, builder->type, builder->rate, capacity);
	filter->kind = builder->kind;
}

void
filter_builder_take_kind_in_full(FilterBuilder *builder, const ValueKind *kind)
{
	uint8		sources = value_kinds_united_sources(&builder->kind, kind);

	value_kind_check(&builder->kind, kind);
	if (builder->kind.code == VALUE_KIND_NONE && kind->code != VALUE_KIND_NONE)
		builder->kind = value_kind_copy(kind, builder->context);
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

StaticAssertDecl(CUCKOO_RUN_BITS == HASH_GROUP_BITS, "runs of hashes must end where groups do");

/*
 * A cuckoo filter depends on the order of its hashes and on how they are divided into runs, and has an entry for each. A
 * Bloom filter depends on none of these, nor on duplicates.
 */
static HashOrder
order_to_build(const FilterBuilder *builder)
{
	return builder->type == FILTER_BLOOM ? HASHES_IN_ANY_ORDER : HASHES_SORTED;
}

/*
 * A filter of the distinct hashes collected, in one layer sized for their number, or for the capacity if that is
 * more.
 */
static struct varlena *
build(FilterBuilder *builder, uint64 distinct)
{
	Filter		planned,
				filter;
	struct varlena *datum;
	double		bytes;
	FilterStatus status;

	plan(builder, &planned, Max(builder->capacity, distinct));
	for (int attempt = 0;; attempt++)
	{
		filter = planned;
		datum = filter_allocate(&filter);
		if (hash_set_visit(&builder->hashes, order_to_build(builder),
						   attempt < FILTER_BUILD_ATTEMPTS ? build_with : build_covering, &filter))
			return datum;
		/* A value found no place. That is rare, and happens only in a cuckoo filter. */
		pfree(datum);
		status = filter_enlarge_newest(&planned, &bytes);
		if (status != FILTER_OK)
			filter_report(status, bytes);
	}
}

static HashSet *
witnesses_of(FilterBuilder *builder)
{
	if (unlikely(builder->witnesses == NULL))
	{
		builder->witnesses = MemoryContextAllocZero(builder->context, sizeof(HashSet));
		init_set(builder, builder->witnesses);
	}
	return builder->witnesses;
}

void
filter_builder_add_witness(FilterBuilder *builder, uint64 hash, uint64 witness)
{
	hash_set_add(witnesses_of(builder), witness_entry(hash, witness));
}

void
filter_builder_borrow(FilterBuilder *builder, HashRun hashes, HashRun witnesses)
{
	builder->borrowed = hashes;
	builder->borrowed_witnesses = witnesses;
}

/* Add the hashes that `other` has borrowed to `builder`, which may be the same one. */
static void
take_borrowed(FilterBuilder *builder, FilterBuilder *other)
{
	hash_set_add_all(&builder->hashes, other->borrowed.hashes, other->borrowed.count);
	if (other->borrowed_witnesses.count > 0)
		hash_set_add_all(witnesses_of(builder), other->borrowed_witnesses.hashes, other->borrowed_witnesses.count);
	other->borrowed.count = other->borrowed_witnesses.count = 0;
}

/*
 * Streaming.
 */

/*
 * While streaming, hashes are gathered before they are added to the filter. Only a few are, if the filter fits a core's
 * private cache. For a larger filter, the number grows with its size, and the hashes are grouped by their place in the
 * filter, so that one access to memory serves several values.
 */
#define PENDING_FEW		64
#define PENDING_BUFFER	4096	/* hashes before they are grouped */
#define CACHED_BYTES	((Size) 1024 * 1024)

/* Grouped hashes take at least this much memory, in hashes: two blocks per group. */
#define MIN_GROUPED	((Size) 65536)

/* The memory for pending hashes, in hashes. */
static Size
pending_memory(Size filter_bytes)
{
	if (filter_bytes <= CACHED_BYTES)
		return PENDING_FEW;
	return PENDING_BUFFER + Max(Min(filter_bytes / sizeof(uint64), 2 * hash_set_memory_limit()), MIN_GROUPED);
}

/* The memory of a streaming builder, in hashes. */
static Size
streaming_memory(Size filter_bytes)
{
	return (filter_bytes + sizeof(MutableFilter)) / sizeof(uint64) + pending_memory(filter_bytes);
}

/*
 * Whether a filter may replace the hashes: if it needs less memory, or if memory is left. One filter per aggregation
 * is always allowed, since the aggregation needs the memory of one filter at its end anyway.
 */
static bool
may_stream(const FilterBuilder *builder)
{
	if (builder->stream_bytes == 0)
		return false;
	return builder->pool == NULL || !builder->pool->has_stream ||
		hash_set_can_be_replaced(&builder->hashes, streaming_memory(builder->stream_bytes));
}

/* Make the builder stream into a filter, taking ownership of it. */
static void
stream_into(FilterBuilder *builder, struct varlena *datum, uint64 counted)
{
	builder->streaming = MemoryContextAllocZero(builder->context, sizeof(MutableFilter));
	builder->streaming->context = builder->context;
	builder->streaming->datum = datum;
	filter_view_varlena(&builder->streaming->filter, datum);
	builder->counted = counted;
	if (builder->pool != NULL)
	{
		hash_pool_hold(&builder->pool->hashes, streaming_memory(VARSIZE(datum)));
		builder->pool->has_stream = true;
	}
}

/*
 * Turn the hashes collected so far, which are in memory, into a Bloom filter of the given capacity, and stream into
 * that from now on; false if they exceed the capacity.
 */
static bool
start_streaming(FilterBuilder *builder)
{
	uint64		distinct = hash_set_distinct(&builder->hashes, HASHES_SORTED);
	MemoryContext old;
	struct varlena *datum;

	if (distinct > builder->capacity)
	{
		builder->stream_bytes = 0;
		return false;
	}
	old = MemoryContextSwitchTo(builder->context);
	datum = build(builder, distinct);
	MemoryContextSwitchTo(old);
	hash_set_clear(&builder->hashes);
	stream_into(builder, datum, builder->capacity);
	/* The hashes were distinct, so the remaining capacity is known without counting bits. */
	builder->streaming->filter.room = builder->capacity - distinct;
	return true;
}

/* Add values to the filter while it has room; then collect those that it does not contain. */
static void
add_or_collect(FilterBuilder *builder, const uint64 *hashes, Size count)
{
	const Filter *filter = &builder->streaming->filter;

	while (count > 0)
	{
		/* Values within the remaining capacity do not make the filter grow. */
		Size		part = Min(count, filter->room);

		if (part > 0)
			(void) mutable_filter_add_all(builder->streaming, hashes, part, false);
		else
		{
			part = filter_contains_run(filter, hashes, count, true);
			if (part < count)
				hash_set_add(&builder->hashes, hashes[part++]);
		}
		hashes += part;
		count -= part;
	}
}

static bool
add_pending(const uint64 *hashes, Size count, void *builder)
{
	add_or_collect(builder, hashes, count);
	return true;
}

static void
flush_pending(FilterBuilder *builder)
{
	if (builder->pending_groups != NULL)
	{
		hash_groups_add(builder->pending_groups, builder->pending_hashes, builder->pending);
		(void) hash_groups_visit(builder->pending_groups, add_pending, builder);
		hash_groups_clear(builder->pending_groups);
	}
	else
		add_or_collect(builder, builder->pending_hashes, builder->pending);
	builder->pending = 0;
}

static void
allocate_pending(FilterBuilder *builder)
{
	Size		filter_bytes = VARSIZE(builder->streaming->datum);

	builder->pending_room = PENDING_FEW;
	if (filter_bytes > CACHED_BYTES)
	{
		builder->pending_room = PENDING_BUFFER;
		builder->pending_groups = hash_groups_create(builder->context);
		/* The unused ends of blocks take less than an eighth of the memory. */
		builder->pending_groups_room = (pending_memory(filter_bytes) - PENDING_BUFFER) / 8 * 7;
	}
	builder->pending_hashes = hash_array_allocate(builder->context, builder->pending_room);
}

void
filter_builder_add_slow(FilterBuilder *builder, uint64 hash)
{
	if (builder->streaming == NULL && may_stream(builder) && hash_set_is_at_limit(&builder->hashes))
		(void) start_streaming(builder);
	if (builder->streaming == NULL)
	{
		hash_set_add(&builder->hashes, hash);
		return;
	}
	if (builder->pending_hashes == NULL)
		allocate_pending(builder);
	builder->pending_hashes[builder->pending++] = hash;
	if (builder->pending < builder->pending_room)
		return;
	if (builder->pending_groups != NULL && hash_groups_count(builder->pending_groups) < builder->pending_groups_room)
	{
		hash_groups_add(builder->pending_groups, builder->pending_hashes, builder->pending);
		builder->pending = 0;
	}
	else
		flush_pending(builder);
}

/*
 * Combining.
 */

const struct varlena *
filter_builder_streamed(FilterBuilder *builder, uint64 *counted)
{
	if (builder->streaming == NULL)
		return NULL;
	flush_pending(builder);
	*counted = builder->counted;
	return builder->streaming->datum;
}

void
filter_builder_take_image(FilterBuilder *builder, const void *image, Size bytes, uint64 counted)
{
	struct varlena *datum = MemoryContextAllocHuge(builder->context, VARHDRSZ + bytes);

	SET_VARSIZE(datum, VARHDRSZ + bytes);
	filter_copy_bytes(VARDATA(datum), image, bytes);
	stream_into(builder, datum, counted);
}

/* Add the values of the filter into which another builder streamed. */
static void
combine_streams(FilterBuilder *builder, const FilterBuilder *other)
{
	const Filter *theirs = &other->streaming->filter;
	Filter	   *mine;

	if (builder->streaming == NULL)
	{
		const struct varlena *datum = other->streaming->datum;

		filter_builder_take_image(builder, VARDATA(datum), VARSIZE(datum) - VARHDRSZ, other->counted);
		return;
	}
	flush_pending(builder);
	mine = &builder->streaming->filter;
	if (mine->layers == 1 && theirs->layers == 1 && filter_same_geometry(&mine->layer[0], &theirs->layer[0]) &&
		builder->counted + other->counted <= builder->capacity)
		(void) filter_merge_layer(mine, 0, theirs, 0);
	else
		mutable_filter_merge(builder->streaming, theirs);
	builder->counted += other->counted;
	mine->room = 0;
}

static bool
add_hashes(const uint64 *hashes, Size count, void *set)
{
	hash_set_add_all(set, hashes, count);
	return true;
}

void
filter_builder_combine(FilterBuilder *builder, FilterBuilder *other)
{
	if (other->kind.code != VALUE_KIND_NONE)
		filter_builder_take_kind_in_full(builder, &other->kind);
	if (other->streaming != NULL)
	{
		flush_pending(other);
		combine_streams(builder, other);
	}
	take_borrowed(builder, other);
	(void) hash_set_visit(&other->hashes, HASHES_SORTED, add_hashes, &builder->hashes);
	if (other->witnesses != NULL)
		(void) hash_set_visit(other->witnesses, HASHES_SORTED, add_hashes, witnesses_of(builder));
}

uint64
filter_builder_distinct(FilterBuilder *builder)
{
	take_borrowed(builder, builder);
	return hash_set_distinct(&builder->hashes, HASHES_SORTED);
}

uint64
filter_builder_witnesses(FilterBuilder *builder)
{
	take_borrowed(builder, builder);
	return builder->witnesses != NULL ? hash_set_distinct(builder->witnesses, HASHES_SORTED) : 0;
}

void
filter_builder_visit(FilterBuilder *builder, HashVisitor visitor, void *argument)
{
	take_borrowed(builder, builder);
	(void) hash_set_visit(&builder->hashes, HASHES_SORTED, visitor, argument);
	if (builder->witnesses != NULL)
		(void) hash_set_visit(builder->witnesses, HASHES_SORTED, visitor, argument);
}

/*
 * Finishing.
 */

typedef struct Missing
{
	MutableFilter *mutable;
	uint64		count;
} Missing;

static bool
count_missing(const uint64 *hashes, Size count, void *argument)
{
	Missing    *missing = argument;

	while (count > 0)
	{
		Size		contained = filter_contains_run(&missing->mutable->filter, hashes, count, true);

		if (contained == count)
			break;
		missing->count++;
		hashes += contained + 1;
		count -= contained + 1;
	}
	return true;
}

static bool
add_missing(const uint64 *hashes, Size count, void *argument)
{
	Missing    *missing = argument;

	(void) mutable_filter_add_all(missing->mutable, hashes, count, false);
	return true;
}

/*
 * The filter streamed into, with the hashes collected since it was full, or by other processes. They are added to the
 * same layer if all values are within the capacity, otherwise to another layer sized for them.
 */
static struct varlena *
finish_streaming(FilterBuilder *builder)
{
	MutableFilter mutable;
	Filter	   *filter = &mutable.filter;
	Missing		missing = {&mutable, 0};
	uint64		distinct = hash_set_distinct(&builder->hashes, HASHES_SORTED);

	/* A copy, since the state may be finished again, after more rows of a window frame. */
	mutable_filter_from(&mutable, PointerGetDatum(builder->streaming->datum));
	filter_set_sources(filter, builder->kind.sources);
	if (distinct == 0)
		return mutable.datum;
	if (builder->counted + distinct <= builder->capacity)
		missing.count = distinct;
	else
	{
		(void) hash_set_visit(&builder->hashes, HASHES_SORTED, count_missing, &missing);
		if (missing.count > 0 &&
			(filter->layers > 1 ||
			 filter_cardinality(filter) + (double) missing.count > filter_merge_limit(filter->layer[0].capacity)))
			mutable_filter_grow(&mutable, missing.count);
	}
	/*
	 * There is room for all. If it were estimated again, sorted values would seem to fill the layer as soon as they
	 * fill its first blocks.
	 */
	filter->room = missing.count;
	(void) hash_set_visit(&builder->hashes, HASHES_SORTED, add_missing, &missing);
	return mutable.datum;
}

struct varlena *
filter_builder_finish(FilterBuilder *builder)
{
	uint64		distinct,
				witnesses;

	take_borrowed(builder, builder);
	if (builder->streaming != NULL)
	{
		flush_pending(builder);
		return finish_streaming(builder);
	}
	/* If the capacity is enough even if all hashes are distinct, the number of those that are makes no difference. */
	if (builder->type == FILTER_BLOOM && builder->capacity != 0 && hash_set_count(&builder->hashes) <= builder->capacity)
		return build(builder, 0);
	distinct = hash_set_distinct(&builder->hashes, order_to_build(builder));
	if (distinct == 0 && builder->capacity == 0)
	{
		Filter		empty;

		plan(builder, &empty, 0);
		return filter_allocate(&empty);
	}
	witnesses = filter_builder_witnesses(builder);
	if (witnesses > distinct)
		return witness_copy_collisions(builder->witnesses, &builder->hashes, build(builder, witnesses));
	return build(builder, distinct);
}
