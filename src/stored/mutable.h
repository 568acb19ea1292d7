/*
 * A filter that is being changed is a private copy that moves to a larger image as needed, or a PL/pgSQL variable.
 */
#ifndef FILTER_STORED_MUTABLE_H
#define FILTER_STORED_MUTABLE_H

#include "stored/datum.h"

/* Start from a copy of a stored filter, or an empty filter as filter_plan plans it, in the current memory context. */
extern void mutable_filter_from(MutableFilter *mutable, Datum datum);
extern void mutable_filter_create(MutableFilter *mutable, FilterType type, double rate, uint64 capacity);

/*
 * Append an empty layer of the given capacity; 0 means twice the newest layer's. Error 54000 at the limits, and for a
 * filter that does not grow.
 */
extern void mutable_filter_grow(MutableFilter *mutable, uint64 capacity);

/* Adopt the kind of values to be added, which fits the filter's: the filter gets its first kind, or more sources. */
extern void mutable_filter_set_kind(MutableFilter *mutable, const ValueKind *kind);

/* Add values, growing as needed; true if the filter changed. */
extern bool mutable_filter_add_all(MutableFilter *mutable, const uint64 *hashes, Size count, bool unique);

/* The type of mutable_filter_merge and mutable_filter_intersect. */
typedef void (*MutableFilterMerge) (MutableFilter *mutable, const FilterView *source);

/*
 * Merge another filter of the same type into this one. Error 42804 for a different kind of value, 54000 at the limits, 22023
 * if only one of them grows, or if neither does and their geometries differ.
 */
extern void mutable_filter_merge(MutableFilter *mutable, const FilterView *source);

/* Intersect with another Bloom filter. Error 42804 for a different kind of value, 22023 for a different geometry. */
extern void mutable_filter_intersect(MutableFilter *mutable, const FilterView *source);

/* Remove empty layers, and merge layers into older ones that have room. */
extern void mutable_filter_compact(MutableFilter *mutable);

/*
 * A function's argument 0 while the function changes it: the object or the state of an aggregate itself, if no one sees it
 * after an error, else a copy. The result is expanded if the argument is expanded, or is a parameter and therefore most likely
 * a variable. No other argument is the object being changed, though one may be a copy of it: PL/pgSQL passes on a variable's
 * own object only if the expression refers to the variable once.
 */
extern MutableFilter *filter_change_begin(FunctionCallInfo fcinfo);
extern Datum filter_change_end(MutableFilter *mutable);

/*
 * The filter of a datum if it may be changed in place, else null. It may belong to a variable that is visible after an error,
 * so nothing between the first change and the last may raise one.
 */
extern MutableFilter *filter_to_change_in_place(Datum datum);

#endif
