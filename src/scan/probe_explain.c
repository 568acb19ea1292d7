#include "scan/probe_explain.h"

#include "compat.h"
#include FILTER_EXPLAIN_STATE_HEADER
#include FILTER_EXPLAIN_FORMAT_HEADER

void
probe_explain(const char *text, const RuntimeProbePlan *runtime, const ProbeCounts *counts, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		if (runtime != NULL)
			text = psprintf("join filter %d (%s)", runtime->number, text);
		if (es->analyze)
			text = psprintf("%s (rows probed=" UINT64_FORMAT " rejected=" UINT64_FORMAT "%s)", text,
							counts->probed, counts->rejected,
							runtime == NULL ? "" : psprintf(" bypassed=" UINT64_FORMAT, counts->bypassed));
		ExplainPropertyText("Probe", text, es);
		return;
	}
	ExplainOpenGroup("Probe", NULL, true, es);
	if (runtime != NULL)
		ExplainPropertyInteger("Join Filter", NULL, runtime->number, es);
	ExplainPropertyText(runtime != NULL ? "Key" : "Condition", text, es);
	if (es->analyze)
	{
		ExplainPropertyUInteger("Rows Probed", NULL, counts->probed, es);
		ExplainPropertyUInteger("Rows Rejected", NULL, counts->rejected, es);
		if (runtime != NULL)
			ExplainPropertyUInteger("Rows Bypassed", NULL, counts->bypassed, es);
	}
	ExplainCloseGroup("Probe", NULL, true, es);
}
