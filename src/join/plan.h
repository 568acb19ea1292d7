/*
 * Joins that filter themselves: a hash join makes a Bloom filter of the keys on the side that it hashes, and the scans of
 * its other side reject rows that are not in it.
 */
#ifndef FILTER_JOIN_PLAN_H
#define FILTER_JOIN_PLAN_H

#include "postgres.h"

/*
 * Define the settings, and install hooks when joins are first to do so: by default, or when somebody changes the setting. Called
 * once, when the library is loaded.
 */
extern void runtime_filter_init(bool by_default);

#endif
