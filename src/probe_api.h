/*
 * What the library of the types offers to that of the scans, which knows nothing else of the types: to recognize a condition
 * that probes a filter, and to probe a filter with many keys.
 *
 * The libraries find each other by a rendezvous variable, so either can be loaded first, and neither needs the other.
 */
#ifndef FILTER_PROBE_API_H
#define FILTER_PROBE_API_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/primnodes.h"

/* A rendezvous variable: a pointer to the ProbeApi; null while the library of the types is not loaded. */
#define PROBE_API_VARIABLE	"cuckoo_filter.probe"

/* Changes with everything below. To the scans, any other version is as if the types were not loaded. */
#define PROBE_API_VERSION	1

/* contains, of a column, and a filter that is constant during a scan of the column's table; it may have columns of others */
typedef struct ProbeCondition
{
	Expr	   *filter;
	int			table;			/* index of the column's, in the range table */
	AttrNumber	column;
	Oid			type;			/* of the key, and the collation to hash it under */
	Oid			collation;
	bool		hashes_many;	/* whether keys are hashed many at a time, which takes less time */
} ProbeCondition;

/* The probes of one condition in one execution. */
typedef struct ProbeState ProbeState;

typedef struct ProbeApi
{
	uint32		version;

	/* Recognize such a condition of a scan of one table; false for any other. */
	bool		(*find) (ProbeCondition *condition, Node *clause);

	/* In the current memory context, in which everything else that lives as long is allocated, too. */
	ProbeState *(*create) (const ProbeCondition *condition);

	/*
	 * Begin to probe a filter, given as a datum, detoasted or not. What that allocates in the current memory context must live
	 * as long as this filter is probed, and so must the datum.
	 */
	void		(*open) (ProbeState *state, Datum filter);

	/*
	 * Get the hashes of keys, none of which is null. The first call for a filter raises the error of contains if the keys are
	 * of another kind. The current memory context is reset if a key has allocated memory.
	 */
	void		(*hash) (ProbeState *state, const Datum *keys, int count, uint64 *hashes);

	/*
	 * Write the indexes of the hashes that the filter contains, in ascending order; returns their number. About `expected`
	 * more hashes are still to come. The current memory context may be reset.
	 */
	int			(*contained) (ProbeState *state, const uint64 *hashes, int count, uint64 expected, uint32 *index);
} ProbeApi;

/* Null if the types' library is not loaded, or is another version. */
static inline const ProbeApi *
probe_api_find(void)
{
	const ProbeApi *api = *find_rendezvous_variable(PROBE_API_VARIABLE);

	return api != NULL && api->version == PROBE_API_VERSION ? api : NULL;
}

/* Recognize such a condition; false for any other, and while that library is not loaded. */
static inline bool
probe_condition_find(ProbeCondition *condition, Node *clause)
{
	const ProbeApi *api = probe_api_find();

	return api != NULL && api->find(condition, clause);
}

#endif
