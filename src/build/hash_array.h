/*
 * Arrays of 64-bit hashes.
 */
#ifndef FILTER_BUILD_HASH_ARRAY_H
#define FILTER_BUILD_HASH_ARRAY_H

#include "postgres.h"

/* Allocate an array for at least one hash. Error 54000 if there are too many. */
extern uint64 *hash_array_allocate(MemoryContext context, Size count);

/* A function that is passed hashes in runs. It returns false to stop. */
typedef bool (*HashVisitor) (const uint64 *hashes, Size count, void *argument);

/*
 * Pass an array to a visitor in runs that are short enough for the query to be cancelled in between; false if the
 * visitor stopped.
 */
extern bool hash_array_visit(const uint64 *hashes, Size count, HashVisitor visitor, void *argument);

#endif
