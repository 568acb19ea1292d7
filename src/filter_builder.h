/*
 * A filter in the making: the values of one group of an aggregate, and the filter of them.
 *
 * The builder collects the 64-bit hashes of the values and makes the filter at the end, when the number of distinct
 * values is known. A Bloom filter with a capacity given can be filled on the way instead (streaming), which the builder
 * does once the hashes and what sorting them takes would need more memory than the filter.
 */
#ifndef FILTER_FILTER_BUILDER_H
#define FILTER_FILTER_BUILDER_H

#include "postgres.h"

#include "hash_collector.h"
#include "mutable_filter.h"
#include "value_hash.h"

typedef struct FilterBuilder
{
	/* What adding a value looks at stands first, together: in a GROUP BY each value meets another builder. */
	int64		capacity;		/* 0: that of the data */
	double		rate;
	MutableFilter *streaming;	/* null while hashes are collected */
	ValueKind	kind;			/* of the values so far, with a name of its own */
	HashCollector collector;

	FilterType	type;

	MemoryContext context;		/* of the builder and all it owns */
	const char *run;			/* sorted distinct hashes from another process, which are not in the collector: borrowed */
	Size		run_length;
	Size		streaming_at;	/* hashes in memory at which the filter takes over; SIZE_MAX for never */
	uint64		counted;		/* of the values in `streaming` before more were added; too high where combined builders shared some */
	uint64	   *pending_hashes; /* that are not in `streaming` yet */
	Size		pending;
	Size		pending_room;
	bool		is_watched;		/* the caller's: whether filter_builder_close will be called */
} FilterBuilder;

/*
 * Start one; it lives in the context, and the caller has checked rate and capacity. may_spill as of collector_init.
 */
extern FilterBuilder *filter_builder_create(MemoryContext context, FilterType type, int64 capacity, double rate,
											bool may_spill);

/* Let it stream; filter_bytes is the size the filter will have. */
extern void filter_builder_allow_streaming(FilterBuilder *builder, Size filter_bytes);

/*
 * Make the values of a new builder the sorted distinct hashes at an address, which need not be aligned. They are borrowed:
 * such a builder is there to be combined with another.
 */
extern void filter_builder_borrow(FilterBuilder *builder, const char *run, Size run_length);

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
 * Take over the values of a builder of the same parameters that came from another process: with borrowed hashes, or from
 * an image. Error 42804. The other is to be thrown away.
 *
 * Where builders that stream are combined, all values are in one layer as long as their numbers, or the estimate of their
 * union, are within the capacity. What is more goes into further layers: of the capacity each, if it comes as a filter.
 */
extern void filter_builder_combine(FilterBuilder *builder, FilterBuilder *other);

/* One that streams, from the image that another process made of `counted` values; the image is copied. */
extern FilterBuilder *filter_builder_from_image(MemoryContext context, int64 capacity, double rate, const void *image,
												Size bytes, uint64 counted);

/*
 * The filter, palloc'd in the current context. The builder can be added to and finished again. Error 54000 at the size
 * limit.
 */
extern struct varlena *filter_builder_finish(FilterBuilder *builder);

/* Close its files. */
extern void filter_builder_close(FilterBuilder *builder);

#endif
