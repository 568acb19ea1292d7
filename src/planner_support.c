/*
 * What the planner is told about contains and its operators: which share of the rows pass, and what a probe costs.
 *
 * The share is estimated truthfully where the filter is a constant, or computed once by the query, with one exception: a
 * filter that is put before a join on the same key. The join's own estimate covers the rows that the filter throws away;
 * were they left out twice, the planner would expect next to nothing to come out of the join and choose what is good for
 * next to nothing (a nested loop with an index, mostly). There the filter is said to let all rows pass, and the plan is
 * the one that the join would have had without it.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "core/hash.h"
#include "filter_datum.h"
#include "value_hash.h"

#define DEFAULT_SELECTIVITY	(1.0 / 3.0)	/* as PostgreSQL's own for a boolean function */

/* A filter over this size is not opened while planning. */
#define OPENED_WHILE_PLANNING	((Size) 16 * 1024 * 1024)

/* Bytes of a filter of so many values, at usual rates; and a size to go by where nothing is known. */
#define BYTES_PER_VALUE	1.3
#define USUAL_BYTES		32768.0

typedef struct Probe
{
	PlannerInfo *root;			/* may be null, where only the cost is asked for */
	Oid			function;
	Oid			collation;
	List	   *args;
	Node	   *filter;
	Node	   *value;
	int			relation;		/* as varRelid of clause_selectivity */
} Probe;

