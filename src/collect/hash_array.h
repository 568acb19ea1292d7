/*
 * Arrays of 64-bit hashes.
 */
#ifndef FILTER_COLLECT_HASH_ARRAY_H
#define FILTER_COLLECT_HASH_ARRAY_H

#include "postgres.h"

/* Allocate an array for at least one hash. Error 54000 if there are too many. */
extern uint64 *hash_array_allocate(MemoryContext context, Size count);

/* Sort hashes in ascending order and remove duplicates; returns how many are left. Takes as much memory again. */
extern Size hash_array_sort(uint64 *hashes, Size count);

/* A function that is passed hashes in runs. It returns false to stop. */
typedef bool (*HashVisitor) (const uint64 *hashes, Size count, void *argument);

#endif
