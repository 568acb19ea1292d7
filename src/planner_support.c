/*
 * Planner support for contains and its operators: the fraction of rows that pass, and the cost of a probe.
 *
 * The fraction is estimated from the filter's values if the filter is a constant, or is computed or read once by the
 * query. For a filter below a join on the same key, we estimate the fraction among the rows that the join keeps. The
 * join's own estimate covers the rows that both remove. If they were counted twice, the planner would expect the join
 * to return almost no rows, and choose a plan that is good only for so few (usually an indexed nested loop). So for a
 * filter of the other side of the join we report a selectivity of 1, and the plan is the one chosen without the
 * filter.
 */
#include "postgres.h"

#include "planner_support.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "computed_filter.h"
#include "core/hash.h"
#include "filter_datum.h"
#include "joined_key.h"
#include "value_hash.h"

#define DEFAULT_SELECTIVITY	(1.0 / 3.0)	/* as PostgreSQL's own for a boolean function */

#define USUAL_BYTES			32768.0		/* the assumed size of a filter if nothing is known */

typedef struct Probe
{
	PlannerInfo *root;			/* may be null if only the cost is requested */
	Oid			function;
	Oid			collation;
	List	   *args;
	Node	   *filter;
	Node	   *value;
	int			relation;		/* as varRelid of clause_selectivity */
} Probe;

