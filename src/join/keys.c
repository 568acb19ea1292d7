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

bool
join_keys_add_column(JoinKeys *keys, Node *expression, Oid function, Oid collation, bool by_integer)
{
	for (;;)
	{
		if (IsA(expression, RelabelType))
			expression = (Node *) ((RelabelType *) expression)->arg;
		else if (IsA(expression, FuncExpr))
		{
			function = hash_before_cast((FuncExpr *) expression, function, by_integer);
			if (!OidIsValid(function))
				return false;
			expression = linitial(((FuncExpr *) expression)->args);
		}
		else
			break;
	}
	if (!IsA(expression, Var))
		return false;
	keys->columns = lappend(keys->columns, expression);
	keys->functions = lappend_oid(keys->functions, function);
	keys->collations = lappend_oid(keys->collations, collation);
	keys->by_integer = lappend_int(keys->by_integer, by_integer);
	return true;
}

BothKeys
join_keys_of(const HashJoin *join, bool probes_outer)
{
	const Hash *hash = (const Hash *) innerPlan(join);
	BothKeys	keys = {.made.columns = NIL};
	ListCell   *outer,
			   *inner,
			   *operator,
			   *collation;

	forfour(outer, join->hashkeys, inner, hash->hashkeys, operator, join->hashoperators, collation, join->hashcollations)
	{
		Node	   *made = lfirst(probes_outer ? inner : outer);
		RegProcedure outer_function,
					inner_function;
		bool		by_integer;
		QualCost	cost;

		/* The join evaluates the key again. */
		cost_qual_eval_node(&cost, made, NULL);
		if (cost.startup + cost.per_tuple > cpu_tuple_cost || contain_subplans(made) || !op_strict(lfirst_oid(operator)) ||
			!get_op_hash_functions(lfirst_oid(operator), &outer_function, &inner_function))
			continue;
		by_integer = join_keys_by_integer(lfirst_oid(operator), outer_function, inner_function);
		if (!join_keys_add_column(&keys.probed, lfirst(probes_outer ? outer : inner),
								  probes_outer ? outer_function : inner_function, lfirst_oid(collation), by_integer))
			continue;
		keys.made.columns = lappend(keys.made.columns, made);
		keys.made.functions = lappend_oid(keys.made.functions, probes_outer ? inner_function : outer_function);
		keys.made.collations = lappend_oid(keys.made.collations, lfirst_oid(collation));
		keys.made.by_integer = lappend_int(keys.made.by_integer, by_integer);
	}
	return keys;
}

static JoinKeys
single_key(const JoinKeys *keys, int index)
{
	JoinKeys	one;

	one.columns = list_make1(list_nth(keys->columns, index));
	one.functions = list_make1_oid(list_nth_oid(keys->functions, index));
	one.collations = list_make1_oid(list_nth_oid(keys->collations, index));
	one.by_integer = list_make1_int(list_nth_int(keys->by_integer, index));
	return one;
}

BothKeys
join_keys_single(const BothKeys *keys, int index)
{
	BothKeys	one;

	one.made = single_key(&keys->made, index);
	one.probed = single_key(&keys->probed, index);
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
 * Add what a condition compares a key with. Values that are equal for its operator must have the same hash in the filter:
 * by hash functions that belong together, or as integers.
 */
static bool
add_equal(JoinKeys *other, const OpExpr *condition, const JoinKeys *keys, int index)
{
	const Var  *key = list_nth_node(Var, keys->columns, index);
	Oid			collation = list_nth_oid(keys->collations, index);
	bool		by_integer = list_nth_int(keys->by_integer, index) != 0;
	bool		is_outer = key->varno == OUTER_VAR;
	RegProcedure left,
				right;
	JoinKeys	compared = {.columns = NIL};
	const Var  *column;

	if (!op_strict(condition->opno) || condition->inputcollid != collation ||
		!get_op_hash_functions(condition->opno, &left, &right) ||
		(by_integer && !join_keys_by_integer(condition->opno, left, right)) ||
		!join_keys_add_column(&compared, is_outer ? linitial(condition->args) : lsecond(condition->args),
							  is_outer ? left : right, collation, by_integer))
		return false;
	column = linitial(compared.columns);
	return column->varno == key->varno && column->varattno == key->varattno &&
		linitial_oid(compared.functions) == list_nth_oid(keys->functions, index) &&
		join_keys_add_column(other, is_outer ? lsecond(condition->args) : linitial(condition->args),
							 is_outer ? right : left, collation, by_integer);
}

bool
join_keys_of_other_input(const Join *join, const JoinKeys *keys, JoinKeys *other)
{
	List	   *conditions = equalities(join);

	memset(other, 0, sizeof(JoinKeys));
	for (int i = 0; i < list_length(keys->columns); i++)
	{
		ListCell   *cell;

		foreach(cell, conditions)
			if (IsA(lfirst(cell), OpExpr) && add_equal(other, lfirst(cell), keys, i))
				break;
		if (list_length(other->columns) != i + 1)
			return false;
	}
	return true;
}
