/*
 * A filter that another node of the plan makes while the query runs, of the keys that rows can match there.
 *
 * The node puts the address of one into an executor parameter, which the plan has for this purpose, as a recursive
 * union does for its scans. So the filter is known to the nodes of one execution, and ends with it.
 */
#ifndef FILTER_SCAN_RUNTIME_FILTER_H
#define FILTER_SCAN_RUNTIME_FILTER_H

#include "postgres.h"

#include "core/bloom.h"

typedef struct RuntimeFilter
{
	bool		ready;			/* whether it has all keys; until then, it rejects nothing */
	/* If not null: called before some rows are probed, may find that the filter has become ready, or make it. */
	void		(*check) (struct RuntimeFilter *filter, int rows);
	BloomLayer	layer;			/* of hashes of key_hash.h; its blocks are cache lines */
	double		max_matches;	/* if a larger fraction of rows passes, it is not worth its probes */
} RuntimeFilter;

#endif
