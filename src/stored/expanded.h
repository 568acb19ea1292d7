/*
 * Filters in variables of PL/pgSQL, as expanded objects (utils/expandeddatum.h), so that `f := bf_add(f, x)` changes the
 * variable and not a copy of it.
 *
 * An expanded filter has its flat image in one piece, and a view of it, so that reading it costs no copy. Only the functions
 * that change filters make them, and only since PostgreSQL 18, which is the first to let a function change a variable.
 */
#ifndef FILTER_STORED_EXPANDED_H
#define FILTER_STORED_EXPANDED_H

#include "postgres.h"

#include "fmgr.h"

#include "stored/expanded_image.h"
#include "stored/mutable.h"

typedef struct ExpandedFilter
{
	ExpandedImage object;		/* first; its image is that of mutable once a change has ended */
	MutableFilter mutable;		/* its context is the object's */
} ExpandedFilter;

/*
 * A function's argument 0 while the function changes it: the object itself if nobody can see it after an error, else a copy. The
 * result is expanded where the argument is, or is a parameter and therefore most likely a variable. Another argument may be a copy
 * of the object that is changed, but never the object itself: PL/pgSQL moves only what the expression refers to once.
 */
typedef struct FilterChange
{
	MutableFilter *mutable;		/* to be changed; whatever it holds when an error is raised is discarded */
	ExpandedFilter *expanded;	/* null: the result is flat */
	MutableFilter flat;
} FilterChange;

extern void filter_change_begin(FilterChange *change, FunctionCallInfo fcinfo);
extern Datum filter_change_end(const FilterChange *change);

/*
 * The filter of a datum if it may be changed in place, else null. It may be that of a variable that is visible after an error:
 * no error may be raised between the first change and the last.
 */
extern MutableFilter *filter_to_change_in_place(Datum datum);

#endif
