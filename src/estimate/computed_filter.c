/*
 * The number of values of a filter that the query computes must be estimated before it is computed. Only the shapes that users
 * write are recognized, an aggregate in a sub-select above all.
 */
#include "estimate/computed_filter.h"

#include "catalog/pg_aggregate.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "estimate/joined_key.h"
#include "expression.h"
#include "value/known_function.h"

static const ComputedFilter unknown_filter = {NULL, -1.0};

/* The filter in an output column of a planned subquery. */
static ComputedFilter
find_output(PlannerInfo *subroot, int column)
{
	ListCell   *cell;

	if (subroot == NULL || subroot->parse->setOperations != NULL)
		return unknown_filter;
	foreach(cell, subroot->parse->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk && entry->resno == column)
			return computed_filter(subroot, (Node *) entry->expr);
	}
	return unknown_filter;
}

/*
 * The filter that an uncorrelated sub-select returns. A constant null says nothing about it: postgres_fdw writes
 * (SELECT null) in place of a parameter when it requests the estimate of a query.
 */
static ComputedFilter
find_subselect(PlannerInfo *root, const SubPlan *subplan)
{
	ComputedFilter filter = find_output(list_nth(root->glob->subroots, subplan->plan_id - 1), 1);

	return filter.constant != NULL && filter.constant->constisnull ? unknown_filter : filter;
}

static ComputedFilter
find_parameter(PlannerInfo *root, const Param *parameter)
{
	if (parameter->paramkind != PARAM_EXEC)
		return unknown_filter;
	for (PlannerInfo *level = root; level != NULL; level = level->parent_root)
	{
		ListCell   *cell;

		foreach(cell, level->init_plans)
		{
			SubPlan    *subplan = lfirst_node(SubPlan, cell);

			/* A sub-select of this type has one column. */
			if (subplan->subLinkType == EXPR_SUBLINK && linitial_int(subplan->setParam) == parameter->paramid)
				return find_subselect(root, subplan);
		}
	}
	return unknown_filter;
}

/* The rows of a planned query after its joins and before its aggregates; negative if the plan has no such stage. */
static double
joined_rows(PlannerInfo *root)
{
	int			relation = key_relation(root, root->all_baserels);
	ListCell   *cell;

	if (relation != 0)
		return relation_of(root, relation)->rows;
	foreach(cell, root->join_rel_list)
	{
		RelOptInfo *rel = lfirst_node(RelOptInfo, cell);

		if (bms_is_subset(root->all_baserels, rel->relids))
			return rel->rows;
	}
	return -1.0;
}

static bool
is_filter_of_values(Oid transition)
{
	return is_known_function(transition, sql_bloom_agg_transition) ||
		is_known_function(transition, sql_cuckoo_agg_transition) ||
		is_known_function(transition, sql_citus_bloom_agg_transition) ||
		is_known_function(transition, sql_citus_cuckoo_agg_transition);
}

/* Nothing is known of a union or an intersection, since its filters may have any number of values in common. */
static ComputedFilter
find_aggregate(PlannerInfo *root, const Aggref *aggregate)
{
	ComputedFilter filter = unknown_filter;
	double		rows = joined_rows(root);
	Node	   *argument;

	if (!is_filter_of_values(aggregate_function(aggregate->aggfnoid, Anum_pg_aggregate_aggtransfn)) ||
		aggregate->args == NIL || rows < 0.0 ||
		root->parse->groupClause != NIL || root->parse->groupingSets != NIL)
		return unknown_filter;
	/*
	 * The estimate ignores FILTER: for its selectivity, PostgreSQL may evaluate parts of it, which raises errors that the
	 * query may not.
	 */
	argument = (Node *) linitial_node(TargetEntry, aggregate->args)->expr;
	/* Without statistics, all rows may have distinct values. */
	if (key_distinct(root, argument, 0) >= 0.0)
		rows = Min(estimate_num_groups(root, list_make1(argument), rows, NULL, NULL), rows);
	filter.values = rows;
	return filter;
}

/* Nothing is known of a filter in a table, or in a WITH query that is planned separately. */
static ComputedFilter
find_column(PlannerInfo *root, const Var *column)
{
	RelOptInfo *rel = column->varlevelsup == 0 ? relation_of(root, column->varno) : NULL;

	return rel != NULL ? find_output(rel->subroot, column->varattno) : unknown_filter;
}

ComputedFilter
computed_filter(PlannerInfo *root, Node *filter)
{
	filter = node_without_relabel(filter);
	if (IsA(filter, Const))
	{
		ComputedFilter constant = {(Const *) filter, -1.0};

		return constant;
	}
	if (root == NULL)
		return unknown_filter;
	if (IsA(filter, Param))
		return find_parameter(root, (Param *) filter);
	if (IsA(filter, Aggref))
		return find_aggregate(root, (Aggref *) filter);
	if (IsA(filter, Var))
		return find_column(root, (Var *) filter);
	return unknown_filter;
}
