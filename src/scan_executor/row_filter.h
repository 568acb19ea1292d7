/*
 * A filter of a scan belongs to a condition (condition.h), or a join makes it (runtime_filter.h). It removes the rows of a
 * page that it rejects.
 */
#ifndef FILTER_SCAN_ROW_FILTER_H
#define FILTER_SCAN_ROW_FILTER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "scan_executor/rows.h"

/* A worker shares its counts with the leader. */
typedef struct ProbeCounts
{
	uint64		probed;			/* rows, including those whose key is null */
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
	 * Get the hashes of the rows' keys, and remove the rows that have a null; false if all are to pass without a probe. It is
	 * called in the key context.
	 */
	bool		(*hash) (struct RowFilter *filter, PageRows *rows, uint64 *hashes);
	/* Write the indexes of the hashes that the filter contains, in ascending order; returns their number. */
	int			(*contained) (struct RowFilter *filter, const PageRows *rows, const uint64 *hashes, uint32 *index);
	/* Forget the filter's value, before another scan; null if there is nothing to do. */
	void		(*forget) (struct RowFilter *filter);

	ProbeCounts *counts;
	MemoryContext key_context;	/* for detoasted keys */
	bool		settled;		/* whether the filter has its value, of the keys' kind, and so raises no error */
	double		seen;			/* rows, the newest of which weigh most, and those rejected */
	double		rejected;
} RowFilter;

typedef struct RowFilters
{
	int			count;
	int			late;			/* filters that other code probes row by row; not in `order` */
	RowFilter **filter;			/* in the planner's order, late ones last */
	RowFilter **order;			/* the other filters, as they are tried */
} RowFilters;

/* Allocate a filter of one kind in the current memory context; its own members are zeroes. */
extern RowFilter *row_filter_create(Size size);

/* Forget the filters' values, and begin with the planner's order; what was measured remains. */
extern void row_filters_restart(RowFilters *filters);

/* Remove the rows that any filter rejects. Raises an error if a filter has another kind than a key, as contains does. */
extern void row_filters_keep(RowFilters *filters, PageRows *rows);

#endif
