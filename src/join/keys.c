#include "join/keys.h"

#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"

static bool
is_integer_hash(Oid function)
{
	return function == F_HASHINT2 || function == F_HASHINT4 || function == F_HASHINT8;
}

bool
join_keys_hash_functions(Oid operator, Oid *left, Oid *right, bool *by_integer)
{
	if (!op_strict(operator) || !get_op_hash_functions(operator, left, right))
		return false;
	/* Other operators could have these functions, and an idea of their own of what is equal. */
	*by_integer = operator < FirstNormalObjectId && is_integer_hash(*left) && is_integer_hash(*right);
	return true;
}

/* The hash function of a cast's argument that hashes it as the result is hashed; InvalidOid if there is none. */
static Oid
hash_before_cast(const FuncExpr *cast, Oid function, bool by_integer)
{
	switch (cast->funcid)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
			return by_integer ? F_HASHINT2 : InvalidOid;
		case F_INT8_INT4:
			return by_integer ? F_HASHINT4 : InvalidOid;
		case F_FLOAT8_FLOAT4:
			return function == F_HASHFLOAT8 ? F_HASHFLOAT4 : InvalidOid;
		default:
			return InvalidOid;
	}
}

/*
 * Whether a scan may evaluate a cast for rows for which nobody else does: it raises no error whatever the value is. The
 * hash of its result is that of the join.
 */
static bool
is_cast_without_errors(const FuncExpr *cast)
{
	return list_length(cast->args) == 1 && !cast->funcretset && cast->funcid < FirstNormalObjectId &&
		(get_func_leakproof(cast->funcid) || cast->funcid == F_TEXT_BPCHAR) && func_strict(cast->funcid) &&
		func_volatile(cast->funcid) == PROVOLATILE_IMMUTABLE;
}

bool
join_key_is_equal_in_order(const JoinKey *key, Oid operator)
{
	return OidIsValid(key->order) && list_member_oid(get_mergejoin_opfamilies(operator), key->order);
}

JoinKey *
join_key_of_column(Node *expression, const JoinKey *key)
{
	Oid			function = key->function;
	Oid			cast = key->cast;
	JoinKey    *column;

	for (;;)
	{
		if (IsA(expression, RelabelType))
			expression = (Node *) ((RelabelType *) expression)->arg;
		else if (IsA(expression, FuncExpr) && !OidIsValid(cast))
		{
			const FuncExpr *call = (const FuncExpr *) expression;
			Oid			before = hash_before_cast(call, function, key->by_integer);

			if (OidIsValid(before))
				function = before;
			else if (!key->by_integer && is_cast_without_errors(call))
				cast = call->funcid;
			else
				return NULL;
			expression = linitial(call->args);
		}
		else
			break;
	}
	if (!IsA(expression, Var))
		return NULL;
	column = join_key_create((Expr *) expression, function, key->collation, key->by_integer);
	column->cast = cast;
	column->type = key->type;
	/* What is known of the order is about what the operator compares. */
	column->order = OidIsValid(cast) ? InvalidOid : key->order;
	return column;
}

/* Whether a node may evaluate an expression that the join evaluates again. */
static bool
is_cheap(Node *expression)
{
	QualCost	cost;

	cost_qual_eval_node(&cost, expression, NULL);
	return cost.startup + cost.per_tuple <= cpu_tuple_cost && !contain_subplans(expression);
}

/*
 * The order in which an operator's equality is that of the values, by default: its btree operator family. `made` is the
 * expression on the side that the filter is made of, and `type` what the operator takes there.
 */
