/*
 * The scans below a path that probe a filter of its columns.
 */
#ifndef FILTER_JOIN_PATH_PROBES_H
#define FILTER_JOIN_PATH_PROBES_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * The rows that scans below a path would probe with, for a filter of keys (JoinKey) of the path's columns; 0: no scan does, or not each
 * arm of UNION ALL. If `at_once`, those are left out that a node above them reads all rows of before it returns one.
 */
extern double path_probes(PlannerInfo *root, Path *path, List *keys, bool at_once);

/* The input of a join that is probed with a filter of some of its columns, or null. */
extern Path *path_probed_input(const JoinPath *join, List *keys);

/*
 * The only input of another path, through which a filter passes; or null. The keys become columns of the input, and root the query that it
 * is planned for.
 */
extern Path *path_passed_input(PlannerInfo **root, Path *path, List **keys);

/* The keys as columns of an arm of UNION ALL; or NIL. */
extern List *path_keys_of_arm(const PlannerInfo *root, const Path *arm, List *keys);

/* Whether a path scans a table sequentially, and the rows that one process then reads. Partitions are regarded as one table. */
extern bool path_scans_table(Path *path);
extern double path_scanned_rows(Path *path);

#endif
