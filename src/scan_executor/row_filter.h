/*
 * The filters of a scan: that of a condition (condition.h), or one that a join makes (runtime_filter.h).
 */
#ifndef FILTER_SCAN_ROW_FILTER_H
#define FILTER_SCAN_ROW_FILTER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "scan_executor/rows.h"

/* Shared with the leader if a worker counts. */
typedef struct ProbeCounts
{
	uint64		probed;			/* rows; a row whose key is null counts */
	uint64		rejected;
	uint64		bypassed;		/* rows that a runtime filter let pass without a probe */
	uint64		skipped;		/* scans of partitions that a runtime filter ended */
} ProbeCounts;

static inline void
probe_counts_add(ProbeCounts *counts, const ProbeCounts *others)
{
	counts->probed += others->probed;
	counts->rejected += others->rejected;
	counts->bypassed += others->bypassed;
	counts->skipped += others->skipped;
}

/* The first member of either kind of filter. */
typedef struct RowFilter
{
	/*
	 * Get the hashes of the rows' keys, and remove the rows that have a null; false if all are to pass without a probe. The key
	 * context is the current one.
	 */
	bool		(*hash) (struct RowFilter *filter, PageRows *rows, uint64 *hashes);
	/* Write the indexes of the hashes that the filter contains, in ascending order; returns their number. */
	int			(*contained) (struct RowFilter *filter, const PageRows *rows, const uint64 *hashes, uint32 *index);
	/* Forget the filter's value, before another scan; null: nothing is to be done. */
	void		(*forget) (struct RowFilter *filter);

	ProbeCounts *counts;
	MemoryContext key_context;	/* for detoasted keys */
	bool		settled;		/* whether it has its value, which is known to be of the keys' kind: it raises no error */
	double		seen;			/* rows, of which the newest ones weigh most, and those that it rejected */
	double		rejected;
} RowFilter;

typedef struct RowFilters
{
	int			count;
	int			late;			/* filters that rows are probed with one at a time, by other code; not in the order */
	RowFilter **filter;			/* in the planner's order, late ones last */
	RowFilter **order;			/* of the others, as they are tried */
} RowFilters;

/* Allocate a filter of one kind in the current memory context, with zeroes where that has its own members. */
extern RowFilter *row_filter_create(Size size);

/* Forget the filters' values, and begin with the planner's order; what was measured remains. */
extern void row_filters_restart(RowFilters *filters);

/* Remove the rows that any filter rejects. Raises an error if a filter has another kind than a key, as contains does. */
extern void row_filters_keep(RowFilters *filters, PageRows *rows);

#endif
