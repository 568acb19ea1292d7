/*
 * The executor runs this plan node, which makes a join's filter.
 */
#ifndef FILTER_JOIN_NODE_H
#define FILTER_JOIN_NODE_H

#include "postgres.h"

extern void runtime_filter_node_init(void);

extern void runtime_filter_node_install(void);

#endif
