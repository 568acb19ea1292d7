#include "scan/skip.h"

#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/partcache.h"

#include "compat.h"
#include "scan/matching_pages.h"

/*
 * The most comparisons with the constants of a table's constraints. Each takes a microsecond or more, as the planner's proofs
 * do.
 */
#define MOST_COMPARISONS	2000

/* Constraints are about this variable. */
#define TABLE_VARNO		1

/*
 * What constraints say of the rows of a table.
 */

/* Whether a CHECK constraint holds for the rows that the table had before it, too. */
static bool
is_valid_check(const ConstrCheck *check)
{
	return check->ccvalid && check->ccbin != NULL;
}

static bool
uses_checks(Relation table)
{
	const TupleConstr *constraints = RelationGetDescr(table)->constr;

	if (constraints == NULL || constraints->num_check == 0 || constraint_exclusion == CONSTRAINT_EXCLUSION_OFF)
		return false;
	return constraint_exclusion == CONSTRAINT_EXCLUSION_ON || has_superclass(RelationGetRelid(table));
}

/* Conditions that are true for each row, of which the planner makes use in the same way; with Vars of TABLE_VARNO. */
static List *
partition_bounds(Relation table)
{
	if (!enable_partition_pruning || !table->rd_rel->relispartition)
		return NIL;
	return RelationGetPartitionQual(table);
}

/* Conditions that are not false for any row: they may be null. */
static List *
check_constraints(Relation table)
{
	const TupleConstr *constraints = RelationGetDescr(table)->constr;
	List	   *conditions = NIL;

	if (!uses_checks(table))
		return NIL;
	for (int i = 0; i < constraints->num_check; i++)
	{
		Node	   *condition;

		if (!is_valid_check(&constraints->check[i]))
			continue;
		condition = stringToNode(constraints->check[i].ccbin);
		if (!contain_mutable_functions(condition))
			conditions = lappend(conditions, condition);
	}
	return conditions;
}

/* Simplified as those of queries are, which proofs rely on. */
static List *
simplified(List *conditions, bool is_check)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Expr	   *condition = (Expr *) eval_const_expressions(NULL, lfirst(cell));

		result = list_concat(result, make_ands_implicit(canonicalize_qual(condition, is_check)));
	}
	return result;
}

static bool
have_column(List *conditions, AttrNumber column)
{
	Bitmapset  *columns = NULL;

	pull_varattnos((Node *) conditions, TABLE_VARNO, &columns);
	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, columns);
}

const char *
skip_way_name(int way)
{
	return way == SKIP_BY_BOUNDS ? "partition" : way == SKIP_BY_CHECK ? "constraint" : "pages";
}

int
skip_ways(Relation table, AttrNumber column)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "ways to skip", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	int			ways = 0;

	if (have_column(partition_bounds(table), column))
		ways |= SKIP_BY_BOUNDS;
	if (have_column(check_constraints(table), column))
		ways |= SKIP_BY_CHECK;
	if (has_page_ranges(table, column))
		ways |= SKIP_BY_PAGES;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return ways;
}

int
scan_skip_ways(const Plan *scan, List *tables, AttrNumber column)
{
	Relation	table = table_open(rt_fetch(((const Scan *) scan)->scanrelid, tables)->relid, NoLock);
	int			ways = skip_ways(table, column);

	table_close(table, NoLock);
	return ways;
}

/*
 * What keys say of the rows that match.
 */

/* The column of a key, as constraints have it if they compare it. */
static Expr *
column_of(const JoinKey *key)
{
	const Var  *column = castNode(Var, key->value);
	Var		   *result = makeVar(TABLE_VARNO, column->varattno, column->vartype, column->vartypmod, column->varcollid, 0);

	if (column->vartype != VARCHAROID)
		return (Expr *) result;
	return (Expr *) makeRelabelType((Expr *) result, TEXTOID, -1, column->varcollid, COERCE_IMPLICIT_CAST);
}

/* A condition that a row meets if its column is in this relation to a value; null if there is no operator for it. */
static Expr *
comparison(const JoinKey *key, const KeyRange *range, int16 strategy, Datum value)
{
	Oid			operator = key_range_operator(range, key, strategy);
	Const	   *constant = makeConst(range->type, -1, get_typcollation(range->type), range->length, value, false,
									 range->by_value);

	if (!OidIsValid(operator))
		return NULL;
	return make_opclause(operator, BOOLOID, false, column_of(key), (Expr *) constant, InvalidOid, range->collation);
}

/*
 * Conditions that a row meets if its column is between two of the keys, which are given by their indexes; NIL if there are
 * no operators for them.
 */
static List *
between(const JoinKey *key, const KeyRange *range, int first, int last)
{
	Expr	   *least,
			   *greatest;

	if (first == last)
	{
		least = comparison(key, range, BTEqualStrategyNumber, range->value[first]);
		return least == NULL ? NIL : list_make1(least);
	}
	least = comparison(key, range, BTGreaterEqualStrategyNumber, range->value[first]);
	greatest = comparison(key, range, BTLessEqualStrategyNumber, range->value[last]);
	return least == NULL || greatest == NULL ? NIL : list_make2(least, greatest);
}

