/*
 * A filter rejects a row by the hash of its key, so equal values must have the same hash on both sides: by the hash functions of
 * the operator, as for the hash join itself, or as integers of 64 bits. The probe side reads the key off a page of its table, so
 * it must be a column there. The build side evaluates its expression once more than the join does, so that must be cheap.
 */
#include "join_planner/keys.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "expression.h"
#include "join_planner/query.h"

static bool
is_integer_hash(Oid function)
{
	return function == F_HASHINT2 || function == F_HASHINT4 || function == F_HASHINT8;
}

/*
 * Find how the values on each side of an operator are hashed. False if equal values may have different hashes, or if null may be
 * equal to a value.
 */
static bool
hash_functions_of(Oid operator, Oid *left, Oid *right, bool *by_integer)
{
	if (!op_strict(operator) || !get_op_hash_functions(operator, left, right))
		return false;
	/* Operators of extensions could have these functions, and an idea of their own of what is equal. */
	*by_integer = operator < FirstNormalObjectId && is_integer_hash(*left) && is_integer_hash(*right);
	return true;
}

/* The hash function for the argument of a cast that hashes it as the result is hashed; InvalidOid if there is none. */
static Oid
hash_before_cast(Oid cast)
{
	switch (cast)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
			return F_HASHINT2;
		case F_INT8_INT4:
			return F_HASHINT4;
		default:
			return InvalidOid;
	}
}

/* Whether a cast converts an integer to numeric: no value fails, and equal values stay equal. */
static bool
makes_numeric(Oid cast)
{
	return cast == F_NUMERIC_INT2 || cast == F_NUMERIC_INT4 || cast == F_NUMERIC_INT8;
}

bool
join_key_is_grouped(const JoinKey *key, Oid equality, Oid collation)
{
	RegProcedure left,
				right;

	return collation == key->collation && !OidIsValid(key->cast) && get_op_hash_functions(equality, &left, &right) &&
		left == key->function;
}

JoinKey *
join_key_of_column(Node *expression, const JoinKey *key)
{
	Oid			function = key->function;
	Oid			cast = key->cast;
	JoinKey    *column;

	expression = node_without_relabel(expression);
	while (IsA(expression, FuncExpr))
	{
		const FuncExpr *call = (const FuncExpr *) expression;

		if (key->by_integer && OidIsValid(hash_before_cast(call->funcid)))
			function = hash_before_cast(call->funcid);
		else if (makes_numeric(call->funcid) && !OidIsValid(cast))
			cast = call->funcid;
		else
			return NULL;
		expression = node_without_relabel(linitial(call->args));
	}
	if (!IsA(expression, Var) || ((Var *) expression)->varattno <= 0 || ((Var *) expression)->varlevelsup != 0)
		return NULL;
	column = join_key_create((Expr *) expression, function, key->collation, key->by_integer);
	column->cast = cast;
	column->type = key->type;
	/* The order is that of the type that the operator compares, which is not the type of a column below a cast. */
	column->order = OidIsValid(cast) ? InvalidOid : key->order;
	return column;
}

List *
join_keys_of_columns(const List *keys, const List *columns)
{
	List	   *inputs = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		AttrNumber	column = castNode(Var, key->value)->varattno;
		Node	   *expression = column > 0 ? list_nth(columns, column - 1) : NULL;
		JoinKey    *input = NULL;

		if (expression != NULL && IsA(expression, TargetEntry))
			expression = (Node *) ((TargetEntry *) expression)->expr;
		if (expression != NULL)
			input = join_key_of_column(expression, key);
		if (input == NULL)
			return NIL;
		inputs = lappend(inputs, input);
	}
	return inputs;
}

int
join_keys_varno(const List *keys)
{
	int			common = 0;
	ListCell   *cell;

	foreach(cell, keys)
	{
		int			varno = (int) castNode(Var, ((JoinKey *) lfirst(cell))->value)->varno;

		if (common != 0 && common != varno)
			return 0;
		common = varno;
	}
	return common;
}

/* Whether an expression is cheap enough to be evaluated by the filter's node and again by the join. */
static bool
is_cheap(Node *expression)
{
	QualCost	cost;

	cost_qual_eval_node(&cost, expression, NULL);
	return cost.startup + cost.per_tuple <= cpu_tuple_cost && !contain_subplans(expression);
}

/*
 * The default btree operator family of the build side's type, if the operator is equality in it; otherwise InvalidOid. `build` is
 * the expression on the build side, and `type` what the operator takes there.
 */
static Oid
order_of(Oid operator, Node *build, Oid type)
{
	Oid			family;

	if (getBaseType(exprType(build)) != type)
		return InvalidOid;
	family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	return OidIsValid(family) && list_member_oid(get_mergejoin_opfamilies(operator), family) ? family : InvalidOid;
}

/*
 * Create the keys of an operator that compares an expression of the build side with one of the probe side. False if no filter can
 * have them: equal values may have different hashes, the build side's expression is expensive, or the probe side's is not a
 * column.
 */
