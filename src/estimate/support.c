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
#include "estimate/computed_filter.h"
#include "estimate/probe.h"
#include "estimate/selectivity.h"

#define USUAL_BYTES			32768.0		/* the assumed size of a filter if nothing is known */

/*
 * A probe takes about as long as two or three operators on numbers while the filter is in the core's cache; beyond
 * that it is limited by memory latency (measured: docs/performance.md).
 */
static void
estimate_cost(const Probe *probe, SupportRequestCost *cost)
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
		SupportRequestSelectivity *estimate = (SupportRequestSelectivity *) request;

		if (!probe_init(&probe, estimate->root, estimate->funcid, estimate->inputcollid, estimate->args, filter_argument,
						estimate->varRelid))
			return NULL;
		estimate->selectivity = probe_selectivity(&probe);
		return request;
	}
	if (IsA(request, SupportRequestCost))
	{
		SupportRequestCost *cost = (SupportRequestCost *) request;
		List	   *args;

		if (cost->node != NULL && IsA(cost->node, FuncExpr))
			args = ((FuncExpr *) cost->node)->args;
		else if (cost->node != NULL && IsA(cost->node, OpExpr))
			args = ((OpExpr *) cost->node)->args;
		else
			return NULL;
		if (!probe_init(&probe, cost->root, cost->funcid, InvalidOid, args, filter_argument, 0))
			return NULL;
		estimate_cost(&probe, cost);
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

/* Only the cost of a probe by hash is known. For the fraction of rows that pass, PostgreSQL's default applies. */
PG_FUNCTION_INFO_V1(sql_contains_hash_support);
Datum
sql_contains_hash_support(PG_FUNCTION_ARGS)
{
	SupportRequestCost *cost = (SupportRequestCost *) PG_GETARG_POINTER(0);
	Probe		probe = {0};

	if (!IsA(cost, SupportRequestCost) || cost->node == NULL || !IsA(cost->node, FuncExpr) ||
		!is_known_function(cost->funcid, sql_contains_hash) || list_length(((FuncExpr *) cost->node)->args) != 3)
		PG_RETURN_POINTER(NULL);
	probe.root = cost->root;
	probe.filter = node_without_relabel(linitial(((FuncExpr *) cost->node)->args));
	estimate_cost(&probe, cost);
	PG_RETURN_POINTER(cost);
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
