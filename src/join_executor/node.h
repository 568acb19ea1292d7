/*
 * The plan node that makes a join's filter, in the executor.
 */
#ifndef FILTER_JOIN_NODE_H
#define FILTER_JOIN_NODE_H

#include "postgres.h"

/* Define the node. Called once, when the library is loaded. */
extern void runtime_filter_node_init(void);

/* Install the node's hooks. Called once, when joins are first to filter themselves. */
extern void runtime_filter_node_install(void);

#endif
