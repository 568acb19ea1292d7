/*
 * Which fraction of the rows pass a probe.
 *
 * The fraction is estimated truthfully where the filter is a constant, or computed or read once by the query. A filter that
 * stands before a join on the same key is estimated among the rows that the join would keep. The join's own estimate covers
 * the rows that both leave out; were they counted twice, the planner would expect next to nothing to come out of the join
 * and choose what is good for next to nothing (usually an indexed nested loop). So a filter of the other side of a join lets
 * all rows pass, and the plan is the one that the join would have had without it.
 */
#ifndef FILTER_PLAN_SELECTIVITY_H
#define FILTER_PLAN_SELECTIVITY_H

#include "postgres.h"

#include "plan/probe.h"

#define DEFAULT_SELECTIVITY	(1.0 / 3.0)	/* as PostgreSQL's own for a boolean function */

extern double probe_selectivity(const Probe *probe);

#endif
