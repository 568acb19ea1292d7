/*
 * The fraction of rows that pass a probe.
 *
 * The fraction is estimated from the filter's values if the filter is a constant, or is computed or read once by the
 * query. For a filter below a join on the same key, we estimate the fraction among the rows that the join keeps. The
 * join's own estimate covers the rows that both remove. If they were counted twice, the planner would expect the join
 * to return almost no rows, and choose a plan that is good only for so few (usually an indexed nested loop). So for a
 * filter of the other side of the join we report a selectivity of 1, and the plan is the one chosen without the
 * filter.
 */
#ifndef FILTER_ESTIMATE_SELECTIVITY_H
#define FILTER_ESTIMATE_SELECTIVITY_H

#include "postgres.h"

#include "estimate/probe.h"

#define DEFAULT_SELECTIVITY	(1.0 / 3.0)	/* as PostgreSQL's own for a boolean function */

extern double probe_selectivity(const Probe *probe);

#endif