extern PGDLLEXPORT Datum sql_contains(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_contained(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_contains_hash(PG_FUNCTION_ARGS);

/*
 * Whether a function is the extension's own C function. Support functions and estimators can be attached to any
 * function or operator (only by a superuser on current servers). For a foreign function, a constant argument need not
 * be a filter, or even a pointer.
 */
static bool
is_function(Oid function, PGFunction code)
{
	FmgrInfo	info;

	if (!OidIsValid(function))
		return false;
	fmgr_info(function, &info);
	return info.fn_addr == code;
}

/* Whether a function is contains, with its filter in the given argument. */
bool
is_contains(Oid function, int filter_argument)
{
	return is_function(function, filter_argument == 0 ? sql_contains : sql_contained);
}

static bool
is_any_contains(Oid function, void *context)
{
	(void) context;
	return is_contains(function, 0) || is_contains(function, 1);
}

static bool
contains_call_walker(Node *node, void *context)
{
	return node != NULL &&
		(check_functions_in_node(node, is_any_contains, context) ||
		 expression_tree_walker(node, contains_call_walker, context));
}

bool
has_contains_call(Node *expression)
{
	return contains_call_walker(expression, NULL);
}

/* Analyze a call; false if it is not supported. */
static bool
init_probe(Probe *probe, PlannerInfo *root, Oid function, Oid collation, List *args, int filter_argument, int relation)
{
	if (list_length(args) != 2 || !is_contains(function, filter_argument))
		return false;
	probe->root = root;
	probe->function = function;
	probe->collation = collation;
	probe->args = args;
	probe->filter = key_without_relabel(list_nth(args, filter_argument));
	probe->value = key_without_relabel(list_nth(args, 1 - filter_argument));
	probe->relation = relation;
	return true;
}

/*
 * Whether a condition is a call, or has it only below AND and OR. Not below NOT, for example, where a selectivity of
 * 1 would mean that no row passes.
 */
static bool
is_required(Node *condition, const List *args)
{
	ListCell   *cell;

	if (condition == NULL)
		return false;
	if (IsA(condition, FuncExpr))
		return ((FuncExpr *) condition)->args == args;
	if (IsA(condition, OpExpr))
		return ((OpExpr *) condition)->args == args;
	if (IsA(condition, BooleanTest) && ((BooleanTest *) condition)->booltesttype == IS_TRUE)
		return is_required((Node *) ((BooleanTest *) condition)->arg, args);
	if (IsA(condition, BoolExpr) && ((BoolExpr *) condition)->boolop != NOT_EXPR)
		foreach(cell, ((BoolExpr *) condition)->args)
			if (is_required(lfirst(cell), args))
				return true;
	return false;
}

static bool
is_required_by(const List *restrictions, const List *args)
{
	ListCell   *cell;

	foreach(cell, restrictions)
		if (is_required((Node *) lfirst_node(RestrictInfo, cell)->clause, args))
			return true;
	return false;
}

/* The fraction of the column's values among which to estimate the probe, as in key_joined_fraction. */
static double
joined_fraction(const Probe *probe, double distinct)
{
	PlannerInfo *root = probe->root;
	int			relation = key_relation(root, pull_varnos_of(root, probe->value));
	RelOptInfo *rel;

	if (relation == 0)
		return KEY_NOT_JOINED;
	rel = root->simple_rel_array[relation];
	if (!is_required_by(rel->baserestrictinfo, probe->args) && !is_required_by(rel->joininfo, probe->args))
		return KEY_NOT_JOINED;
	return key_joined_fraction(root, probe->value, distinct);
}

/*
 * A constant filter is probed with the values in the statistics.
 */

/* Whether hashing the values of a type can never raise an error. */
static bool
is_plain_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
		case UUIDOID:
		case BOOLOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

/* The fraction of a column's values that are in a filter, estimated by their numbers. */
typedef struct ShareByNumber
{
	double		expected;		/* if the filter's values are spread over the whole table, including all partitions */
	double		most;			/* if all of them are values of this column */
} ShareByNumber;

/*
 * The bounds of a histogram, usually a hundred, are a sample of the values: too small for fractions below a percent.
 * So the sample replaces the estimate by number only if that is more than a standard deviation higher.
 */
static double
share_of_histogram(const Filter *filter, ValueHasher *hasher, const AttStatsSlot *histogram,
				   const ShareByNumber *by_number)
{
	int			contained = 0;

	for (int i = 0; i < histogram->nvalues; i++)
		contained += filter_contains(filter, filter_spread(value_hash(hasher, histogram->values[i])));
	return Min(contained == 0 ? by_number->expected : by_number->most,
			   (contained + sqrt(contained + 1.0)) / histogram->nvalues);
}

/*
 * The fraction of a column's values in a filter, by its statistics; by_number for the values that these do not cover.
 */
static double
share_of_column(const Probe *probe, const Filter *filter, VariableStatData *variable, const ShareByNumber *by_number)
{
	ValueHasher *hasher;
	AttStatsSlot common,
				histogram;
	double		nulls;
	double		rest;
	double		share = 0.0;
	double		share_of_rest = by_number->expected;

	if (!HeapTupleIsValid(variable->statsTuple))
		return by_number->expected;
	nulls = ((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac;
	rest = 1.0 - nulls;
	if (!is_plain_type(getBaseType(variable->atttype)) || filter->kind.code == VALUE_KIND_NAMED ||
		!statistic_proc_security_check(variable, probe->function))
		return rest * by_number->expected;

	hasher = value_hasher_create(variable->atttype, probe->collation, CurrentMemoryContext);
	if (hasher->kind.code != filter->kind.code && !value_kinds_exact_numbers(&hasher->kind, &filter->kind))
		return rest * by_number->expected;
	if (get_attstatsslot(&common, variable->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		for (int i = 0; i < common.nvalues; i++)
		{
			if (filter_contains(filter, filter_spread(value_hash(hasher, common.values[i]))))
				share += common.numbers[i];
			rest -= common.numbers[i];
		}
		free_attstatsslot(&common);
	}
	if (rest <= 0.0)
		return share;
	if (get_attstatsslot(&histogram, variable->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
	{
		share_of_rest = share_of_histogram(filter, hasher, &histogram, by_number);
		free_attstatsslot(&histogram);
	}
	return share + rest * share_of_rest;
}

/*
 * The fraction of a column's values in a filter, if all the filter's values are in the column; with false positives.
 */
static double
share_by_number(double values, double distinct, double rate)
{
	double		share;

	if (values < 0.0 || distinct <= 0.0)
		return DEFAULT_SELECTIVITY;
	share = Min(values / distinct, 1.0);
	return share + (1.0 - share) * rate;
}

/* The statistics of the value: those of a partition, or if it has none, those of the whole table. */
static void
examine_value(const Probe *probe, VariableStatData *variable)
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
share_in_constant(const Probe *probe, const Const *constant, VariableStatData *variable, double distinct)
{
	Filter		filter;
	ShareByNumber by_number;
	double		values;
	bool		is_default;

	if (constant->constisnull)
		return 0.0;
	filter_view(&filter, constant->constvalue);
	if (filter.kind.code == VALUE_KIND_NONE)
		return 0.0;
	values = filter_cardinality_estimate(&filter);
	by_number.expected = share_by_number(values, distinct, filter.rate);
	by_number.most = share_by_number(values, get_variable_numdistinct(variable, &is_default), filter.rate);
	by_number.most = is_default ? by_number.expected : Max(by_number.expected, by_number.most);
	return share_of_column(probe, &filter, variable, &by_number);
}

static double
null_fraction(const VariableStatData *variable)
{
	return HeapTupleIsValid(variable->statsTuple) ?
		((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac : 0.0;
}

static double
selectivity(const Probe *probe)
{
	ComputedFilter filter = computed_filter(probe->root, probe->filter);
	double		distinct = key_distinct(probe->root, probe->value, probe->relation);
	double		joined = joined_fraction(probe, distinct);
	VariableStatData variable;
	double		values;			/* the fraction of rows whose value is not null */
	double		share;

	examine_value(probe, &variable);
	values = 1.0 - null_fraction(&variable);
	if (filter.constant != NULL)
		share = share_in_constant(probe, filter.constant, &variable, distinct);
	else
		share = values * share_by_number(filter.values, distinct, FILTER_DEFAULT_RATE);
	ReleaseVariableStats(variable);
	if (filter.is_limit)
		share = Min(share, DEFAULT_SELECTIVITY);

	/* A join removes nulls, too; and the rows that it keeps are in the filter, if that is large enough. */
	if (joined > 0.0 && joined <= 1.0 && values > 0.0)
		share /= joined * values;
	else if (joined <= 0.0 && share > 0.0)
		share = 1.0;
	CLAMP_PROBABILITY(share);
	return share;
}

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

		if (!init_probe(&probe, asked->root, asked->funcid, asked->inputcollid, asked->args, filter_argument,
						asked->varRelid))
			return NULL;
		asked->selectivity = selectivity(&probe);
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
		if (!init_probe(&probe, asked->root, asked->funcid, InvalidOid, args, filter_argument, 0))
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
		!is_function(asked->funcid, sql_contains_hash) || list_length(((FuncExpr *) asked->node)->args) != 3)
		PG_RETURN_POINTER(NULL);
	probe.root = asked->root;
	probe.filter = key_without_relabel(linitial(((FuncExpr *) asked->node)->args));
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

	if (!init_probe(&probe, (PlannerInfo *) PG_GETARG_POINTER(0), get_opcode(PG_GETARG_OID(1)), PG_GET_COLLATION(), args,
					filter_argument, relation))
		PG_RETURN_FLOAT8(DEFAULT_SELECTIVITY);
	PG_RETURN_FLOAT8(selectivity(&probe));
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
