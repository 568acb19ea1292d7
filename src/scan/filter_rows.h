/*
 * A plan node that drops those rows of its input that a join's filter rejects: for scans that read no pages of a heap in
 * turn, such as those of an index or of a materialized WITH query. (The filter scan probes all rows of a page at a time.)
 *
 * It takes one row at a time, and passes it on as it is. It keeps no rows, so it can be executed again, in either direction,
 * and from a marked row on, whenever its input can.
 */
#ifndef FILTER_SCAN_FILTER_ROWS_H
#define FILTER_SCAN_FILTER_ROWS_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "scan/runtime_filter.h"

/* In EXPLAIN, and where plans are sent to parallel workers. */
#define FILTER_ROWS_NAME "CuckooRowFilter"

extern bool is_filter_rows(const Plan *plan);

/* The columns of a plan, as the target list of a node above it that passes its rows on. */
extern List *columns_of_input(const Plan *input);

/*
 * Add a probe of a runtime filter to a node of this kind, or put one above a finished plan, with the next node id. The keys
 * are columns of the plan's output.
 */
extern void filter_rows_add_probe(Plan **plan, const RuntimeProbePlan *probe, int *last_node);

/* Called once, when the library is loaded. */
extern void filter_rows_init(void);

#endif
