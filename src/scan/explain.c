#include "scan/explain.h"

#include "utils/ruleutils.h"

#include "compat.h"
#include FILTER_EXPLAIN_FORMAT_HEADER

static void
explain_probe(const char *condition, const ProbeCounts *counts, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		if (es->analyze)
			condition = psprintf("%s (rows probed=" UINT64_FORMAT " rejected=" UINT64_FORMAT ")", condition,
								 counts->probed, counts->rejected);
		ExplainPropertyText("Probe", condition, es);
		return;
	}
	ExplainOpenGroup("Probe", NULL, true, es);
	ExplainPropertyText("Condition", condition, es);
	if (es->analyze)
	{
		ExplainPropertyUInteger("Rows Probed", NULL, counts->probed, es);
		ExplainPropertyUInteger("Rows Rejected", NULL, counts->rejected, es);
	}
	ExplainCloseGroup("Probe", NULL, true, es);
}

void
explain_probes(PlanState *node, List *conditions, const ProbeCounts *counts, List *ancestors, ExplainState *es)
{
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->plan, ancestors);
	int			index = 0;
	ListCell   *cell;

	ExplainOpenGroup("Probes", "Probes", false, es);
	foreach(cell, conditions)
		explain_probe(deparse_expression(lfirst(cell), context, es->verbose, false), &counts[index++], es);
	ExplainCloseGroup("Probes", "Probes", false, es);
}
