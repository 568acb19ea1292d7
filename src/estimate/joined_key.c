/*
 * The planner knows the key of a probe by its statistics, through subqueries and groups, and by the equivalence classes in
 * which the query's joins put it. If a join removes the rows that the filter rejects, their number must not be divided twice.
 */
#include "estimate/joined_key.h"

#include "catalog/pg_statistic.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "expression.h"

RelOptInfo *
relation_of(PlannerInfo *root, int relation)
{
	if (root->simple_rel_array == NULL || relation <= 0 || relation >= root->simple_rel_array_size)
		return NULL;
	return root->simple_rel_array[relation];
}

int
key_relation(PlannerInfo *root, Relids relids)
{
	int			found = 0;

	for (int i = -1; (i = bms_next_member(relids, i)) >= 0;)
	{
		/* Since 16 an outer join has its own index, but no relation. */
		if (relation_of(root, i) == NULL)
			continue;
		if (found != 0)
			return 0;
		found = i;
	}
	return found;
}

static AppendRelInfo *
child_of(PlannerInfo *root, int relation)
{
	if (root->append_rel_array == NULL || relation <= 0 || relation >= root->simple_rel_array_size)
		return NULL;
	return root->append_rel_array[relation];
}

/* The parent's column that corresponds to a column of a partition or of an arm of UNION ALL; 0 if there is none. */
static AttrNumber
column_of_parent(const AppendRelInfo *child, const Var *var)
{
	AttrNumber	column = 0;
	ListCell   *cell;

	foreach(cell, child->translated_vars)
	{
		const Var  *translated = lfirst(cell);

		column++;
		if (translated != NULL && IsA(translated, Var) && translated->varno == var->varno &&
			translated->varattno == var->varattno)
			return column;
	}
	return 0;
}

Node *
key_of_table(PlannerInfo *root, Node *key)
{
	Var		   *var = (Var *) key;
	AppendRelInfo *child;
	AttrNumber	column;

	if (!IsA(key, Var) || var->varlevelsup != 0)
		return key;
	while ((child = child_of(root, var->varno)) != NULL && (column = column_of_parent(child, var)) != 0)
		var = makeVar(child->parent_relid, column, var->vartype, var->vartypmod, var->varcollid, 0);
	return (Node *) var;
}

/*
 * The rows of a table before restrictions. For a partitioned table, this is the sum over its partitions: the planner's
 * own figure is 0 at first, and later the number of rows after the restrictions.
 */
static double
relation_tuples(PlannerInfo *root, int relation)
{
	RelOptInfo *rel = relation_of(root, relation);
	double		tuples = 0.0;
	ListCell   *cell;

	if (rel == NULL || !root->simple_rte_array[relation]->inh)
		return rel != NULL ? rel->tuples : 0.0;
	foreach(cell, root->append_rel_list)
	{
		AppendRelInfo *child = lfirst_node(AppendRelInfo, cell);

		if ((int) child->parent_relid == relation)
			tuples += relation_tuples(root, (int) child->child_relid);
	}
	return tuples;
}

/* The result of get_variable_numdistinct, but with fractions of relation_tuples; negative if nothing is known. */
static double
distinct_of_node(PlannerInfo *root, Node *node, int relation)
{
	VariableStatData variable;
	bool		is_default;
	double		distinct;
	double		fraction = 0.0;

	examine_variable(root, node, relation, &variable);
	distinct = get_variable_numdistinct(&variable, &is_default);
	if (HeapTupleIsValid(variable.statsTuple) && variable.rel != NULL)
		fraction = -((Form_pg_statistic) GETSTRUCT(variable.statsTuple))->stadistinct;
	if (fraction > 0.0)
		distinct = fraction * relation_tuples(root, (int) variable.rel->relid);
	else if (is_default)
		distinct = -1.0;
	ReleaseVariableStats(variable);
	return distinct;
}

/* Whether a column of a partitioned table is its partition key, or one of its columns. */
static bool
is_partition_key(PlannerInfo *root, const Var *column)
{
	RelOptInfo *rel = relation_of(root, column->varno);

	if (rel == NULL || rel->part_scheme == NULL || rel->partexprs == NULL)
		return false;
	for (int i = 0; i < rel->part_scheme->partnatts; i++)
	{
		ListCell   *cell;

		foreach(cell, rel->partexprs[i])
		{
			Node	   *expression = node_without_relabel(lfirst(cell));

			if (IsA(expression, Var) && ((Var *) expression)->varattno == column->varattno)
				return true;
		}
	}
	return false;
}

