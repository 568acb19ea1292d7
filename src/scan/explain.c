#include "scan/explain.h"

#include "utils/ruleutils.h"

#include "compat.h"
#include FILTER_EXPLAIN_FORMAT_HEADER
#include "scan/join_key.h"

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

static void
explain_runtime_probe(const RuntimeProbePlan *probe, List *context, const ProbeCounts *counts, ExplainState *es)
{
	char	   *columns = deparse_expression((Node *) join_key_values(probe->keys), context, es->verbose, false);

	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		char	   *text = psprintf("join filter %d (%s)", probe->number, columns);

		if (es->analyze)
			text = psprintf("%s (rows probed=" UINT64_FORMAT " rejected=" UINT64_FORMAT " bypassed=" UINT64_FORMAT ")",
							text, counts->probed, counts->rejected, counts->bypassed);
		ExplainPropertyText("Probe", text, es);
		return;
	}
	ExplainOpenGroup("Probe", NULL, true, es);
	ExplainPropertyInteger("Join Filter", NULL, probe->number, es);
	ExplainPropertyText("Key", columns, es);
	if (es->analyze)
	{
		ExplainPropertyUInteger("Rows Probed", NULL, counts->probed, es);
		ExplainPropertyUInteger("Rows Rejected", NULL, counts->rejected, es);
		ExplainPropertyUInteger("Rows Bypassed", NULL, counts->bypassed, es);
	}
	ExplainCloseGroup("Probe", NULL, true, es);
}

void
explain_probes(PlanState *node, List *conditions, List *runtime_probes, const ProbeCounts *counts, List *ancestors,
			   ExplainState *es)
{
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->plan, ancestors);
	int			index = 0;
	ListCell   *cell;

	ExplainOpenGroup("Probes", "Probes", false, es);
	foreach(cell, conditions)
		explain_probe(deparse_expression(lfirst(cell), context, es->verbose, false), &counts[index++], es);
	foreach(cell, runtime_probes)
	{
		RuntimeProbePlan probe;

		runtime_probe_from_list(&probe, lfirst(cell));
		explain_runtime_probe(&probe, context, &counts[index++], es);
	}
	ExplainCloseGroup("Probes", "Probes", false, es);
}
