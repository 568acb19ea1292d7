/*
 * Probes of a runtime filter with the rows of a page.
 *
 * No result depends on them: the node that made the filter drops the rows that it would reject. So they may be left
 * out: before the filter is ready, for the rows that EvalPlanQual checks again, and while too many rows pass.
 */
#ifndef FILTER_SCAN_RUNTIME_PROBE_H
#define FILTER_SCAN_RUNTIME_PROBE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "scan/key.h"
#include "scan/key_hash.h"
#include "scan/rows.h"
#include "scan/runtime_filter.h"

/* Shared with the leader if a worker counts. */
typedef struct ProbeCounts
{
	uint64		probed;			/* rows; a row whose key is null counts */
	uint64		rejected;
	uint64		bypassed;		/* rows that a runtime filter let pass without a probe */
} ProbeCounts;

/*
 * What the plan has of a probe, as a node that can be copied and sent to workers.
 */
typedef struct RuntimeProbePlan
{
	int			number;			/* of the filter, in EXPLAIN */
	int			param;			/* the executor parameter with the filter */
	List	   *keys;			/* of join_key.h: columns of the scanned table, not system columns */
} RuntimeProbePlan;

extern List *runtime_probe_to_list(const RuntimeProbePlan *plan);
extern void runtime_probe_from_list(RuntimeProbePlan *plan, List *list);

typedef struct RuntimeProbe
{
	EState	   *estate;
	int			param;
	int			keys;
	KeyReader  *reader;
	KeyHash    *hash;
	MemoryContext key_context;	/* for detoasted keys */
	HashJoinState *join;		/* see match_prefetch.h; or null */

	/* The guard: the rows of the present window, or, if positive, how many are still to be bypassed. */
	uint32		window_rows;
	uint32		window_passed;
	int64		bypass_rows;
} RuntimeProbe;

/* A probe by a scan in this execution; palloc'd. */
extern RuntimeProbe *runtime_probe_create(const RuntimeProbePlan *plan, EState *estate, TupleDesc descriptor);

/* Remove the rows that the filter rejects. */
extern void runtime_probe_keep(RuntimeProbe *probe, PageRows *rows, ProbeCounts *counts);

/* Get the hashes that the join will compute, of 32 bits. The rows with a null are removed. */
extern void runtime_probe_join_hashes(RuntimeProbe *probe, PageRows *rows, uint64 *hashes);

#endif
