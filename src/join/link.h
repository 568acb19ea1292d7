/*
 * Telling scans which hash join looks up their rows, so that they can prefetch them (scan/match_prefetch.h).
 *
 * A node of a plan does not know the nodes above it. So scans are told once all nodes of a query have been initialized.
 */
#ifndef FILTER_JOIN_LINK_H
#define FILTER_JOIN_LINK_H

/* Called once, when the library is loaded. */
extern void join_link_init(void);

#endif
