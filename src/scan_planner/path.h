/*
 * Filter scans in the planner: their paths, costs and plans, and the probes that joins add to a finished plan.
 */
#ifndef FILTER_SCAN_PATH_H
#define FILTER_SCAN_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "plan_nodes/plan_structs.h"

extern bool filter_scan_is_path(const Path *path);
extern bool filter_scan_is_plan(const Plan *plan);

/* The rows of a scan's table, as the planner estimates them. */
extern double scanned_table_rows(const Plan *scan, List *tables);

/* Add a probe to the scan of a table with this number of rows, and decide whether it is late. */
extern void filter_scan_add_probe(Plan **scan, double rows, RuntimeProbePlan *probe);

/* What hashing these keys costs that the planner does not charge for, in operators. */
extern double join_keys_hash_operators(const List *keys);

/* List the conditions of a relation, and of its joins, that a filter scan evaluates for all rows of a page. */
extern List *filter_scan_conditions(RelOptInfo *rel);

/*
 * Offer filter scans of a relation with such conditions to the planner, in place of sequential ones: of the whole table, and
 * of a part in each process. Either may be null. If a filter is a column of another table, also offer scans of the whole table
 * that are repeated for each row of the other.
 */
extern void filter_scan_add_paths(PlannerInfo *root, const List *conditions, const Path *whole, const Path *partial);

#endif
