/*
 * A filter that is being changed: a private copy that finds itself a larger image when it needs one.
 */
#ifndef FILTER_STORED_MUTABLE_H
#define FILTER_STORED_MUTABLE_H

#include "postgres.h"

#include "core/filter.h"

typedef struct MutableFilter
{
	Filter		filter;			/* a view of datum */
	struct varlena *datum;
	MemoryContext context;		/* where datum is, and a larger one will be */
} MutableFilter;

/* Start from a copy of a stored filter, or an empty filter without layers, in the current memory context. */
extern void mutable_filter_from(MutableFilter *mutable, Datum datum);
extern void mutable_filter_create(MutableFilter *mutable, FilterType type, double rate);

/*
 * Append an empty layer, of the capacity given or, for 0, of twice the newest layer's. Error 54000 at the limits, and for a
 * filter that does not grow.
 */
extern void mutable_filter_grow(MutableFilter *mutable, uint64 capacity);

/*
 * Give the filter the kind of values that are to be added, which fits its own: a first kind, or another source. Whether that
 * would change it.
 */
extern void mutable_filter_set_kind(MutableFilter *mutable, const ValueKind *kind);
extern bool mutable_filter_would_take_kind(const ValueKind *filter, const ValueKind *value);

/* Add values, growing as needed; true if the filter changed. */
extern bool mutable_filter_add_all(MutableFilter *mutable, const uint64 *hashes, Size count, bool unique);

/* Either of the two below. */
typedef void (*MutableFilterMerge) (MutableFilter *mutable, const Filter *source);

/*
 * Merge another filter of the same type into it. If either does not grow, the result does not, and has that one's geometry.
 * Error 42804 for another kind of value, 54000 at the limits, 22023 for a geometry that one which does not grow cannot take.
 */
extern void mutable_filter_merge(MutableFilter *mutable, const Filter *source);

/* Keep what another Bloom filter has as well. Error 42804 for another kind of value, 22023 for another geometry. */
extern void mutable_filter_intersect(MutableFilter *mutable, const Filter *source);

/* Drop empty layers and merge layers into older ones that have the room. */
extern void mutable_filter_compact(MutableFilter *mutable);

#endif
