/*
 * Planner support for contains and its operators: the fraction of rows that pass, and the cost of a probe.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "known_function.h"
#include "plan/computed_filter.h"
#include "plan/probe.h"
#include "plan/selectivity.h"

#define USUAL_BYTES			32768.0		/* the assumed size of a filter if nothing is known */

/*
 * A probe takes about as long as two or three operators on numbers while the filter is in the core's cache; beyond
 * that it is limited by memory latency (measured: docs/performance.md).
 */
static void
cost(const Probe *probe, QualCost *cost)
{
	ComputedFilter filter = computed_filter(probe->root, probe->filter);
	double		bytes = USUAL_BYTES;
	double		operators;

	if (filter.constant != NULL && !filter.constant->constisnull)
		bytes = (double) toast_raw_datum_size(filter.constant->constvalue);
	else if (filter.values >= 0.0)
		bytes = filter.values * USUAL_BYTES_PER_VALUE;
	cost->startup = 0.0;
	operators = bytes <= 512.0 * 1024.0 ? 2.0 : bytes <= 4.0 * 1024.0 * 1024.0 ? 3.0 : 8.0;
	cost->per_tuple = operators * cpu_operator_cost;
}

static Node *
support(Node *request, int filter_argument)
{
	Probe		probe;

	if (IsA(request, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *asked = (SupportRequestSelectivity *) request;

		if (!probe_init(&probe, asked->root, asked->funcid, asked->inputcollid, asked->args, filter_argument,
						asked->varRelid))
			return NULL;
		asked->selectivity = probe_selectivity(&probe);
		return request;
	}
	if (IsA(request, SupportRequestCost))
	{
		SupportRequestCost *asked = (SupportRequestCost *) request;
		List	   *args;
		QualCost	answer;

		if (asked->node != NULL && IsA(asked->node, FuncExpr))
			args = ((FuncExpr *) asked->node)->args;
		else if (asked->node != NULL && IsA(asked->node, OpExpr))
			args = ((OpExpr *) asked->node)->args;
		else
			return NULL;
		if (!probe_init(&probe, asked->root, asked->funcid, InvalidOid, args, filter_argument, 0))
			return NULL;
		cost(&probe, &answer);
		asked->startup = answer.startup;
		asked->per_tuple = answer.per_tuple;
		return request;
	}
	return NULL;
}

PG_FUNCTION_INFO_V1(sql_contains_support);
Datum
sql_contains_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support((Node *) PG_GETARG_POINTER(0), 0));
}

PG_FUNCTION_INFO_V1(sql_contained_support);
Datum
sql_contained_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support((Node *) PG_GETARG_POINTER(0), 1));
}

/* The fraction of rows that pass a probe by hash is unknown, so PostgreSQL's default applies. The cost is that of any probe. */
PG_FUNCTION_INFO_V1(sql_contains_hash_support);
Datum
sql_contains_hash_support(PG_FUNCTION_ARGS)
{
	SupportRequestCost *asked = (SupportRequestCost *) PG_GETARG_POINTER(0);
	Probe		probe = {0};
	QualCost	answer;

	if (!IsA(asked, SupportRequestCost) || asked->node == NULL || !IsA(asked->node, FuncExpr) ||
		!is_known_function(asked->funcid, sql_contains_hash) || list_length(((FuncExpr *) asked->node)->args) != 3)
		PG_RETURN_POINTER(NULL);
	probe.root = asked->root;
	probe.filter = node_without_relabel(linitial(((FuncExpr *) asked->node)->args));
	cost(&probe, &answer);
	asked->startup = answer.startup;
	asked->per_tuple = answer.per_tuple;
	PG_RETURN_POINTER(asked);
}

/*
 * Operators use their own estimator instead of the function's support. Its arguments are root, operator, args, and
 * varRelid (for a restriction) or the join type and its SpecialJoinInfo (for a join).
 */
static Datum
estimate_operator(FunctionCallInfo fcinfo, int filter_argument)
{
	List	   *args = (List *) PG_GETARG_POINTER(2);
	int			relation = PG_NARGS() == 4 ? PG_GETARG_INT32(3) : 0;
	Probe		probe;

	if (!probe_init(&probe, (PlannerInfo *) PG_GETARG_POINTER(0), get_opcode(PG_GETARG_OID(1)), PG_GET_COLLATION(), args,
					filter_argument, relation))
		PG_RETURN_FLOAT8(DEFAULT_SELECTIVITY);
	PG_RETURN_FLOAT8(probe_selectivity(&probe));
}

PG_FUNCTION_INFO_V1(sql_contains_estimate);
Datum
sql_contains_estimate(PG_FUNCTION_ARGS)
{
	return estimate_operator(fcinfo, 0);
}

PG_FUNCTION_INFO_V1(sql_contained_estimate);
Datum
sql_contained_estimate(PG_FUNCTION_ARGS)
{
	return estimate_operator(fcinfo, 1);
}
