#include "join/keys.h"

#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "scan/key_hash.h"

bool
join_keys_by_integer(Oid operator, Oid left_function, Oid right_function)
{
	/* Other operators could have these functions, and an idea of their own of what is equal. */
	return operator < FirstNormalObjectId && key_hash_is_integer(left_function) && key_hash_is_integer(right_function);
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

JoinKey *
join_key_of_column(Node *expression, Oid function, Oid collation, bool by_integer)
{
	for (;;)
	{
		if (IsA(expression, RelabelType))
			expression = (Node *) ((RelabelType *) expression)->arg;
		else if (IsA(expression, FuncExpr))
		{
			function = hash_before_cast((FuncExpr *) expression, function, by_integer);
			if (!OidIsValid(function))
				return NULL;
			expression = linitial(((FuncExpr *) expression)->args);
		}
		else
			break;
	}
	return IsA(expression, Var) ? join_key_create((Expr *) expression, function, collation, by_integer) : NULL;
}

/* Whether a node may evaluate an expression that the join evaluates again. */
static bool
is_cheap(Node *expression)
{
	QualCost	cost;

	cost_qual_eval_node(&cost, expression, NULL);
	return cost.startup + cost.per_tuple <= cpu_tuple_cost && !contain_subplans(expression);
}

BothKeys
join_keys_of(const HashJoin *join, bool probes_outer)
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
		RegProcedure outer_function,
					inner_function;
		bool		by_integer;
		JoinKey    *probed;

		if (!is_cheap((Node *) made) || !op_strict(lfirst_oid(operator)) ||
			!get_op_hash_functions(lfirst_oid(operator), &outer_function, &inner_function))
			continue;
		by_integer = join_keys_by_integer(lfirst_oid(operator), outer_function, inner_function);
		probed = join_key_of_column(lfirst(probes_outer ? outer : inner), probes_outer ? outer_function : inner_function,
									lfirst_oid(collation), by_integer);
		if (probed == NULL)
			continue;
		keys.probed = lappend(keys.probed, probed);
		keys.made = lappend(keys.made, join_key_create(made, probes_outer ? inner_function : outer_function,
													   lfirst_oid(collation), by_integer));
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
	RegProcedure left,
				right;
	const JoinKey *compared;

	if (!op_strict(condition->opno) || condition->inputcollid != key->collation ||
		!get_op_hash_functions(condition->opno, &left, &right) ||
		(key->by_integer && !join_keys_by_integer(condition->opno, left, right)))
		return NULL;
	compared = join_key_of_column(is_outer ? linitial(condition->args) : lsecond(condition->args),
								  is_outer ? left : right, key->collation, key->by_integer);
	if (compared == NULL || compared->function != key->function || castNode(Var, compared->value)->varno != column->varno ||
		castNode(Var, compared->value)->varattno != column->varattno)
		return NULL;
	return join_key_of_column(is_outer ? lsecond(condition->args) : linitial(condition->args), is_outer ? right : left,
							  key->collation, key->by_integer);
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
