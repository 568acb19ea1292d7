/*
 * Find the scans below a path that would probe a filter of the path's columns.
 */
#ifndef FILTER_JOIN_PATH_PROBES_H
#define FILTER_JOIN_PATH_PROBES_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * The rows, of all processes, with which scans below a path would probe a filter whose keys (JoinKey) are columns of the path;
 * 0: no scan would, or not one in each arm of UNION ALL. If `at_once`, scans do not count below a node that reads all of their
 * rows before it returns one.
 */
extern double path_probes(PlannerInfo *root, Path *path, List *keys, bool at_once);

/* The input of a join that is probed with a filter of some of its columns, or null. */
extern Path *path_probed_input(const JoinPath *join, List *keys);

/*
 * The only input of a path that is not a join, if filters pass through the path; otherwise null. Changes the keys to columns of
 * the input, and root to the query that it is planned for.
 */
extern Path *path_passed_input(PlannerInfo **root, Path *path, List **keys);

/* Where a path that groups rows has its input, and the size of its struct; null for other paths. */
extern Path **path_grouped_input(Path *path, Size *size);

/* The keys as columns of an arm of UNION ALL; or NIL. */
extern List *path_keys_of_arm(const PlannerInfo *root, const Path *arm, List *keys);

/*
 * Whether a path scans a table sequentially, and the rows that it then reads: those of one process, or of all if `by_all`.
 * Partitions count as one table.
 */
extern bool path_scans_table(Path *path);
extern double path_scanned_rows(Path *path, bool by_all);

#endif
