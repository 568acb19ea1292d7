/*
 * What a call site remembers between rows, in fn_extra: how to hash its values, and the filters it saw.
 */
#ifndef FILTER_CALL_SITE_H
#define FILTER_CALL_SITE_H

#include "postgres.h"

#include "fmgr.h"

#include "core/hash.h"
#include "core/image.h"
#include "filter_cache.h"
#include "value_hash.h"
#include "value_kind_name.h"

typedef struct CallSite
{
	bool		is_literal;		/* the value is an untyped literal */
	ValueHasher *hasher;		/* of the value, of the elements of the array, of a literal taken for text */

	FilterCache filters;
} CallSite;

/* The call site of a function whose argument `value_argument` is a value, an array of values, or a literal. */
extern CallSite *call_site_create(FunctionCallInfo fcinfo, int value_argument, bool is_array);

static inline CallSite *
call_site(FunctionCallInfo fcinfo, int value_argument)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;

	return likely(site != NULL) ? site : call_site_create(fcinfo, value_argument, false);
}

static inline CallSite *
call_site_of_array(FunctionCallInfo fcinfo, int value_argument)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;

	return likely(site != NULL) ? site : call_site_create(fcinfo, value_argument, true);
}

extern uint64 call_site_place_literal(CallSite *site, const Filter *filter, Datum literal);

/*
 * The hash that places a value in a filter. The value's kind must be the filter's, or the filter without one; else error
 * 42804.
 */
static inline uint64
call_site_place(CallSite *site, const Filter *filter, Datum value)
{
	uint64		hash;

	if (unlikely(site->is_literal))
		return call_site_place_literal(site, filter, value);
	hash = value_hash(site->hasher, value);
	value_kind_check(filter, site->hasher);
	return filter_spread(hash);
}

/*
 * The same for the elements of an array, leaving out nulls; *count of them, *nulls tells whether there were any. palloc'd.
 */
extern uint64 *call_site_place_array(CallSite *site, const Filter *filter, Datum array, Size *count, bool *nulls);

#endif
