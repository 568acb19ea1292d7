/*
 * One temporary file for many growing lists of hashes: the partitions of every collector of an aggregation.
 *
 * A list is a chain of extents. Lists grow in turn, and each extent begins where the file ended, so it is written once and
 * in order; what a list needs in memory does not depend on its length.
 */
#ifndef FILTER_BUILD_SPILL_FILE_H
#define FILTER_BUILD_SPILL_FILE_H

#include "postgres.h"

#include "storage/buffile.h"

/* A list in the file. All zero is an empty one. */
typedef struct SpillList
{
	uint64		count;			/* of its hashes */
	uint64		last;			/* position of its last extent, if it has hashes */
	uint64		extents;
} SpillList;

typedef struct SpillFile
{
	BufFile    *file;
	uint64		end;			/* in bytes */
	const SpillList *open;		/* the list whose last extent ends the file and can go on; null for none */
} SpillFile;

/* Both live in the context. Error 53400 where temp_file_limit is exceeded, from here on. */
extern SpillFile *spill_file_create(MemoryContext context);
extern void spill_file_close(SpillFile *spill);

/* Append hashes to a list, which stays at its address until spill_forget. */
extern void spill_append(SpillFile *spill, SpillList *list, const void *hashes, Size count);

/* Read a list into an array with room for all of it, in the order in which the hashes were appended. */
extern void spill_read(SpillFile *spill, const SpillList *list, uint64 *hashes);

/* Overwrite a list with others, at most as many as it has: where it is, unless that is in too many places. */
extern void spill_replace(SpillFile *spill, SpillList *list, const uint64 *hashes, Size count);

/* Make a list empty. */
extern void spill_forget(SpillFile *spill, SpillList *list);

#endif
