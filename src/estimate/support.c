/*
 * Planner support for contains and its operators: the fraction of rows that pass, and the cost of a probe.
 *
 * The fraction is estimated from the filter's values if the filter is a constant, or is an aggregate of values that the query
 * computes once. A join on the same key is assumed to remove the same rows as the filter. If they were counted twice, the
 * planner would expect the join to return almost no rows, and choose a plan that is good only for so few (usually an indexed
 * nested loop). Below such a join, the selectivity is therefore 1, and the plan is the one chosen without the filter.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/selfuncs.h"

#include "estimate/computed_filter.h"
#include "estimate/joined_key.h"
#include "estimate/load_scan.h"
#include "estimate/probe_call.h"
#include "expression.h"
#include "prices.h"
#include "stored/datum.h"
#include "value/hasher.h"
#include "value/known_function.h"

#define DEFAULT_SELECTIVITY	(1.0 / 3.0)	/* PostgreSQL's own for a boolean function */
#define MAX_COUNTED			200000.0	/* values of a constant filter that are counted */

#define USUAL_BYTES_PER_VALUE	1.3		/* of one layer: 10.1 bits at a rate of 1% */

/*
 * Whether a condition is the call with these arguments, or has it below nothing but AND and OR. Below NOT, for example, a
 * selectivity of 1 would mean that no row passes.
 */
static bool
is_required(Node *condition, const List *args)
{
	ListCell   *cell;

	if (condition == NULL)
		return false;
	if (IsA(condition, FuncExpr) || IsA(condition, OpExpr))
		return node_arguments(condition) == args;
	if (IsA(condition, BooleanTest) && ((BooleanTest *) condition)->booltesttype == IS_TRUE)
		return is_required((Node *) ((BooleanTest *) condition)->arg, args);
	if (IsA(condition, BoolExpr) && ((BoolExpr *) condition)->boolop != NOT_EXPR)
		foreach(cell, ((BoolExpr *) condition)->args)
			if (is_required(lfirst(cell), args))
				return true;
	return false;
}

/* Whether one of the restrictions requires the call with these arguments to be true. */
static bool
is_required_by(const List *restrictions, const List *args)
{
	ListCell   *cell;

	foreach(cell, restrictions)
		if (is_required((Node *) lfirst_node(RestrictInfo, cell)->clause, args))
			return true;
	return false;
}

/* Whether the query joins on the probed value, and the probe must be true for a row to pass. */
static bool
is_joined(const ProbeCall *probe)
{
	PlannerInfo *root = probe->root;
	RelOptInfo *rel = relation_of(root, key_relation(root, pull_varnos(root, probe->value)));

	return rel != NULL &&
		(is_required_by(rel->baserestrictinfo, probe->args) || is_required_by(rel->joininfo, probe->args)) &&
		key_is_joined(root, probe->value);
}

/*
 * A constant filter is probed with the values in the column's statistics.
 */

