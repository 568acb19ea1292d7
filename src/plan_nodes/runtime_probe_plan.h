/*
 * The probe of a runtime filter in a scan, as plans carry it.
 */
#ifndef FILTER_PLAN_RUNTIME_PROBE_H
#define FILTER_PLAN_RUNTIME_PROBE_H

#include "postgres.h"

#include "utils/partcache.h"

#include "plan_nodes/join_key.h"

/* The bounds of a partitioned table by which a scan may skip its table. */
typedef struct RuntimeProbeBound
{
	int			key;			/* the index of the key by which the table is partitioned */
	Oid			parent;			/* the partitioned table */
	Oid			partition;		/* its partition that is, or contains, the scanned table */
} RuntimeProbeBound;

/*
 * What the plan has of a probe, as a node that can be copied and sent to workers.
 */
typedef struct RuntimeProbePlan
{
	int			number;			/* of the filter, in EXPLAIN */
	int			param;			/* the executor parameter with the filter */
	bool		feeds_join;		/* whether the join that made it looks up the rows as soon as the scan returns them */
	bool		late;			/* whether the scan's own conditions come first */
	bool		all_or_nothing; /* whether a node between them computes something from several rows */
	List	   *keys;			/* of join_key.h: columns of the scanned table, not system columns */
	List	   *bounds;			/* of RuntimeProbeBound */
} RuntimeProbePlan;

extern List *runtime_probe_to_list(const RuntimeProbePlan *plan);
extern void runtime_probe_from_list(RuntimeProbePlan *plan, List *list);

/* The function that compares bounds of a partitioned table with keys of a type; InvalidOid if there is none. */
extern Oid	runtime_probe_bound_comparison(PartitionKey partitions, Oid type);

#endif
