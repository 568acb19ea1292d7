/*
 * A filter that another node of the plan makes while the query runs, of the keys that rows can match there; and the probes
 * of it with the rows of a page.
 *
 * The node puts the address of one into an executor parameter, which the plan has for this purpose, as a recursive
 * union does for its scans. So the filter is known to the nodes of one execution, and ends with it.
 *
 * No result depends on the probes: the node that made the filter drops the rows that it would reject. So they may be left
 * out: before the filter is ready, for the rows that EvalPlanQual checks again, and while too many rows pass.
 *
 * Nor does a result depend on the prefetching of matches. A hash join looks up one row at a time, and waits for memory
 * twice: for the bucket, and for the row in it. A scan has all rows of a page that passed its filters, so it can begin to
 * load for all of them what the join will read.
 */
#ifndef FILTER_SCAN_RUNTIME_FILTER_H
#define FILTER_SCAN_RUNTIME_FILTER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "core/bloom.h"
#include "scan/key_range.h"
#include "scan/row_filter.h"

typedef struct RuntimeFilter
{
	bool		ready;			/* whether it has all keys; until then, it rejects nothing */
	uint64		version;		/* how many times it has become ready */
	/* Called before some rows are probed, may find that the filter has become ready, or make it. */
	void		(*check) (struct RuntimeFilter *filter, int rows);
	BloomLayer	layer;			/* of hashes of join_key.h; its blocks are cache lines */
	KeyRange  **ranges;			/* of each key; null: not kept */
	double		max_matches;	/* if a larger fraction of rows passes, it is not worth its probes */
	HashJoinState *join;		/* that made it, of all of its keys; or null */
} RuntimeFilter;

/*
 * What the plan has of a probe, as a node that can be copied and sent to workers.
 */
typedef struct RuntimeProbePlan
{
	int			number;			/* of the filter, in EXPLAIN */
	int			param;			/* the executor parameter with the filter */
	bool		feeds_join;		/* whether the join that made it looks up the rows as soon as the scan returns them */
	bool		below_gather;	/* whether the join is above a Gather, and the scan below it */
	List	   *keys;			/* of join_key.h: columns of the scanned table, or of a node's input; not system columns */
} RuntimeProbePlan;

extern List *runtime_probe_to_list(const RuntimeProbePlan *plan);
extern void runtime_probe_from_list(RuntimeProbePlan *plan, List *list);

/* The filter of a probe in this execution; palloc'd. */
extern RowFilter *runtime_probe_create(const RuntimeProbePlan *plan, EState *estate, TupleDesc descriptor);

/* Whether a row of a node, whose columns the keys are, passes the filter: one at a time, instead of the rows of a page. */
extern bool runtime_probe_row(RowFilter *filter, TupleTableSlot *row);

/* How many rows are to pass without a probe; and count some of them as passed or, if negative, as not passed after all. */
extern int64 runtime_probe_rows_to_bypass(const RowFilter *filter);
extern void runtime_probe_bypass(RowFilter *filter, int64 rows);

/* The filter, if it is ready and may be used; otherwise null. It may become ready, or be made, by this call. */
extern const RuntimeFilter *runtime_probe_ready_filter(RowFilter *filter);

/* The plan's parameter, if the filter is the leader's, and workers need a copy (shared_filter.h); otherwise -1. */
extern int	runtime_probe_leader_param(const RowFilter *filter);

/* The keys of the plan. */
extern const List *runtime_probe_keys(const RowFilter *filter);

/* Prefetch what the join looks up for rows that the scan will return next, and a part of the next page. */
extern void runtime_probe_prefetch_matches(RowFilter *filter, PageRows *rows);

#endif
