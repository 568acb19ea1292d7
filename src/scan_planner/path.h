/*
 * Filter scans in the planner.
 */
#ifndef FILTER_SCAN_PATH_H
#define FILTER_SCAN_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "plan_nodes/plan_structs.h"

/* Whether a path is a filter scan. */
extern bool filter_scan_is_path(const Path *path);

/* Whether a finished plan is one. */
extern bool filter_scan_is_plan(const Plan *plan);

/* The rows of a scan's table, as the planner estimates them. */
extern double scanned_table_rows(const Plan *scan, List *tables);

/* Add a probe to the scan of a table with this number of rows. Decides whether it is late. */
extern void filter_scan_add_probe(Plan **scan, double rows, RuntimeProbePlan *probe);

/*
 * What hashing a value takes, in operators, that the planner does not reckon with: a value of any size, or one that is cast.
 * A numeric key takes several times as long as a row that fails a cheap condition.
 */
#define HASH_OPERATORS	15.0

extern double join_keys_hash_operators(const List *keys);

/* Whether a relation has a condition that a filter scan evaluates for all rows of a page. */
extern bool filter_scan_has_condition(RelOptInfo *rel);

/*
 * Offer filter scans of such a relation to the planner, in place of sequential ones: of the whole table, and of a part in each
 * process. Either may be null. If a filter is a column of another table, offer scans of the whole table that are repeated for each
 * row of that.
 */
extern void filter_scan_add_paths(PlannerInfo *root, const Path *whole, const Path *partial);

#endif
