/*
 * Hashes in a temporary file, grouped by their leading bits like those in memory (build/hash_groups.h). Each group is
 * read and sorted on its own.
 */
#ifndef FILTER_BUILD_SPILLED_GROUPS_H
#define FILTER_BUILD_SPILLED_GROUPS_H

#include "postgres.h"

#include "build/hash_groups.h"
#include "build/spill_file.h"

typedef struct SpilledGroups SpilledGroups;

/* Create groups without hashes, as lists of a file. All functions below raise the errors of build/spill_file.h. */
extern SpilledGroups *spilled_groups_create(MemoryContext context, SpillFile *file);

/* Add hashes of one group. */
extern void spilled_groups_add(SpilledGroups *spilled, uint32 group, const uint64 *hashes, Size count);

/* Add hashes of any groups. If there are only a few, they are divided into groups later, together with others. */
extern void spilled_groups_add_mixed(SpilledGroups *spilled, const uint64 *hashes, Size count);

/* The number of distinct hashes. Sorts the groups that have changed. */
extern uint64 spilled_groups_distinct(SpilledGroups *spilled);

/* Visit the distinct hashes, as hash_set_visit does; or hash_set_visit_whole, if `whole`. */
extern bool spilled_groups_visit(SpilledGroups *spilled, bool whole, HashVisitor visitor, void *argument);

/*
 * Visit all hashes, a group at a time, if they are distinct; false if the visitor stopped, or hashes that are not distinct
 * were found, which the visitor does not see. The sorted hashes are not written.
 */
extern bool spilled_groups_visit_if_distinct(SpilledGroups *spilled, HashVisitor visitor, void *argument);

/* The number of hashes, including duplicates. */
extern uint64 spilled_groups_count(const SpilledGroups *spilled);

/* The hashes of a group, including duplicates, palloc'd. */
extern uint64 *spilled_groups_read(SpilledGroups *spilled, uint32 group, Size *count);

extern void spilled_groups_free(SpilledGroups *spilled);

#endif