/*
 * A filter may have values of all partitions, so it is compared with the values of all. ANALYZE of the partitioned table
 * counts them, but autovacuum does not. Without this count, we estimate the number: if the key is the partition key, each
 * partition has different values; otherwise each may have any value.
 */
double
key_distinct(PlannerInfo *root, Node *key, int relation)
{
	Node	   *whole = key_of_table(root, key);
	double		distinct;

	if (whole == key)
		return distinct_of_node(root, key, relation);
	distinct = distinct_of_node(root, whole, 0);
	if (distinct > 0.0)
		return distinct;
	distinct = distinct_of_node(root, key, relation);
	if (distinct > 0.0 && is_partition_key(root, (Var *) whole))
	{
		double		tuples = relation_tuples(root, ((Var *) key)->varno);

		distinct *= Max(relation_tuples(root, ((Var *) whole)->varno) / Max(tuples, 1.0), 1.0);
	}
	return distinct;
}

static bool
is_same_key(Node *a, Node *b)
{
	a = node_without_relabel(a);
	if (a != NULL && IsA(a, Var) && IsA(b, Var))
		return ((Var *) a)->varno == ((Var *) b)->varno && ((Var *) a)->varattno == ((Var *) b)->varattno &&
			((Var *) a)->varlevelsup == ((Var *) b)->varlevelsup;
	return equal(a, b);
}

static bool
is_in_class(const EquivalenceClass *class, Node *key)
{
	ListCell   *cell;

	foreach(cell, class->ec_members)
		if (is_same_key((Node *) ((EquivalenceMember *) lfirst(cell))->em_expr, key))
			return true;
	return false;
}

static bool
is_joined_by_class(PlannerInfo *root, Node *key, int relation, const EquivalenceClass *class)
{
	/* A comparison with a constant removes rows, too. */
	return (class->ec_has_const || key_relation(root, class->ec_relids) != relation) && is_in_class(class, key);
}

/* The condition of an outer join is in no equivalence class, and removes rows of the nullable side. */
static bool
is_joined_by_outer_join(Node *key, int relation, const RestrictInfo *join)
{
	return (join->mergeopfamilies != NIL || OidIsValid(join->hashjoinoperator)) && is_opclause(join->clause) &&
		!bms_is_member(relation, join->outer_relids) &&
		(is_same_key(get_leftop(join->clause), key) || is_same_key(get_rightop(join->clause), key));
}

static bool
is_joined_in_query(PlannerInfo *root, Node *key)
{
	int			relation = key_relation(root, pull_varnos(root, key));
	ListCell   *cell;

	if (relation == 0)
		return false;
	foreach(cell, root->eq_classes)
		if (is_joined_by_class(root, key, relation, lfirst(cell)))
			return true;
	foreach(cell, relation_of(root, relation)->joininfo)
		if (is_joined_by_outer_join(key, relation, lfirst_node(RestrictInfo, cell)))
			return true;
	return false;
}

/*
 * The column of the outer query that corresponds to a key, through the output of the subquery that root plans; null if there
 * is none. An outer query plans its subqueries one by one, so root plans the first that has no subroot. This is wrong only if
 * a subquery stands before an arm of a UNION ALL, or if PostgreSQL set subroot at another time. The estimate is then less
 * exact: the column is only used to look for its joins.
 */
static Node *
key_of_outer_query(PlannerInfo *root, Node *key)
{
	PlannerInfo *outer = root->parent_root;
	Index		subquery = 1;
	ListCell   *cell;

	/* Without simple_rel_array, the outer query is still planning sub-selects in expressions, or WITH queries. */
	if (outer == NULL || outer->simple_rel_array == NULL || !IsA(key, Var))
		return NULL;
	while (relation_of(outer, subquery) == NULL || outer->simple_rel_array[subquery]->rtekind != RTE_SUBQUERY ||
		   outer->simple_rte_array[subquery]->inh || outer->simple_rel_array[subquery]->subroot != NULL)
		if (++subquery >= (Index) outer->simple_rel_array_size)
			return NULL;
	foreach(cell, root->parse->targetList)
	{
		TargetEntry *output = lfirst_node(TargetEntry, cell);

		/* The columns of a set operation such as UNION are the columns of each arm. */
		if (!output->resjunk && (root->parse->setOperations != NULL ? output->resno == ((Var *) key)->varattno :
								 is_same_key((Node *) output->expr, key)))
			return (Node *) makeVarFromTargetEntry(subquery, output);
	}
	return NULL;
}

bool
key_is_joined(PlannerInfo *root, Node *key)
{
	for (; key != NULL; key = key_of_outer_query(root, key), root = root->parent_root)
	{
		key = key_of_table(root, key);
		if (is_joined_in_query(root, key))
			return true;
	}
	return false;
}
