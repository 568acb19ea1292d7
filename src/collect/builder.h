/*
 * Builds the filter of the values in one group of an aggregate.
 *
 * The builder collects the 64-bit hashes of the values and makes the filter at the end, when the number of distinct
 * values is known. If memory is full, it starts to fill a Bloom filter of the given capacity (it streams), provided
 * that there is a capacity and the filter takes little memory; otherwise it writes hashes to a file. Values for which
 * the filter has no room are collected again, and become a second layer at the end.
 */
#ifndef FILTER_COLLECT_BUILDER_H
#define FILTER_COLLECT_BUILDER_H

#include "postgres.h"

#include "collect/hash_set.h"
#include "stored/mutable.h"
#include "value/hasher.h"

/* Memory and file that the builders of an aggregation have in common. */
typedef struct BuilderPool
{
	HashPool	hashes;
	bool		has_stream;		/* whether one of the builders streams */
} BuilderPool;

/* Sorted distinct hashes, at any alignment. */
typedef struct HashRun
{
	const char *hashes;
	Size		count;
} HashRun;

typedef struct FilterBuilder
{
	/*
	 * Fields used for every value come first, on one cache line: in a GROUP BY successive values hit different
	 * builders.
	 */
	uint64		capacity;		/* 0: the number of distinct values */
	double		rate;
	MutableFilter *streaming;	/* null while hashes are collected; its `room` is the remaining capacity */
	ValueKind	kind;			/* of the values so far */
	HashSet		hashes;			/* those that are not in `streaming`, nor pending to be added to it */

	FilterType	type;

	MemoryContext context;		/* of the builder and everything it owns */
	BuilderPool *pool;			/* null: stay in memory */
	HashSet    *witnesses;		/* null if different values have different hashes */
	HashRun		borrowed;		/* not yet added to `hashes` or `witnesses`; see filter_builder_borrow */
	HashRun		borrowed_witnesses;
	Size		stream_bytes;	/* size of the filter to stream into; 0: never stream */
	const Filter *shared_plan;	/* null: none */
	uint64		counted;		/* upper bound on the values in `streaming`: its capacity, or the sum of combined ones */
	uint64	   *pending_hashes; /* to be added to `streaming`, together; a buffer before the groups, if there are any */
	Size		pending;
	Size		pending_room;
	HashGroups *pending_groups; /* null if the filter is small */
	Size		pending_groups_room;	/* hashes that the groups may hold before they are added */
} FilterBuilder;

extern void builder_pool_init(BuilderPool *pool, MemoryContext context);
extern void builder_pool_close(BuilderPool *pool);

/*
 * Create a builder in the context. The caller has checked rate and capacity. The pool, if any, must outlive the
 * builder, and must be closed when the query ends without an error.
 */
extern FilterBuilder *filter_builder_create(MemoryContext context, FilterType type, uint64 capacity, double rate,
											BuilderPool *pool);

/*
 * Give a builder a plan for its filter, without layers or with one. It must remain, but may be changed: the builder
 * uses it if it is for the capacity and the rate that it needs.
 */
extern void filter_builder_share_plan(FilterBuilder *builder, const Filter *plan);

/* Allow streaming; filter_bytes is the size of a filter of the capacity. */
extern void filter_builder_allow_streaming(FilterBuilder *builder, Size filter_bytes);

/*
 * Give a new builder its values: sorted distinct hashes, and witnesses. They are not copied, so they must remain until
 * the builder is combined into another one, finished or changed.
 */
extern void filter_builder_borrow(FilterBuilder *builder, HashRun hashes, HashRun witnesses);

/* Set the kind of the values; error 42804 if a different kind was set before. The name is copied. */
extern void filter_builder_take_kind_in_full(FilterBuilder *builder, const ValueKind *kind);

static inline void
filter_builder_take_kind(FilterBuilder *builder, const ValueKind *kind)
{
	if (unlikely(builder->kind.code != kind->code || kind->code == VALUE_KIND_NAMED))
		filter_builder_take_kind_in_full(builder, kind);
}

extern void filter_builder_add_slow(FilterBuilder *builder, uint64 hash);

static inline void
filter_builder_add(FilterBuilder *builder, uint64 hash)
{
	if (likely(builder->streaming == NULL && hash_set_has_room(&builder->hashes)))
		hash_set_add(&builder->hashes, hash);
	else if (builder->streaming != NULL && likely(builder->pending + 1 < builder->pending_room))
		builder->pending_hashes[builder->pending++] = hash;
	else
		filter_builder_add_slow(builder, hash);
}

/*
 * For a cuckoo filter: add the witness of a value along with its hash. A cuckoo filter stores values with equal
 * hashes once, and deleting one of them would lose the others, so each different value needs its own copy. Values
 * with the same hash and different witnesses are different.
 */
extern void filter_builder_add_witness(FilterBuilder *builder, uint64 hash, uint64 witness);

/*
 * Add the values of another builder with the same parameters, which must then be discarded. Error 42804: other kind.
 *
 * If builders that streamed are combined, all values are in one layer as long as their numbers, or the estimate of
 * their union, are within the capacity. The rest goes into more layers, of the same capacity if it comes as a filter.
 */
extern void filter_builder_combine(FilterBuilder *builder, FilterBuilder *other);

/* The number of distinct hashes, and of witnesses, outside the filter that the builder has streamed into. Sorts them. */
extern uint64 filter_builder_distinct(FilterBuilder *builder);
extern uint64 filter_builder_witnesses(FilterBuilder *builder);

/* Visit these hashes, and then the witnesses, both sorted as by hash_set_visit. */
extern void filter_builder_visit(FilterBuilder *builder, HashVisitor visitor, void *argument);

/* The filter that the builder has streamed into, of at most *counted values; null if none. Later calls may change it. */
extern const struct varlena *filter_builder_streamed(FilterBuilder *builder, uint64 *counted);

/* Make a new builder continue with a copy of another's image, as if it had streamed `counted` values into it. */
extern void filter_builder_take_image(FilterBuilder *builder, const void *image, Size bytes, uint64 counted);

/*
 * The filter, palloc'd in the current context. Values can be added to the builder afterwards, and it can be finished
 * again. Error 54000 at the size limit.
 */
extern struct varlena *filter_builder_finish(FilterBuilder *builder);

#endif
