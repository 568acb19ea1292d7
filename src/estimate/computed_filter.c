#include "estimate/computed_filter.h"

#include "access/table.h"
#include "catalog/pg_statistic.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "known_function.h"
#include "estimate/joined_key.h"
#include "estimate/probe.h"

static ComputedFilter
filter_of_values(double values, bool is_limit)
{
	ComputedFilter filter = {NULL, values, is_limit};

	return filter;
}

static const ComputedFilter unknown_filter = {NULL, -1.0, false};

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

static PlannerInfo *
planned_subroot(PlannerInfo *root, int plan)
{
	return plan >= 1 && plan <= list_length(root->glob->subroots) ? list_nth(root->glob->subroots, plan - 1) : NULL;
}

/*
 * The filter that an uncorrelated sub-select returns. A constant null says nothing about it: postgres_fdw writes
 * (SELECT null) in place of a parameter when it requests the estimate of a query.
 */
static ComputedFilter
find_subselect(PlannerInfo *root, const SubPlan *subplan)
{
	ComputedFilter filter = find_output(planned_subroot(root, subplan->plan_id), 1);

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

			/* Of this type, it has one column. */
			if (subplan->subLinkType == EXPR_SUBLINK && linitial_int(subplan->setParam) == parameter->paramid)
				return find_subselect(root, subplan);
		}
	}
	return unknown_filter;
}

/*
 * Aggregates.
 */

/* The rows of a planned query after its joins and before its aggregates; negative if the plan has no such stage. */
static double
joined_rows(PlannerInfo *root)
{
	int			relation = key_relation(root, root->all_baserels);
	ListCell   *cell;

	if (relation != 0)
		return root->simple_rel_array[relation]->rows;
	foreach(cell, root->join_rel_list)
	{
		RelOptInfo *rel = lfirst_node(RelOptInfo, cell);

		if (bms_is_subset(root->all_baserels, rel->relids))
			return rel->rows;
	}
	return -1.0;
}

static ComputedFilter
find_aggregate(PlannerInfo *root, const Aggref *aggregate)
{
	Oid			transition = aggregate_transition(aggregate->aggfnoid);
	Node	   *argument;
	double		rows = joined_rows(root);

	if (aggregate->args == NIL || rows < 0.0 || root->parse->groupClause != NIL || root->parse->groupingSets != NIL)
		return unknown_filter;
	argument = (Node *) linitial_node(TargetEntry, aggregate->args)->expr;
	if (aggregate->aggfilter != NULL)
		rows *= clause_selectivity(root, (Node *) aggregate->aggfilter, 0, JOIN_INNER, NULL);
	if (is_known_function(transition, sql_bloom_agg_transition) || is_known_function(transition, sql_cuckoo_agg_transition) ||
		is_known_function(transition, sql_citus_bloom_agg_transition) ||
		is_known_function(transition, sql_citus_cuckoo_agg_transition))
	{
		/* Without statistics, all of them may be distinct. */
		if (key_distinct(root, argument, 0) >= 0.0)
			rows = Min(estimate_num_groups(root, list_make1(argument), rows, NULL, NULL), rows);
		return filter_of_values(rows, false);
	}
	if (is_known_function(transition, sql_union_agg_transition) ||
		is_known_function(transition, sql_intersection_agg_transition))
	{
		ComputedFilter each = computed_filter(root, argument);

		/* The number of values that the filters have in common is unknown. */
		if (is_known_function(transition, sql_union_agg_transition))
			each.values *= Max(rows, 1.0);
		each.is_limit = true;
		return each;
	}
	return unknown_filter;
}

/*
 * Columns.
 */

/* The average number of out-of-line bytes per row of a table of the query, which is locked. */
static double
toasted_width(Oid table, double rows)
{
	Relation	relation = table_open(table, NoLock);
	double		bytes = 0.0;

	if (OidIsValid(relation->rd_rel->reltoastrelid))
	{
		Relation	toast = table_open(relation->rd_rel->reltoastrelid, AccessShareLock);

		bytes = (double) RelationGetNumberOfBlocks(toast) * BLCKSZ;
		table_close(toast, AccessShareLock);
	}
	table_close(relation, NoLock);
	return bytes / rows;
}

/*
 * A stored filter is assumed to have the average size of its column. It may have been made for more values than it
 * holds. For values out of line, ANALYZE counts only the pointers, so we add the average from the TOAST table. Nothing
 * is known of a table with children, which have TOAST tables of their own.
 */
static ComputedFilter
find_in_table(PlannerInfo *root, Var *column, const RangeTblEntry *table)
{
	RelOptInfo *rel = root->simple_rel_array[column->varno];
	VariableStatData variable;
	double		width = -1.0;

	examine_variable(root, (Node *) column, 0, &variable);
	if (HeapTupleIsValid(variable.statsTuple))
		width = ((Form_pg_statistic) GETSTRUCT(variable.statsTuple))->stawidth;
	ReleaseVariableStats(variable);
	if (width <= 0.0 || rel == NULL || rel->tuples < 1.0 || table->inh)
		return unknown_filter;
	width += toasted_width(table->relid, rel->tuples) - USUAL_HEADER_BYTES;
	return filter_of_values(Max(width, 1.0) / USUAL_BYTES_PER_VALUE, true);
}

static PlannerInfo *
subroot_of_with_query(PlannerInfo *root, const RangeTblEntry *table)
{
	int			number = 0;
	ListCell   *cell;

	for (Index level = table->ctelevelsup; level > 0 && root != NULL; level--)
		root = root->parent_root;
	if (root == NULL || table->self_reference)
		return NULL;
	foreach(cell, root->parse->cteList)
	{
		if (strcmp(lfirst_node(CommonTableExpr, cell)->ctename, table->ctename) == 0)
			return number < list_length(root->cte_plan_ids) ?
				planned_subroot(root, list_nth_int(root->cte_plan_ids, number)) : NULL;
		number++;
	}
	return NULL;
}

static ComputedFilter
find_column(PlannerInfo *root, Var *column)
{
	RangeTblEntry *table;

	if (column->varlevelsup != 0 || root->simple_rel_array == NULL || column->varno <= 0 || column->varattno <= 0 ||
		column->varno >= root->simple_rel_array_size)
		return unknown_filter;
	table = planner_rt_fetch(column->varno, root);
	if (table->rtekind == RTE_RELATION)
		return find_in_table(root, column, table);
	if (table->rtekind == RTE_SUBQUERY && root->simple_rel_array[column->varno] != NULL)
		return find_output(root->simple_rel_array[column->varno]->subroot, column->varattno);
	if (table->rtekind == RTE_CTE)
		return find_output(subroot_of_with_query(root, table), column->varattno);
	return unknown_filter;
}

ComputedFilter
computed_filter(PlannerInfo *root, Node *filter)
{
	filter = node_without_relabel(filter);
	if (IsA(filter, Const))
	{
		ComputedFilter constant = {(Const *) filter, -1.0, false};

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
