/*
 * A filter in the making: the values of one group of an aggregate, and the filter of them.
 *
 * The builder collects the 64-bit hashes of the values and makes the filter at the end, when the number of distinct
 * values is known. Where memory is full, it begins to fill a Bloom filter of the capacity given (to stream), if there is one
 * and it takes little memory, and else writes hashes to a file. What the filter has no room for it collects again, and makes a
 * second layer of that at the end.
 */
#ifndef FILTER_BUILD_BUILDER_H
#define FILTER_BUILD_BUILDER_H

#include "postgres.h"

#include "build/hash_collector.h"
#include "stored/mutable.h"
#include "value/hasher.h"

typedef struct FilterBuilder
{
	/* What adding a value looks at stands first, together: in a GROUP BY each value meets another builder. */
	uint64		capacity;		/* 0: that of the data */
	double		rate;
	MutableFilter *streaming;	/* null while hashes are collected; its `room` is what is left of the capacity */
	ValueKind	kind;			/* of the values so far */
	HashCollector collector;

	FilterType	type;

	MemoryContext context;		/* of the builder and all it owns */
	const char *run;			/* sorted distinct hashes from another process, which are not in the collector: borrowed */
	Size		run_length;
	HashCollector *witnesses;	/* null where different values have different hashes */
	const char *witness_run;	/* sorted and distinct as well, and borrowed */
	Size		witness_run_length;
	Size		stream_bytes;	/* size of the filter that it may stream into; 0 if it may not */
	uint64		counted;		/* of the values in `streaming`, at most: the capacity, or the sum where builders were combined */
	uint64	   *pending_hashes; /* that are not in `streaming` yet */
	Size		pending;
	Size		pending_room;
} FilterBuilder;

/*
 * Start one; it lives in the context, and the caller has checked rate and capacity. The pool as of collector_init.
 */
extern FilterBuilder *filter_builder_create(MemoryContext context, FilterType type, uint64 capacity, double rate,
											CollectorPool *pool);

/* Let it stream; filter_bytes is the size that a filter of the capacity has. */
extern void filter_builder_allow_streaming(FilterBuilder *builder, Size filter_bytes);

/*
 * Make the values of a new builder the sorted distinct hashes at an address, which need not be aligned. They are borrowed:
 * such a builder is there to be combined with another.
 */
extern void filter_builder_borrow(FilterBuilder *builder, const char *run, Size run_length);
extern void filter_builder_borrow_witnesses(FilterBuilder *builder, const char *run, Size run_length);

/* Set the kind of the values, or compare it with that of those before: error 42804. The name is copied. */
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
 * For a cuckoo filter: add the witness of a value along with its hash. A cuckoo filter stores values of equal hashes once, and
 * deleting one of them would lose the others, so different values need copies of their own. Values of one hash that have
 * several witnesses are different.
 */
extern void filter_builder_add_witness(FilterBuilder *builder, uint64 hash, uint64 witness);

/*
 * Take over the values of a builder of the same parameters, whose own values are borrowed hashes, and those it streamed. Error
 * 42804. The other is to be discarded.
 *
 * Where builders that streamed are combined, all values are in one layer as long as their numbers, or the estimate of their
 * union, are within the capacity. What is more goes into further layers: of the capacity each, if it comes as a filter.
 */
extern void filter_builder_combine(FilterBuilder *builder, FilterBuilder *other);

/* The filter that it streamed into so far, of at most `counted` values, and which it may change later; null if it did not. */
extern const struct varlena *filter_builder_streamed(FilterBuilder *builder, uint64 *counted);

/* Have a new builder go on with a copy of the image that another made, as if it had streamed `counted` values into it. */
extern void filter_builder_take_image(FilterBuilder *builder, const void *image, Size bytes, uint64 counted);

/*
 * The filter, palloc'd in the current context. The builder can be added to and finished again. Error 54000 at the size
 * limit.
 */
extern struct varlena *filter_builder_finish(FilterBuilder *builder);

#endif
