/*
 * The search for the order of joins, in which joins with filters compete.
 */
#ifndef FILTER_JOIN_SEARCH_H
#define FILTER_JOIN_SEARCH_H
#include "postgres.h"

/* Install the hooks. Called once, when joins are first to filter themselves. */
extern void join_search_install(void);

#endif