static Node *
strip_relabel(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

extern PGDLLEXPORT Datum sql_contains(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_contained(PG_FUNCTION_ARGS);

/*
 * Whether a function is the one whose filter is that argument. An estimator can be given to any operator, if only by a
 * superuser on current servers; with another function a constant there need not be a filter, nor even a pointer.
 */
static bool
is_contains(Oid function, int filter_argument)
{
	FmgrInfo	info;

	if (!OidIsValid(function))
		return false;
	fmgr_info(function, &info);
	return info.fn_addr == (filter_argument == 0 ? sql_contains : sql_contained);
}

/* False if there is nothing to say about the call. */
static bool
init_probe(Probe *probe, PlannerInfo *root, Oid function, Oid collation, List *args, int filter_argument, int relation)
{
	if (list_length(args) != 2 || !is_contains(function, filter_argument))
		return false;
	probe->root = root;
	probe->function = function;
	probe->collation = collation;
	probe->args = args;
	probe->filter = strip_relabel(list_nth(args, filter_argument));
	probe->value = strip_relabel(list_nth(args, 1 - filter_argument));
	probe->relation = relation;
	return true;
}

/*
 * Filters computed once: by an uncorrelated subquery.
 */

static Plan *
plan_of_parameter(PlannerInfo *root, const Param *parameter)
{
	ListCell   *cell;

	if (parameter->paramkind != PARAM_EXEC)
		return NULL;
	for (; root != NULL; root = root->parent_root)
		foreach(cell, root->init_plans)
		{
			SubPlan    *subplan = lfirst_node(SubPlan, cell);

			if (list_member_int(subplan->setParam, parameter->paramid))
				return list_nth(root->glob->subplans, subplan->plan_id - 1);
		}
	return NULL;
}

/* The rows that the topmost aggregate of a plan takes in, with those of all parallel workers; -1 if it has none. */
static double
aggregated_rows(Plan *plan)
{
	double		workers = 1.0;
	bool		is_aggregate = false;

	for (; plan != NULL; plan = outerPlan(plan))
	{
		if (IsA(plan, Agg))
			is_aggregate = true;
		else if (IsA(plan, Gather))
			workers = ((Gather *) plan)->num_workers;
		else if (IsA(plan, GatherMerge))
			workers = ((GatherMerge *) plan)->num_workers;
		else if (!IsA(plan, Sort))
			break;
	}
	return plan != NULL && is_aggregate ? plan->plan_rows * workers : -1.0;
}

/*
 * Whether the value is the key of an equality with another relation, by which the join leaves out rows of its own.
 */

/* The column of the query's own table that a column of a partition or child stands for. */
static Node *
column_of_parent(PlannerInfo *root, Node *node)
{
	Var		   *var = (Var *) node;

	if (!IsA(node, Var) || var->varlevelsup != 0)
		return node;
	while (root->append_rel_array != NULL && var->varno > 0 && var->varno < root->simple_rel_array_size &&
		   root->append_rel_array[var->varno] != NULL && var->varattno > 0)
	{
		AppendRelInfo *child = root->append_rel_array[var->varno];

		if (var->varattno > child->num_child_cols || child->parent_colnos[var->varattno - 1] == 0)
			break;
		var = makeVar(child->parent_relid, child->parent_colnos[var->varattno - 1], var->vartype, var->vartypmod,
					  var->varcollid, 0);
	}
	return (Node *) var;
}

static bool
is_same_key(Node *a, Node *b)
{
	a = strip_relabel(a);
	if (a != NULL && IsA(a, Var) && IsA(b, Var))
		return ((Var *) a)->varno == ((Var *) b)->varno && ((Var *) a)->varattno == ((Var *) b)->varattno &&
			((Var *) a)->varlevelsup == ((Var *) b)->varlevelsup;
	return equal(a, b);
}

static bool
is_joined(const Probe *probe)
{
	PlannerInfo *root = probe->root;
	Node	   *key = column_of_parent(root, probe->value);
	ListCell   *cell;
	ListCell   *inner;
	RelOptInfo *rel;

	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *class = lfirst(cell);

		if (bms_membership(class->ec_relids) != BMS_MULTIPLE)
			continue;
		foreach(inner, class->ec_members)
			if (is_same_key((Node *) ((EquivalenceMember *) lfirst(inner))->em_expr, key))
				return true;
	}

	/* The conditions of outer joins are in no class. They leave out rows of the side that is not preserved. */
	if (!IsA(key, Var) || ((Var *) key)->varno <= 0 || ((Var *) key)->varno >= root->simple_rel_array_size ||
		(rel = root->simple_rel_array[((Var *) key)->varno]) == NULL)
		return false;
	foreach(cell, rel->joininfo)
	{
		RestrictInfo *join = lfirst_node(RestrictInfo, cell);

		if ((join->mergeopfamilies != NIL || OidIsValid(join->hashjoinoperator)) && is_opclause(join->clause) &&
			!bms_is_member(((Var *) key)->varno, join->outer_relids) &&
			(is_same_key(get_leftop(join->clause), key) || is_same_key(get_rightop(join->clause), key)))
			return true;
	}
	return false;
}

/*
 * Whether the probe is a condition by itself, so that what passes it is what goes on; and not below NOT, say, where all
 * would mean none.
 */
static bool
is_whole_condition(const Probe *probe)
{
	Relids		relids = pull_varnos_of(probe->root, (Node *) probe->args);
	int			relid;
	ListCell   *cell;

	if (!bms_get_singleton_member(relids, &relid) || probe->root->simple_rel_array[relid] == NULL)
		return false;
	foreach(cell, probe->root->simple_rel_array[relid]->baserestrictinfo)
	{
		Node	   *clause = (Node *) lfirst_node(RestrictInfo, cell)->clause;

		if ((IsA(clause, FuncExpr) && ((FuncExpr *) clause)->args == probe->args) ||
			(IsA(clause, OpExpr) && ((OpExpr *) clause)->args == probe->args))
			return true;
	}
	return false;
}

/*
 * A constant filter is asked about the values that ANALYZE kept.
 */

/* Types whose values can be hashed without a chance of an error. */
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

/*
 * The bounds of a histogram stand for the values between them. The share by number is an upper bound: it supposes that all
 * values of the filter are the column's.
 */
static double
share_of_histogram(const Filter *filter, ValueHasher *hasher, const AttStatsSlot *histogram, double by_number)
{
	int			contained = 0;

	for (int i = 0; i < histogram->nvalues; i++)
		contained += filter_contains(filter, filter_spread(value_hash(hasher, histogram->values[i])));
	return Min(by_number, Max((double) contained, 0.5) / histogram->nvalues);
}

/* The share of a column's values in a filter, by its statistics; by_number for those that they say nothing of. */
static double
share_of_column(const Probe *probe, const Filter *filter, VariableStatData *variable, double by_number)
{
	ValueHasher *hasher;
	AttStatsSlot common,
				histogram;
	double		nulls;
	double		rest;
	double		share = 0.0;

	if (!HeapTupleIsValid(variable->statsTuple))
		return by_number;
	nulls = ((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac;
	rest = 1.0 - nulls;
	if (!is_plain_type(getBaseType(variable->atttype)) || filter->kind.code == VALUE_KIND_NAMED ||
		!statistic_proc_security_check(variable, probe->function))
		return rest * by_number;

	hasher = value_hasher_create(variable->atttype, probe->collation, CurrentMemoryContext);
	if (hasher->kind.code != filter->kind.code)
		return rest * by_number;
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
		by_number = share_of_histogram(filter, hasher, &histogram, by_number);
		free_attstatsslot(&histogram);
	}
	return share + rest * by_number;
}

/* How many of a column's values a filter of so many holds, if they are all its own; and its false positives. */
static double
share_by_number(double values, double distinct, double rate)
{
	double		share = Min(values / Max(distinct, 1.0), 1.0);

	return share + (1.0 - share) * rate;
}

static double
selectivity_of_constant(const Probe *probe, VariableStatData *variable, const Const *constant)
{
	Filter		filter;
	double		distinct;
	double		share = DEFAULT_SELECTIVITY;
	bool		is_default;

	if (constant->constisnull)
		return 0.0;
	if (toast_raw_datum_size(constant->constvalue) > OPENED_WHILE_PLANNING)
		return DEFAULT_SELECTIVITY;
	filter_view(&filter, constant->constvalue);
	if (filter.kind.code == VALUE_KIND_NONE)
		return 0.0;
	distinct = get_variable_numdistinct(variable, &is_default);
	if (!is_default)
		share = share_by_number(filter_cardinality(&filter), distinct, filter.rate);
	return share_of_column(probe, &filter, variable, share);
}

static double
selectivity_of_computed(VariableStatData *variable, double values)
{
	bool		is_default;
	double		distinct = get_variable_numdistinct(variable, &is_default);

	if (is_default)
		return DEFAULT_SELECTIVITY;
	return share_by_number(values, distinct, FILTER_DEFAULT_RATE);
}

static double
selectivity(const Probe *probe)
{
	VariableStatData variable;
	double		share = DEFAULT_SELECTIVITY;
	double		values = -1.0;

	if (IsA(probe->filter, Const))
	{
		examine_variable(probe->root, probe->value, probe->relation, &variable);
		share = selectivity_of_constant(probe, &variable, (Const *) probe->filter);
		ReleaseVariableStats(variable);
	}
	else if (is_whole_condition(probe) && is_joined(probe))
		share = 1.0;
	else
	{
		if (IsA(probe->filter, Param))
			values = aggregated_rows(plan_of_parameter(probe->root, (Param *) probe->filter));
		if (values >= 0.0)
		{
			examine_variable(probe->root, probe->value, probe->relation, &variable);
			share = selectivity_of_computed(&variable, values);
			ReleaseVariableStats(variable);
		}
	}
	CLAMP_PROBABILITY(share);
	return share;
}

/*
 * A probe takes about as long as two or three operators on numbers while the filter is in the cache of the core, and then as
 * long as memory takes (measured: docs/performance.md). A stored constant is fetched once.
 */
static void
cost(const Probe *probe, QualCost *cost)
{
	double		bytes = USUAL_BYTES;
	double		operators;

	cost->startup = 0.0;
	if (IsA(probe->filter, Const) && !((Const *) probe->filter)->constisnull)
	{
		Datum		filter = ((Const *) probe->filter)->constvalue;

		bytes = (double) toast_raw_datum_size(filter);
		if (VARATT_IS_EXTERNAL(DatumGetPointer(filter)))
			cost->startup = seq_page_cost * bytes / BLCKSZ;
	}
	else if (IsA(probe->filter, Param) && probe->root != NULL)
	{
		double		values = aggregated_rows(plan_of_parameter(probe->root, (Param *) probe->filter));

		if (values >= 0.0)
			bytes = values * BYTES_PER_VALUE;
	}
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

/*
 * Operators ask an estimator of their own, not the function's support. Its arguments are root, operator, args, and varRelid
 * (a restriction) or the type of the join and what is special about it (a join).
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
