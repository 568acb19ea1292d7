/*
 * What a call site remembers between rows, in fn_extra: how to hash its values, and the filters it saw.
 */
#ifndef FILTER_CALL_SITE_H
#define FILTER_CALL_SITE_H

#include "postgres.h"

#include "fmgr.h"

#include "core/image.h"
#include "value_hash.h"

/* Copies of stored filters kept at one call site: as many as this, and beyond the last as many bytes. */
#define CALL_SITE_FILTERS		8
#define CALL_SITE_FILTER_BYTES	(64 * 1024 * 1024)

typedef struct CachedFilter
{
	struct varatt_external pointer; /* all of it, compared whole */
	struct varlena *copy;		/* null while the place is free */
	uint64		last_used;
} CachedFilter;

typedef struct CallSite
{
	MemoryContext context;
	bool		is_literal;		/* the value is an untyped literal */
	ValueHasher *hasher;		/* of the value, or the elements of the array; null for literals */

	uint64		clock;
	Size		cached_bytes;
	CachedFilter cached[CALL_SITE_FILTERS];
} CallSite;

/* The call site of a function whose argument `value_argument` is a value, an array of values, or a literal. */
extern CallSite *call_site(FunctionCallInfo fcinfo, int value_argument);
extern CallSite *call_site_of_array(FunctionCallInfo fcinfo, int value_argument);

/* View a filter, by way of a copy where it is stored out of line, so that a scan fetches it once and not for every row. */
extern void call_site_view(CallSite *site, Filter *filter, Datum datum);

/*
 * Hash a value for a filter. The kind must be the filter's, or the filter without one; else error 42804. *kind is that
 * of the value.
 */
extern uint64 call_site_hash(CallSite *site, const Filter *filter, Datum value, ValueKind *kind);

/*
 * Hash the elements of an array, leaving out nulls; *count of them, *nulls tells whether there were any. palloc'd. Same
 * errors.
 */
extern uint64 *call_site_hash_array(CallSite *site, const Filter *filter, Datum array, Size *count, bool *nulls);

#endif
