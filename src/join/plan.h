/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans of
 * its other side reject rows that are not in it.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H

#include "postgres.h"

/* Called once, when joins are first to filter themselves. */
extern void runtime_filter_install_hooks(void);

#endif
