/*
 * The state that a call site keeps between rows, in fn_extra: how to hash its values, and the filters it has seen.
 */
#ifndef FILTER_FUNCTIONS_CALL_SITE_H
#define FILTER_FUNCTIONS_CALL_SITE_H

#include "postgres.h"

#include "core/hash.h"
#include "stored/cache.h"
#include "value/hasher.h"
#include "value/kind_name.h"
#include "value/literal.h"

typedef struct CallSite
{
	LiteralReader *literals;	/* null unless the value is an untyped literal */
	ValueHasher *hasher;		/* of the value or of the elements of the array; null if `literals` is not */
	bool		changes;		/* whether the function stores or removes values */
	FilterCache filters;

	/* If the function takes a hash: the type that was hashed, if given, and the memory context of that type's hasher. */
	Oid			hashed_type;
	MemoryContext hasher_context;
} CallSite;

/* The call site of a function whose argument `value_argument` is a value, an array of values, or a literal. */
extern CallSite *call_site_create(FunctionCallInfo fcinfo, int value_argument, bool is_array);

static inline CallSite *
call_site(FunctionCallInfo fcinfo, int value_argument, bool is_array)
{
	CallSite   *site = fcinfo->flinfo->fn_extra;

	return likely(site != NULL) ? site : call_site_create(fcinfo, value_argument, is_array);
}

/* The call site of a function that takes a hash, and the hashed type in argument 2. The hasher is null if that is null. */
extern CallSite *call_site_of_hash(FunctionCallInfo fcinfo);

/*
 * Error 42804 unless the kind of the values is the filter's, or the filter has none, or both are exact numbers. If
 * `hashed`, the value just hashed is checked, too: error 22003 if the function changes the filter and the value is a
 * number that the filter's kind does not have.
 */
extern void call_site_check_in_full(CallSite *site, const FilterView *filter, bool hashed);

static inline void
call_site_check(CallSite *site, const FilterView *filter, bool hashed)
{
	if (unlikely(filter->header.kind.code != site->hasher->kind.code || filter->header.kind.code == VALUE_KIND_NAMED))
		call_site_check_in_full(site, filter, hashed);
}

/* The hash of a value, which is not a literal, after filter_mix. Errors as in call_site_check_in_full. */
static inline uint64
call_site_hash(CallSite *site, const FilterView *filter, Datum value)
{
	uint64		hash = value_hash(site->hasher, value);

	call_site_check(site, filter, true);
	return filter_mix(hash);
}

/*
 * The hashes, after filter_mix, of the elements of an array, or (for changes only) of an array literal, palloc'd; *count is
 * set to their number. Nulls are skipped, and *nulls is set to whether there were any. Errors as in call_site_check_in_full.
 */
extern uint64 *call_site_hash_array(CallSite *site, const FilterView *filter, Datum array, Size *count, bool *nulls);

#endif