static bool
keys_of_operator(Oid operator, Oid collation, Expr *build, Expr *probe, bool probes_left, JoinKey **build_key, JoinKey **probe_key)
{
	Oid			function[2];
	Oid			type[2];
	int			probed = probes_left ? 0 : 1;
	bool		by_integer;
	JoinKey    *key;

	if (!hash_functions_of(operator, &function[0], &function[1], &by_integer) || !is_cheap((Node *) build))
		return false;
	op_input_types(operator, &type[0], &type[1]);
	*build_key = join_key_create(build, function[1 - probed], collation, by_integer);
	(*build_key)->type = type[1 - probed];
	key = join_key_create(probe, function[probed], collation, by_integer);
	key->type = type[probed];
	*probe_key = join_key_of_column((Node *) probe, key);
	return *probe_key != NULL;
}

static bool
has_other_parameter(Node *node, void *constants)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC && !bms_is_member(((Param *) node)->paramid, constants);
	return expression_tree_walker(node, has_other_parameter, constants);
}

/*
 * Add the keys of a clause to those of the clauses before it, if a filter may evaluate the build side's expression. It can fail,
 * and the join evaluates it only for rows in which no key before it is null. A filter that has all keys before it evaluates it
 * for the same rows. After a key that the filter lacks, only columns are added.
 */
static void
add_key(BothKeys *keys, JoinKey *build, JoinKey *probe, int clause)
{
	if (clause != list_length(keys->clauses) && !IsA(node_without_relabel((Node *) build->value), Var))
		return;
	keys->build = lappend(keys->build, build);
	keys->probe = lappend(keys->probe, probe);
	keys->clauses = lappend_int(keys->clauses, clause);
}

/* The keys of a clause, by the side of it that is probed. */
typedef struct ClauseKeys
{
	const RestrictInfo *clause;
	bool		probes_left;
	JoinKey    *build;
	JoinKey    *probe;			/* null: no filter can have the keys */
} ClauseKeys;

static const ClauseKeys *
keys_of_clause(PlannerInfo *root, List **known, const RestrictInfo *clause, bool probes_left)
{
	const OpExpr *equality = castNode(OpExpr, clause->clause);
	Expr	   *left = linitial(equality->args);
	Expr	   *right = lsecond(equality->args);
	ClauseKeys *keys;
	ListCell   *cell;

	foreach(cell, *known)
	{
		keys = lfirst(cell);
		if (keys->clause == clause && keys->probes_left == probes_left)
			return keys;
	}
	keys = palloc(sizeof(ClauseKeys));
	*keys = (ClauseKeys) {.clause = clause,.probes_left = probes_left};
	if (!keys_of_operator(equality->opno, equality->inputcollid, probes_left ? right : left, probes_left ? left : right, probes_left,
						  &keys->build, &keys->probe) ||
		query_expression_changes(root, (Node *) equality))
		keys->probe = NULL;
	*known = lappend(*known, keys);
	return keys;
}

BothKeys
join_keys_of_path(PlannerInfo *root, List **known, const List *clauses, bool probes_outer)
{
	BothKeys	keys = {.build = NIL};
	ListCell   *cell;

	foreach(cell, clauses)
	{
		const RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		const ClauseKeys *of_clause = keys_of_clause(root, known, clause, clause->outer_is_left == probes_outer);

		if (of_clause->probe != NULL)
			add_key(&keys, of_clause->build, of_clause->probe, foreach_current_index(cell));
	}
	return keys;
}

BothKeys
join_keys_of(const HashJoin *join, bool probes_outer, const Bitmapset *constants)
{
	const Hash *hash = (const Hash *) innerPlan(join);
	BothKeys	keys = {.build = NIL};
	ListCell   *outer,
			   *inner,
			   *operator,
			   *collation;

	forfour(outer, join->hashkeys, inner, hash->hashkeys, operator, join->hashoperators, collation, join->hashcollations)
	{
		Expr	   *build = lfirst(probes_outer ? inner : outer);
		JoinKey    *build_key,
				   *probe_key;

		if (has_other_parameter((Node *) build, unconstify(Bitmapset *, constants)) ||
			!keys_of_operator(lfirst_oid(operator), lfirst_oid(collation), build, lfirst(probes_outer ? outer : inner),
							  probes_outer, &build_key, &probe_key))
			continue;
		build_key->order = order_of(lfirst_oid(operator), (Node *) build, build_key->type);
		probe_key->order = OidIsValid(probe_key->cast) ? InvalidOid : build_key->order;
		add_key(&keys, build_key, probe_key, foreach_current_index(outer));
	}
	return keys;
}

BothKeys
join_keys_of_clauses(const BothKeys *keys, const List *clauses)
{
	BothKeys	some = {.build = NIL};
	ListCell   *cell;

	foreach(cell, keys->clauses)
		if (list_member_int(clauses, lfirst_int(cell)))
			add_key(&some, list_nth(keys->build, foreach_current_index(cell)), list_nth(keys->probe, foreach_current_index(cell)),
					lfirst_int(cell));
	return some;
}

List *
join_keys_tried(const BothKeys *keys)
{
	BothKeys   *tried = palloc(sizeof(BothKeys) * (list_length(keys->clauses) + 1));
	List	   *all = list_make1(tried);
	ListCell   *cell;

	*tried++ = *keys;
	foreach(cell, list_length(keys->clauses) > 1 ? keys->clauses : NIL)
	{
		*tried = join_keys_of_clauses(keys, list_make1_int(lfirst_int(cell)));
		all = lappend(all, tried++);
	}
	return all;
}