static Oid
order_of(Oid operator, Node *made, Oid type)
{
	Oid			family;

	if (getBaseType(exprType(made)) != type)
		return InvalidOid;
	family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	return OidIsValid(family) && list_member_oid(get_mergejoin_opfamilies(operator), family) ? family : InvalidOid;
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

BothKeys
join_keys_of(const HashJoin *join, bool probes_outer, const Bitmapset *constants)
{
	const Hash *hash = (const Hash *) innerPlan(join);
	BothKeys	keys = {.made = NIL};
	ListCell   *outer,
			   *inner,
			   *operator,
			   *collation;

	forfour(outer, join->hashkeys, inner, hash->hashkeys, operator, join->hashoperators, collation, join->hashcollations)
	{
		Expr	   *made = lfirst(probes_outer ? inner : outer);
		Oid			outer_function,
					inner_function;
		Oid			outer_type,
					inner_type;
		bool		by_integer;
		JoinKey    *probed,
				   *other;

		if (!is_cheap((Node *) made) || has_other_parameter((Node *) made, unconstify(Bitmapset *, constants)) ||
			!join_keys_hash_functions(lfirst_oid(operator), &outer_function, &inner_function, &by_integer))
			continue;
		probed = join_key_create(lfirst(probes_outer ? outer : inner), probes_outer ? outer_function : inner_function,
								 lfirst_oid(collation), by_integer);
		other = join_key_create(made, probes_outer ? inner_function : outer_function, lfirst_oid(collation), by_integer);
		op_input_types(lfirst_oid(operator), &outer_type, &inner_type);
		probed->type = probes_outer ? outer_type : inner_type;
		other->type = probes_outer ? inner_type : outer_type;
		probed->order = other->order = order_of(lfirst_oid(operator), (Node *) made, other->type);
		probed = join_key_of_column((Node *) probed->value, probed);
		if (probed == NULL)
			continue;
		keys.probed = lappend(keys.probed, probed);
		keys.made = lappend(keys.made, other);
	}
	return keys;
}

BothKeys
join_keys_single(const BothKeys *keys, int index)
{
	BothKeys	one;

	one.made = list_make1(list_nth(keys->made, index));
	one.probed = list_make1(list_nth(keys->probed, index));
	return one;
}

/* The conditions of a join that compare a column of its outer input with one of its inner input. */
static List *
equalities(const Join *join)
{
	if (IsA(join, HashJoin))
		return ((const HashJoin *) join)->hashclauses;
	if (IsA(join, MergeJoin))
		return ((const MergeJoin *) join)->mergeclauses;
	return NIL;
}

/*
 * What a condition compares a key with, or null. Values that are equal for its operator must have the same hash in the
 * filter: by hash functions that belong together, or as integers.
 */
static JoinKey *
compared_with(const OpExpr *condition, const JoinKey *key)
{
	const Var  *column = castNode(Var, key->value);
	bool		is_outer = column->varno == OUTER_VAR;
	Oid			left,
				right;
	bool		by_integer;
	Expr	   *sides[2];
	const JoinKey *compared;
	JoinKey    *other;

	if (condition->inputcollid != key->collation || OidIsValid(key->cast) ||
		!join_keys_hash_functions(condition->opno, &left, &right, &by_integer) || (key->by_integer && !by_integer))
		return NULL;
	sides[0] = is_outer ? linitial(condition->args) : lsecond(condition->args);
	sides[1] = is_outer ? lsecond(condition->args) : linitial(condition->args);
	compared = join_key_of_column((Node *) sides[0], join_key_create(sides[0], is_outer ? left : right, key->collation, key->by_integer));
	if (compared == NULL || OidIsValid(compared->cast) || compared->function != key->function ||
		castNode(Var, compared->value)->varno != column->varno || castNode(Var, compared->value)->varattno != column->varattno)
		return NULL;
	other = join_key_create(sides[1], is_outer ? right : left, key->collation, key->by_integer);
	op_input_types(condition->opno, &left, &right);
	other->type = is_outer ? right : left;
	if (join_key_is_equal_in_order(key, condition->opno))
		other->order = key->order;
	return join_key_of_column((Node *) sides[1], other);
}

List *
join_keys_of_other_input(const Join *join, const List *keys)
{
	List	   *others = NIL;
	ListCell   *key,
			   *cell;

	foreach(key, keys)
	{
		JoinKey    *other = NULL;

		foreach(cell, equalities(join))
		{
			if (IsA(lfirst(cell), OpExpr))
				other = compared_with(lfirst(cell), lfirst(key));
			if (other != NULL)
				break;
		}
		if (other == NULL)
			return NIL;
		others = lappend(others, other);
	}
	return others;
}
