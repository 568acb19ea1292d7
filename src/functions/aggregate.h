/*
 * bf_agg and cf_agg add rows to states. A state is a builder, which finds the number of distinct values.
 */
#ifndef FILTER_FUNCTIONS_AGGREGATE_H
#define FILTER_FUNCTIONS_AGGREGATE_H

#include "collect/builder.h"
#include "core/hash.h"

/* The arguments of a transition function: state, value, and possibly capacity and rate. */
#define AGGREGATE_FIRST_PARAMETER 2

/* A call site has one pool per memory context in which it has states, so at most one per grouping set. */
typedef struct SitePool
{
	HashPool	pool;
	struct SitePool *next;
	struct SitePool **first;	/* head of the list */
} SitePool;

/* What a transition or combine function keeps between rows. It must outlive the states. */
typedef struct AggregateSite
{
	SitePool   *pools;
	ValueHasher *hasher;		/* null until a transition function needs it; always null in a combine function */
	uint64		capacity;		/* the capacity and the rate checked last */
	double		rate;			/* 0: none checked yet */
	Size		filter_bytes;	/* the size of a filter with these parameters; without a layer if there is no capacity */
	bool		has_constant_parameters;	/* the same in every row, so they are checked only when a state is created */
	bool		is_partial;		/* whether the states are handed over to be combined */
	bool		checks_values;	/* rows, which may be of different kinds, and types with short hashes */
} AggregateSite;

/*
 * Create the site in fn_extra. Error 42P18 if the call has no expression: a caller other than the executor need not keep
 * the call site.
 */
extern AggregateSite *aggregate_site_create(FunctionCallInfo fcinfo);

/* Set the type and the collation of the values. The hasher is created in the memory context of the site. */
extern void aggregate_site_set_type(AggregateSite *site, Oid type, Oid collation);

/*
 * The state that was passed, or a new one if there is none. Error 42804 or 22023 if it has another type of filter or other
 * parameters; and the errors of parameters that no filter can have.
 */
extern FilterBuilder *aggregate_state(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type, uint64 capacity,
									  double rate);

/* The same, with the parameters of the row whose value is to be added. */
extern FilterBuilder *aggregate_state_of_row(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type);

/*
 * Check the value that was just hashed. Error 42804 if its kind is not that of the values before. Error 0A000 for a short hash
 * in cf_agg, which stores values with equal hashes once: with 32 bits, those would often be different values, and deleting one
 * would lose the others.
 */
extern void aggregate_check_value(const AggregateSite *site, FilterBuilder *state);

/*
 * The transition function, for a site with a hasher. Only an aggregate can pass a state, so the call context is checked only
 * when a state is created. It is inline so that the type is a constant.
 */
static pg_always_inline Datum
aggregate_advance(FunctionCallInfo fcinfo, AggregateSite *site, FilterType type)
{
	FilterBuilder *state;

	if (likely(!PG_ARGISNULL(0) && site->has_constant_parameters))
		state = (FilterBuilder *) PG_GETARG_POINTER(0);
	else
		state = aggregate_state_of_row(fcinfo, site, type);

	if (!PG_ARGISNULL(1))
	{
		uint64		hash = filter_mix(value_hash(site->hasher, PG_GETARG_DATUM(1)));

		if (unlikely(site->checks_values))
			aggregate_check_value(site, state);
		filter_builder_add(state, hash);
	}
	PG_RETURN_POINTER(state);
}

/*
 * The filter that a final function returns if there is no state, planned once for a call site. It is empty, of the kind of the
 * values, and of the capacity and the rate of the call; of the defaults if these are out of range, or unknown without rows.
 */
extern struct varlena *aggregate_of_no_rows(FunctionCallInfo fcinfo, FilterType type);

#endif
