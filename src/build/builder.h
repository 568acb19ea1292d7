/*
 * Builds the filter of the values in one group of an aggregate.
 *
 * The builder collects the 64-bit hashes of the values and makes the filter at the end, when the number of distinct
 * values is known. If memory is full, it starts to fill a Bloom filter of the given capacity (it streams), provided
 * that there is a capacity and the filter takes little memory; otherwise it writes hashes to a file. Values for which
 * the filter has no room are collected again, and become a second layer at the end.
 */
#ifndef FILTER_BUILD_BUILDER_H
#define FILTER_BUILD_BUILDER_H

#include "postgres.h"

#include "build/hash_collector.h"
#include "stored/mutable.h"
#include "value/hasher.h"

typedef struct FilterBuilder
{
	/*
	 * Fields used for every value come first, on one cache line: in a GROUP BY successive values hit different
	 * builders.
	 */
	uint64		capacity;		/* 0: that of the data */
	double		rate;
	MutableFilter *streaming;	/* null while hashes are collected; its `room` is the remaining capacity */
	ValueKind	kind;			/* of the values so far */
	HashCollector collector;

	FilterType	type;

	MemoryContext context;		/* of the builder and everything it owns */
	const char *run;			/* sorted distinct hashes from another process, not in the collector; borrowed */
	Size		run_length;
	HashCollector *witnesses;	/* null if different values have different hashes */
	const char *witness_run;	/* likewise sorted, distinct and borrowed */
	Size		witness_run_length;
	Size		stream_bytes;	/* size of the filter to stream into; 0: never stream */
	uint64		counted;		/* upper bound of the values in `streaming`: the capacity, or the sum if builders were combined */
	uint64	   *pending_hashes; /* not in `streaming` yet */
	Size		pending;
	Size		pending_room;
} FilterBuilder;

/*
 * Create a builder in the context. The caller has checked rate and capacity. The pool is that of collector_init.
 */
extern FilterBuilder *filter_builder_create(MemoryContext context, FilterType type, uint64 capacity, double rate,
											CollectorPool *pool);

/* Allow streaming; filter_bytes is the size of a filter of the capacity. */
extern void filter_builder_allow_streaming(FilterBuilder *builder, Size filter_bytes);

/*
 * Make sorted distinct hashes, at any alignment, the values of a new builder. They are borrowed: such a builder can
 * only be combined with another.
 */
extern void filter_builder_borrow(FilterBuilder *builder, const char *run, Size run_length);
extern void filter_builder_borrow_witnesses(FilterBuilder *builder, const char *run, Size run_length);

/* Set the kind of the values, or compare it with the kind set before: error 42804. The name is copied. */
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
	if (builder->streaming == NULL && likely(builder->collector.count < builder->collector.allocated))
		builder->collector.hashes[builder->collector.count++] = hash;
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
 * Take over the values of another builder with the same parameters: borrowed hashes, and those it streamed. Error
 * 42804. The other builder must then be discarded.
 *
 * If builders that streamed are combined, all values are in one layer as long as their numbers, or the estimate of
 * their union, are within the capacity. The rest goes into more layers, each of the capacity if it comes as a filter.
 */
extern void filter_builder_combine(FilterBuilder *builder, FilterBuilder *other);

/* The filter that the builder has streamed into, of at most `counted` values; it may change later. Null if there is none. */
extern const struct varlena *filter_builder_streamed(FilterBuilder *builder, uint64 *counted);

/* Make a new builder continue with a copy of another's image, as if it had streamed `counted` values into it. */
extern void filter_builder_take_image(FilterBuilder *builder, const void *image, Size bytes, uint64 counted);

/*
 * The filter, palloc'd in the current context. Values can be added to the builder afterwards, and it can be finished
 * again. Error 54000 at the size limit.
 */
extern struct varlena *filter_builder_finish(FilterBuilder *builder);

#endif
