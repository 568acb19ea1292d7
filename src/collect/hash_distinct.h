/*
 * The number of distinct hashes in a set.
 */
#ifndef FILTER_COLLECT_HASH_DISTINCT_H
#define FILTER_COLLECT_HASH_DISTINCT_H

#include "postgres.h"

#include "collect/hash_set.h"

/* The exact number of distinct hashes. `order` is that in which they will be visited. */
extern uint64 hash_set_distinct(HashSet *set, HashOrder order);

#endif
