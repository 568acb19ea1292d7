/*
 * What a call site remembers between rows, in fn_extra: how to hash its values, and the filters it saw.
 */
#ifndef FILTER_FUNCTIONS_CALL_SITE_H
#define FILTER_FUNCTIONS_CALL_SITE_H

#include "postgres.h"

#include "fmgr.h"

#include "core/hash.h"
#include "core/image.h"
#include "stored/cache.h"
#include "value/hasher.h"
#include "value/kind_name.h"
#include "value/literal.h"

typedef struct CallSite
{
	LiteralReader *literals;	/* where the value is an untyped literal, else null */
	ValueHasher *hasher;		/* of the value or the elements of the array; null where there is a reader */
	bool		changes;		/* whether the function stores or removes values */
	FilterCache filters;

	/* Where the value is a hash: the type that was hashed, if it is given, and what the hasher of that type is made in. */
	Oid			hashed_type;
	MemoryContext hasher_context;
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

/*
 * The call site of a function of a hash, whose argument `type_argument` is the type that was hashed. The hasher is null where
 * that argument is.
 */
extern CallSite *call_site_of_hash(FunctionCallInfo fcinfo, int type_argument);

/*
 * Error 42804 unless the kind of the values is the filter's, or the filter has none, or both are exact numbers. If a value was
 * hashed: error 22003 if it is a number that the filter's kind does not have, and is to change the filter.
 */
extern void call_site_check_in_full(CallSite *site, const Filter *filter, bool hashed);

static inline void
call_site_check(CallSite *site, const Filter *filter, bool hashed)
{
	if (unlikely(filter->kind.code != site->hasher->kind.code || filter->kind.code == VALUE_KIND_NAMED))
		call_site_check_in_full(site, filter, hashed);
}

/* The hash that places a value, which is no literal, in a filter. Errors as above. */
static inline uint64
call_site_place(CallSite *site, const Filter *filter, Datum value)
{
	uint64		hash = value_hash(site->hasher, value);

	call_site_check(site, filter, true);
	return filter_spread(hash);
}

/*
 * The hashes that place what a literal can be read as, and their number. For a change of the filter there must be one: error
 * 42P18.
 */
extern int	call_site_place_literal(CallSite *site, const Filter *filter, Datum literal,
									uint64 hashes[LITERAL_MOST_READINGS]);
extern uint64 call_site_place_only_literal(CallSite *site, const Filter *filter, Datum literal);

/*
 * The same for the elements of an array or, for a change of the filter, of the literal of one, leaving out nulls; *count of
 * them, *nulls tells whether there were any. palloc'd.
 */
extern uint64 *call_site_place_array(CallSite *site, const Filter *filter, Datum array, Size *count, bool *nulls);

#endif