static double
null_fraction(const VariableStatData *variable)
{
	return HeapTupleIsValid(variable->statsTuple) ?
		((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac : 0.0;
}

/*
 * The fraction of a column's values in a filter, by its statistics; `expected` for the values that these do not cover.
 *
 * The bounds of a histogram, usually a hundred, are a sample of the values. The sample is too small for fractions below a
 * percent, so it only limits the estimate by count, to a standard deviation above the sample's fraction.
 */
static double
fraction_of_column(const ProbeCall *probe, Datum image, const ValueKind *kind, VariableStatData *variable, double expected)
{
	Oid			type = exprType(list_nth(probe->args, 1 - probe->filter_argument));
	double		rest = 1.0 - null_fraction(variable);
	double		in_common,
				in_histogram,
				common;
	int			bounds;
	FmgrInfo	contains;
	const ValueHasher *hasher;

	/* The query may never evaluate the probe, so no estimate may raise its errors. */
	if (!HeapTupleIsValid(variable->statsTuple) || !value_scalar_never_fails(type, probe->collation) ||
		kind->code == VALUE_KIND_NAMED)
		return rest * expected;
	hasher = value_hasher_create(type, probe->collation, CurrentMemoryContext);
	if (hasher->kind.code != kind->code && !value_kinds_exact_numbers(&hasher->kind, kind))
		return rest * expected;

	fmgr_info(probe->function, &contains);
	fmgr_info_set_expr((Node *) makeFuncExpr(probe->function, BOOLOID, probe->args, InvalidOid, probe->collation,
											 COERCE_EXPLICIT_CALL), &contains);
	in_common = mcv_selectivity(variable, &contains, probe->collation, image, probe->filter_argument == 1, &common);
	in_histogram = histogram_selectivity(variable, &contains, probe->collation, image, probe->filter_argument == 1, 1, 0,
										 &bounds);
	if (in_histogram >= 0.0)
		expected = Min(expected, in_histogram + sqrt(in_histogram * bounds + 1.0) / bounds);
	return in_common + Max(rest - common, 0.0) * expected;
}

/*
 * The fraction of a column's values in a filter, if all the filter's values are in the column; with false positives.
 */
static double
fraction_by_count(double values, double distinct, double rate)
{
	double		fraction;

	if (values < 0.0 || distinct <= 0.0)
		return DEFAULT_SELECTIVITY;
	fraction = Min(values / distinct, 1.0);
	return fraction + (1.0 - fraction) * rate;
}

/* Find the statistics of the value: for a partition without any, those of the whole table. */
static void
examine_value(const ProbeCall *probe, VariableStatData *variable)
{
	Node	   *whole = key_of_table(probe->root, probe->value);

	examine_variable(probe->root, probe->value, probe->relation, variable);
	if (whole != probe->value && !HeapTupleIsValid(variable->statsTuple))
	{
		ReleaseVariableStats(*variable);
		examine_variable(probe->root, whole, 0, variable);
	}
}

/* The fraction of all rows whose value is in a constant filter. */
static double
fraction_in_constant(const ProbeCall *probe, const Const *constant, VariableStatData *variable, double distinct)
{
	FilterView	filter;
	double		values;
	struct varlena *image;
	const char *damage;

	if (constant->constisnull)
		return 0.0;
	image = filter_detoast(constant->constvalue);
	if (filter_open(&filter, (uint8 *) VARDATA(image), VARSIZE(image) - VARHDRSZ, &damage) != FILTER_OK)
		return (1.0 - null_fraction(variable)) * DEFAULT_SELECTIVITY;
	if (filter.header.kind.code == VALUE_KIND_NONE)
		return 0.0;
	/* Counting the values of a larger one would take longer than the rest of planning. */
	values = (double) filter_capacity(&filter.header);
	if (values <= MAX_COUNTED)
	{
		double		cardinality = filter_cardinality(&filter);

		/* Copies of a value are not distinct values. */
		values = filter.header.type == FILTER_CUCKOO ? Min(values, cardinality) : cardinality;
	}
	return fraction_of_column(probe, PointerGetDatum(image), &filter.header.kind, variable,
							  fraction_by_count(values, distinct, filter.header.rate));
}

static double
probe_selectivity(const ProbeCall *probe)
{
	ComputedFilter filter = computed_filter(probe->root, probe->filter);
	double		distinct = key_distinct(probe->root, probe->value, probe->relation);
	VariableStatData variable;
	double		fraction;

	/* Selectivities are estimated before paths are offered. */
	if (IsA(probe->value, Var))
		load_scan();
	examine_value(probe, &variable);
	if (filter.constant != NULL)
		fraction = fraction_in_constant(probe, filter.constant, &variable, distinct);
	else
		fraction = (1.0 - null_fraction(&variable)) * fraction_by_count(filter.values, distinct, FILTER_DEFAULT_RATE);
	ReleaseVariableStats(variable);

	/* An empty filter removes more than any join. */
	if (fraction > 0.0 && is_joined(probe))
		return 1.0;
	CLAMP_PROBABILITY(fraction);
	return fraction;
}

static double
probe_cost(PlannerInfo *root, Node *probed)
{
	ComputedFilter filter = computed_filter(root, probed);
	double		bytes = 0.0;	/* an unknown filter is taken for a small one */

	if (filter.constant != NULL && !filter.constant->constisnull)
		bytes = (double) toast_raw_datum_size(filter.constant->constvalue);
	else if (filter.values >= 0.0)
		bytes = filter.values * USUAL_BYTES_PER_VALUE;
	return (bytes <= CACHED_BYTES ? PRICE_CALL : PRICE_CALL_UNCACHED) * cpu_operator_cost;
}

static bool
estimate_cost(SupportRequestCost *cost)
{
	List	   *args = node_arguments(cost->node);
	ProbeCall	probe;

	if (is_known_function(cost->funcid, sql_contains_hash) && list_length(args) == 3)
		probe.filter = linitial(args);
	else if (!probe_call_init(&probe, cost->root, cost->funcid, InvalidOid, args, 0))
		return false;
	cost->startup = 0.0;
	cost->per_tuple = probe_cost(cost->root, probe.filter);
	return true;
}

/*
 * The library must be loaded before any paths are offered. By then, PostgreSQL has asked to simplify every call, and for the
 * selectivity of a condition of one table, but not of a join.
 */
static void
load_scan_for_join(const SupportRequestSimplify *call)
{
	ProbeCall	probe;

	if (call->root != NULL && probe_call_init(&probe, call->root, call->fcall->funcid, InvalidOid, call->fcall->args, 0) &&
		IsA(probe.value, Var) && contain_var_clause(probe.filter))
		load_scan();
}

/* Only the cost of a probe by hash is estimated. PostgreSQL's default applies to the fraction of rows that pass. */
PG_FUNCTION_INFO_V1(sql_contains_support);
Datum
sql_contains_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	ProbeCall	probe;

	if (IsA(request, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *estimate = (SupportRequestSelectivity *) request;

		if (!probe_call_init(&probe, estimate->root, estimate->funcid, estimate->inputcollid, estimate->args,
							 estimate->varRelid))
			PG_RETURN_POINTER(NULL);
		estimate->selectivity = probe_selectivity(&probe);
		PG_RETURN_POINTER(request);
	}
	if (IsA(request, SupportRequestSimplify))
		load_scan_for_join((SupportRequestSimplify *) request);
	if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
		PG_RETURN_POINTER(request);
	PG_RETURN_POINTER(NULL);
}

/*
 * Operators use their own estimator instead of the function's support. Its arguments are root, operator, args, and
 * varRelid (for a restriction) or the join type and its SpecialJoinInfo (for a join).
 */
PG_FUNCTION_INFO_V1(sql_contains_estimate);
Datum
sql_contains_estimate(PG_FUNCTION_ARGS)
{
	int			relation = PG_NARGS() == 4 ? PG_GETARG_INT32(3) : 0;
	ProbeCall	probe;

	if (!probe_call_init(&probe, (PlannerInfo *) PG_GETARG_POINTER(0), get_opcode(PG_GETARG_OID(1)), PG_GET_COLLATION(),
						 (List *) PG_GETARG_POINTER(2), relation))
		PG_RETURN_FLOAT8(DEFAULT_SELECTIVITY);
	PG_RETURN_FLOAT8(probe_selectivity(&probe));
}