/*
 * Proofs.
 */

typedef struct Proof
{
	List	   *conditions;		/* that rows of the table meet */
	int			comparisons;	/* in them, about */
	int			left;			/* of MOST_COMPARISONS */
	const JoinKey *key;
	const KeyRange *range;
} Proof;

static bool
count_comparisons(Node *node, void *count)
{
	if (node == NULL)
		return false;
	if (IsA(node, OpExpr))
		++*(int *) count;
	else if (IsA(node, ScalarArrayOpExpr))
		*(int *) count += 10;
	return expression_tree_walker(node, count_comparisons, count);
}

/*
 * Whether the conditions are false for each row that has one of these keys. If that is not true for all that is between
 * them, it may be true for both halves of them.
 */
static bool
keys_refuted(Proof *proof, int first, int last)
{
	List	   *matching = between(proof->key, proof->range, first, last);
	int			middle = (first + last) / 2;

	proof->left -= 2 * proof->comparisons;
	if (matching == NIL || proof->left < 0)
		return false;
	if (predicate_refuted_by(proof->conditions, matching, false))
		return true;
	if (first == last || proof->range->overflowed)
		return false;
	return keys_refuted(proof, first, middle) && keys_refuted(proof, middle + 1, last);
}

static bool
refuted(List *conditions, const JoinKey *key, const KeyRange *range)
{
	Proof		proof = {.conditions = conditions,.left = MOST_COMPARISONS,.key = key,.range = range};

	count_comparisons((Node *) conditions, &proof.comparisons);
	return keys_refuted(&proof, 0, range->count - 1);
}

/*
 * The condition of a partition by the hash of one column: satisfies_hash_partition(table, modulus, remainder, column). Values
 * that are equal for the join must have the same hash there.
 */
static bool
is_hash_bound_of(const Node *condition, const JoinKey *key, const KeyRange *range)
{
	const FuncExpr *call = (const FuncExpr *) condition;
	const Var  *column;
	Oid			equality = key_range_operator(range, key, BTEqualStrategyNumber);
	Relation	parent;
	PartitionKey partitioned;
	bool		result;

	if (!IsA(condition, FuncExpr) || call->funcid != F_SATISFIES_HASH_PARTITION || list_length(call->args) != 4 ||
		!IsA(linitial(call->args), Const) || !IsA(lfourth(call->args), Var))
		return false;
	column = lfourth(call->args);
	if (column->varattno != castNode(Var, key->value)->varattno || column->vartype != range->type || !OidIsValid(equality))
		return false;
	parent = table_open(DatumGetObjectId(((Const *) linitial(call->args))->constvalue), AccessShareLock);
	partitioned = RelationGetPartitionKey(parent);
	result = partitioned != NULL && partitioned->partnatts == 1 && partitioned->partcollation[0] == key->collation &&
		get_opfamily_member(partitioned->partopfamily[0], range->type, range->type, HTEqualStrategyNumber) == equality;
	table_close(parent, AccessShareLock);
	return result;
}

/* Whether the hash of no key belongs into the partition. */
static bool
hash_refuted(const FuncExpr *condition, const KeyRange *range)
{
	for (int i = 0; i < range->count; i++)
	{
		FuncExpr   *call = copyObject(unconstify(FuncExpr *, condition));
		Node	   *result;

		lfourth(call->args) = makeConst(range->type, -1, range->collation, range->length, range->value[i], false,
										range->by_value);
		result = eval_const_expressions(NULL, (Node *) call);
		if (!IsA(result, Const) || ((Const *) result)->constisnull || DatumGetBool(((Const *) result)->constvalue))
			return false;
	}
	return true;
}

static bool
any_hash_refuted(List *conditions, const JoinKey *key, const KeyRange *range)
{
	ListCell   *cell;

	if (range->overflowed)
		return false;
	foreach(cell, conditions)
		if (is_hash_bound_of(lfirst(cell), key, range) && hash_refuted(lfirst(cell), range))
			return true;
	return false;
}

int
skip_table(Relation table, int ways, const List *keys, KeyRange *const *ranges)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "proofs to skip", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	List	   *bounds = (ways & SKIP_BY_BOUNDS) != 0 ? simplified(partition_bounds(table), false) : NIL;
	List	   *checks = (ways & SKIP_BY_CHECK) != 0 ? simplified(check_constraints(table), true) : NIL;
	int			way = 0;
	ListCell   *cell;

	foreach(cell, keys)
	{
		const JoinKey *key = lfirst(cell);
		const KeyRange *range = ranges[foreach_current_index(cell)];

		if (way != 0 || !key_range_orders(range, key))
			continue;
		if (bounds != NIL && (refuted(bounds, key, range) || any_hash_refuted(bounds, key, range)))
			way = SKIP_BY_BOUNDS;
		else if (checks != NIL && refuted(checks, key, range))
			way = SKIP_BY_CHECK;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return way;
}
