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
 * A filter that is being changed (stored/mutable.h). It may be an expanded object (utils/expandeddatum.h): the flat image is
 * in one piece, so that reading it costs no copy.
 */
typedef struct MutableFilter
{
	ExpandedObjectHeader header;	/* of an expanded object; otherwise not used */
	struct varlena *datum;
	FilterView	filter;			/* a view of datum */
	MemoryContext context;		/* of datum, and of a larger one later; that of the object if it is one */
	const struct varlena *state;	/* of an aggregate, which datum is at first: whoever calls its functions frees it; or null */
} MutableFilter;

extern const ExpandedObjectMethods filter_object_methods;

/* The object of an expanded datum. */
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

/* A palloc'd copy of a flat varlena. Large copies can be cancelled. */
extern struct varlena *filter_copy(const struct varlena *datum);

extern void filter_view_varlena(FilterView *filter, struct varlena *datum);

/*
 * Plan the header of an empty filter: with a layer for a capacity, or without layers if that is 0. Returns
 * the size of its image in bytes. Error 22023 for the rate, 54000 at the limits.
 */
extern Size filter_plan(FilterHeader *header, FilterType type, double rate, uint64 capacity);

/* Allocate the image of a header: laid out, palloc'd, zeroed, header written; the filter becomes a view of it. */
extern struct varlena *filter_allocate(FilterView *filter);

#endif
