/*
 * Hashes in a temporary file, grouped by their leading bits like those in memory (build/hash_groups.h). Each group is
 * read on its own.
 */
#ifndef FILTER_COLLECT_SPILLED_GROUPS_H
#define FILTER_COLLECT_SPILLED_GROUPS_H

#include "postgres.h"

#include "collect/hash_groups.h"
#include "collect/spill_file.h"

typedef struct SpilledGroups SpilledGroups;

/* Create groups without hashes, as lists of a file. All functions below raise the errors of build/spill_file.h. */
extern SpilledGroups *spilled_groups_create(MemoryContext context, SpillFile *file);

/* Add hashes of one group. */
extern void spilled_groups_add(SpilledGroups *spilled, uint32 group, const uint64 *hashes, Size count);

/* Add hashes of any groups. If there are only a few, they are divided into groups later, together with others. */
extern void spilled_groups_add_mixed(SpilledGroups *spilled, const uint64 *hashes, Size count);

/* Divide all hashes into HASH_GROUPS groups. */
extern void spilled_groups_divide(SpilledGroups *spilled);

/* The number of groups: HASH_GROUPS, or 1 if there are too few hashes to divide. */
extern uint32 spilled_groups_number(SpilledGroups *spilled);

/* The number of hashes, including duplicates, in all groups or in one. */
extern Size spilled_groups_count(const SpilledGroups *spilled);
extern Size spilled_groups_count_one(const SpilledGroups *spilled, uint32 group);

/* Read the hashes of a group, including duplicates, into an array with room for all of them. */
extern void spilled_groups_read(const SpilledGroups *spilled, uint32 group, uint64 *hashes);

extern void spilled_groups_free(SpilledGroups *spilled);

#endif
