/*
 * Filters as PostgreSQL values: varlena datums that contain the image.
 */
#ifndef FILTER_STORED_DATUM_H
#define FILTER_STORED_DATUM_H

#include "postgres.h"

#include "utils/expandeddatum.h"

#include "compat.h"
#include "core/filter.h"

/*
 * A filter that is being changed (stored/mutable.h). It may be an expanded object (utils/expandeddatum.h), whose flat image is
 * in one piece, so that reading it costs no copy.
 */
typedef struct MutableFilter
{
	ExpandedObjectHeader header;	/* of an expanded object; otherwise not used */
	struct varlena *datum;
	FilterView	filter;			/* a view of datum */
	MemoryContext context;		/* of the object, or else of datum and its replacement */
	const struct varlena *state;	/* null, or the state of an aggregate, which datum is at first, and which the caller frees */
} MutableFilter;

extern const ExpandedObjectMethods filter_object_methods;

extern MutableFilter *filter_object(Datum datum);

/* The name of the SQL type, which is also what messages call such a filter. */
extern const char *filter_type_name(FilterType type);

/*
 * Report a status other than FILTER_OK, FILTER_FULL and FILTER_BAD_IMAGE as an error. FILTER_TOO_LARGE: bytes is the
 * requested size.
 */
pg_noreturn extern void filter_report(FilterStatus status, double bytes);

/* Report, as error XX001 (data corrupted), that stored bytes are not an image, with the reason of filter_open. */
pg_noreturn extern void filter_report_damage(const char *reason);

/* The reason why a flat varlena is not a valid value of the type; null if it is valid. Checks the whole image. */
extern const char *filter_invalid_reason(FilterType type, struct varlena *datum);

/* The datum itself if flat, the varlena in an expanded one, or else a detoasted copy. Must not be changed or freed. */
extern struct varlena *filter_detoast(Datum datum);

/*
 * View a stored filter, detoasted if necessary; it lives as long as the datum or the current memory context. Error
 * XX001 (data corrupted) if the stored bytes are not an image.
 */
extern void filter_view(FilterView *filter, Datum datum);

/* A palloc'd copy of a flat varlena, which can be cancelled. */
extern struct varlena *filter_copy(const struct varlena *datum);

extern void filter_view_varlena(FilterView *filter, struct varlena *datum);

/*
 * Plan the header of an empty filter, without layers if capacity is 0; returns the size of its image in bytes. Error 22023 for
 * the rate, 54000 at the limits.
 */
extern Size filter_plan(FilterHeader *header, FilterType type, double rate, uint64 capacity);

/* Lay out the header and write it to a palloc'd, zeroed image; the filter becomes a view of it. */
extern struct varlena *filter_allocate(FilterView *filter);

#endif
