/*
 * One temporary file for many growing lists of hashes: the groups of every set of an aggregation.
 *
 * A list is a chain of extents. Lists grow in turn, and each extent begins at the end of the file, so the file is
 * written once and in order. The memory that a list needs does not depend on its length.
 */
#ifndef FILTER_COLLECT_SPILL_FILE_H
#define FILTER_COLLECT_SPILL_FILE_H

#include "postgres.h"

#include "storage/buffile.h"

/* A list in the file. All zeroes: an empty list. */
typedef struct SpillList
{
	uint64		count;			/* number of its hashes */
	uint64		last;			/* position of its last extent, unless the list is empty */
} SpillList;

typedef struct SpillFile
{
	BufFile    *file;
	uint64		end;			/* in bytes */
	const SpillList *open;		/* the list whose last extent ends where the file ends, and so can grow; or null */
} SpillFile;

/*
 * The file and the struct live in the context. This and all functions below raise error 53400 if temp_file_limit is
 * exceeded.
 */
extern SpillFile *spill_file_create(MemoryContext context);
extern void spill_file_close(SpillFile *spill);

/* Append hashes to a list, which must stay at its address until spill_forget. */
extern void spill_append(SpillFile *spill, SpillList *list, const void *hashes, Size count);

/* Read a list into an array with room for all of it, in the order in which the hashes were appended. */
extern void spill_read(SpillFile *spill, const SpillList *list, uint64 *hashes);

/* Make a list empty. */
extern void spill_forget(SpillFile *spill, SpillList *list);

#endif
