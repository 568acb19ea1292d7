/*
 * Another node of the plan makes a runtime filter while the query runs, of the keys that rows can match; a scan probes it with
 * the rows of a page.
 */
#ifndef FILTER_SCAN_RUNTIME_FILTER_H
#define FILTER_SCAN_RUNTIME_FILTER_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "core/bloom.h"
#include "plan_nodes/plan_structs.h"
#include "scan_executor/row_filter.h"

/* What scans do with a filter that must reject either all or no rows of a group. */
typedef enum GroupsState
{
	GROUPS_UNDECIDED,
	GROUPS_FILTERED,
	GROUPS_KEPT					/* there was no filter when a scan first asked */
} GroupsState;

/* The most distinct values of a key that are kept. */
#define KEY_RANGE_VALUES	400

/*
 * What a filter knows of all values of a key, besides their hashes: the least and the greatest one, and the values themselves
 * if they are few. By these, a scan can skip a partition (scan_executor/skip.h). join_executor/key_range.c finds them.
 *
 * The order is the default one of the key's type. Values that are equal in it count as one.
 */
typedef struct KeyRange
{
	Oid			type;
	Oid			collation;
	int16		length;			/* typlen of pg_type */
	bool		by_value;
	SortSupportData compare;
	uint32		calls;			/* calls of the comparison, for values that are not passed by value */
	MemoryContext context;		/* of values that are not passed by value */

	bool		known;			/* false: nothing is known of the values */
	bool		overflowed;		/* there are too many distinct values: only the first and the last one are kept */
	int			count;			/* 0: there is no value */
	Datum		value[KEY_RANGE_VALUES];	/* distinct and ascending */

	/* The oids of partitioned tables whose bounds were searched (scan_executor/skip.h), and of their partitions without a value. */
	List	   *searched;
	List	   *skipped;
} KeyRange;

typedef struct RuntimeFilter
{
	/* Of hashes of key_hash.h; its blocks are cache lines. Until it has all keys, its bits are null, and no row is rejected. */
	BloomLayer	layer;
	/* This is called before rows are probed while the bits are null. It may find the filter, or make it. */
	void		(*check) (struct RuntimeFilter *filter);
	GroupsState groups;
	KeyRange  **ranges;			/* of each key; null: not kept */
	HashJoinState *join;		/* the join that made the filter of all of its keys, or null */
} RuntimeFilter;

/* The filter of a probe in this execution; palloc'd. */
extern RowFilter *runtime_probe_create(const RuntimeProbePlan *plan, EState *estate, TupleDesc descriptor);

/* Whether a row that has passed the scan's own conditions passes the filter. */
extern bool runtime_probe_row(RowFilter *filter, TupleTableSlot *row);

/* The filter, if it has all keys and may be used; otherwise null. This call may make it. */
extern RuntimeFilter *runtime_probe_filter(const RowFilter *common);

/*
 * The filter of a probe below a Gather, in shared memory. The functions return the size when workers are about to be started,
 * copy the filter there, in the leader, before each execution, and use it in a worker.
 */
typedef struct SharedFilter
{
	Size		size;			/* of all; the filter, aligned, follows the struct */
	bool		ready;
	BloomLayer	geometry;
} SharedFilter;

extern Size runtime_probe_shared_size(const RowFilter *common);
extern void runtime_probe_share(const RowFilter *common, SharedFilter *shared);
extern void runtime_probe_receive(const RowFilter *common, SharedFilter *shared);

/* Prefetch what the join looks up for rows that the scan will return next, and a part of the next page. */
extern void runtime_probe_prefetch_matches(RowFilter *filter, PageRows *rows);

#endif
