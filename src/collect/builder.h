/*
 * A builder makes the filter of the values in one group of an aggregate.
 *
 * It collects the 64-bit hashes of the values and makes the filter at the end, when the number of distinct values is known. If
 * memory is full, it starts to fill a Bloom filter of the given capacity (it streams), provided that there is a capacity and
 * the filter takes little memory; otherwise it writes hashes to a file. Values for which the filter has no room are collected
 * again, and become a second layer at the end.
 */
#ifndef FILTER_COLLECT_BUILDER_H
#define FILTER_COLLECT_BUILDER_H

#include "collect/hash_set.h"
#include "stored/mutable.h"
#include "value/hasher.h"

typedef struct FilterStream
{
	MutableFilter filter;		/* `remaining` is what is left of the capacity */
	HashSet		missing;		/* hashes that the filter had no room for and does not contain */
} FilterStream;

typedef struct FilterBuilder
{
	ValueKind	kind;			/* of the values so far */
	HashSet		hashes;			/* all, or those to be added to the stream together; in the builder's context and pool */
	FilterStream *stream;		/* null while all hashes are collected */

	FilterType	type;
	double		rate;
	uint64		capacity;		/* 0: the number of distinct values */

	Size		stream_bytes;	/* set by the caller: the size of a filter of the capacity; 0: never stream */
} FilterBuilder;

/*
 * Create a builder in the context. The caller has checked rate and capacity. The pool, if any, must outlive the
 * builder, and must be closed when the query ends without an error.
 */
extern FilterBuilder *filter_builder_create(MemoryContext context, FilterType type, uint64 capacity, double rate,
											HashPool *pool);

/* Set the kind of the values; error 42804 if a different kind was set before. The name is copied. */
extern void filter_builder_set_kind(FilterBuilder *builder, const ValueKind *kind);

extern void filter_builder_add_slow(FilterBuilder *builder, uint64 hash);

static inline void
filter_builder_add(FilterBuilder *builder, uint64 hash)
{
	if (likely(hash_set_has_space(&builder->hashes)))
		hash_set_add(&builder->hashes, hash);
	else
		filter_builder_add_slow(builder, hash);
}

/*
 * The filter, palloc'd in the current context. Values can be added to the builder afterwards, and it can be finished
 * again. Error 54000 at the size limit.
 */
extern struct varlena *filter_builder_finish(FilterBuilder *builder);

#endif
