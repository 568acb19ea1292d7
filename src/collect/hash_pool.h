/*
 * The memory and the temporary file that the sets of an aggregation share.
 *
 * The file has many growing lists of hashes: the groups of every set. Each extent of a list begins at the end of the file, so
 * the file is written once and in order. The memory that a list needs does not depend on its length.
 */
#ifndef FILTER_COLLECT_HASH_POOL_H
#define FILTER_COLLECT_HASH_POOL_H

#include "postgres.h"

#include "storage/buffile.h"

/*
 * The pool counts memory, since the hashes of one set must leave enough to sort them, and those of all sets must fit: see
 * hash_set.c. It begins as zeroes, except `context`.
 */
typedef struct HashPool
{
	MemoryContext context;		/* of the file */
	BufFile    *file;			/* null until a set needs it */
	uint64		file_end;		/* in bytes */
	Size		held;			/* memory allocated, in hashes; for sets, and for the filters of builders */
	bool		has_stream;		/* whether one of the builders streams */
} HashPool;

/* A list in the file. All zeroes are an empty list. */
typedef struct SpillList
{
	uint64		count;			/* number of its hashes */
	uint64		last;			/* position of its last extent, unless the list is empty */
} SpillList;

/* Close the file. The sets must not be used afterwards. */
extern void hash_pool_close(HashPool *pool);

/* Append hashes to a list. Error 53400 if temp_file_limit is exceeded. */
extern void hash_pool_write(HashPool *pool, SpillList *list, const uint64 *hashes, Size count);

/* Read a list, in any order, into an array with room for all of it. */
extern void hash_pool_read(HashPool *pool, const SpillList *list, uint64 *hashes);

#endif
