/*
 * A filter of a scan, and the probes of it with the rows of a page.
 */
#ifndef FILTER_SCAN_PROBE_PAGE_H
#define FILTER_SCAN_PROBE_PAGE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "scan/condition.h"
#include "scan/key.h"
#include "scan/rows.h"
#include "scan/runtime_probe.h"
#include "stored/cache.h"
#include "value/hasher.h"

typedef struct PageFilter
{
	RuntimeProbe *runtime;		/* of a runtime filter: then only counts and pass_fraction are used, too; or null */

	ExprState  *expression;
	KeyReader	key;
	Oid			type;
	Oid			collation;
	MemoryContext context;		/* the query's */
	ProbeCounts *counts;

	/* From its first use in a scan on. */
	bool		evaluated;
	bool		is_null;		/* then no row passes */
	MemoryContext scan_context;	/* reset before the next scan */
	Datum		datum;
	FilterCache cache;
	SeenFilter *seen;
	Filter		placed;			/* a copy of a filter that was used in place, or without an image */
	uint64		probes;			/* in this scan */
	double		rows;			/* those that this process will scan at most, about */

	ValueHasher *hasher;		/* null until there is a key that is not null */
	bool		kinds_fit;		/* whether the hasher was compared with the filter of this scan */
	MemoryContext key_context;	/* for detoasted keys */

	double		pass_fraction;	/* of rows that no other filter has seen, the newest ones weighing most; 2: not known */
} PageFilter;

/* The condition's filter is evaluated as an expression of the plan node. */
extern void page_filter_init(PageFilter *filter, const FilterCondition *condition, PlanState *node, TupleDesc descriptor);

/* The same for a runtime filter. */
extern void page_filter_init_runtime(PageFilter *filter, RuntimeProbe *probe);

/* Whether the filter has been evaluated, and is known to be of the keys' kind. */
static inline bool
page_filter_is_settled(const PageFilter *filter)
{
	return filter->runtime != NULL || (filter->evaluated && (filter->is_null || filter->kinds_fit));
}

/* Forget the filter's value, before another scan. */
extern void page_filter_forget(PageFilter *filter);

/*
 * Remove the rows that the filter rejects. Raises an error if the rows have a key, and keys are not of the filter's kind,
 * as contains does.
 */
extern void page_filter_keep(PageFilter *filter, ExprContext *econtext, PageRows *rows);

#endif
