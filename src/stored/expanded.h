/*
 * Changing filters where they may be in PL/pgSQL variables.
 */
#ifndef FILTER_STORED_EXPANDED_H
#define FILTER_STORED_EXPANDED_H

#include "stored/datum.h"
#include "stored/mutable.h"

typedef struct ExpandedFilter
{
	ExpandedImage object;		/* first; its image is that of mutable once a change has ended */
	MutableFilter mutable;		/* its context is the object's */
} ExpandedFilter;

/*
 * A function's argument 0 while the function changes it: the object itself if no one sees it after an error, else a
 * copy. The result is expanded if the argument is expanded, or is a parameter and therefore most likely a variable.
 * No other argument is the object being changed, though one may be a copy of it: PL/pgSQL passes on a variable's own
 * object only if the expression refers to the variable once.
 */
typedef struct FilterChange
{
	MutableFilter *mutable;		/* to be changed; discarded if an error is raised */
	ExpandedFilter *expanded;	/* null: the result is flat */
	MutableFilter flat;
} FilterChange;

extern void filter_change_begin(FilterChange *change, FunctionCallInfo fcinfo);
extern Datum filter_change_end(const FilterChange *change);

/*
 * The filter of a datum if it may be changed in place, else null. It may belong to a variable that is visible after
 * an error, so no error may be raised between the first change and the last.
 */
extern MutableFilter *filter_to_change_in_place(Datum datum);

#endif
