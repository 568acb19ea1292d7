/*
 * Comparing a column with an untyped parameter that a filter function saw first, as in
 *
 *		WHERE bf_contains(filter, $1) AND id = $1
 *
 * PostgreSQL gives a parameter the type of its first use, here filter_literal. The operators in this file give the
 * second use the meaning that `id = $1` has on its own: the parameter is read as a value of the column's type. The
 * planner transforms the expression into that comparison, so an index can be used.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "known_function.h"

/* How a literal is compared with a value. */
typedef struct Comparison
{
	Oid			type;			/* of the value; the literal is read as that type */
	Oid			operator;
} Comparison;

/* The index of the literal argument: the one whose type is not built in. *other is set to the other's type. */
static int
literal_argument(Oid function, Oid *other)
{
	Oid		   *declared;
	int			arguments;
	int			literal;

	get_func_signature(function, &declared, &arguments);
	Assert(arguments == 2);
	literal = declared[0] >= FirstNormalObjectId ? 0 : 1;
	*other = declared[1 - literal];
	return literal;
}

/*
 * Find the comparison for values of a type, which may have been cast implicitly to the operator's type `declared`. If
 * the cast changes no bits, the value keeps the equality of its own type: citext must be compared as citext, although
 * the operator that the parser found is that of text.
 */
static bool
find_comparison(Oid type, Oid declared, Comparison *comparison)
{
	Oid			left,
				right;

	if (!IsBinaryCoercible(type, declared))
		type = declared;
	comparison->operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	if (!OidIsValid(comparison->operator))
		return false;
	op_input_types(comparison->operator, &left, &right);
	comparison->type = left;
	/* The operator must be for the value's own type or the type it was cast to, and not, say, for anyenum. */
	return left == right && (left == type || left == declared);
}

static Node *
simplify_equality(const SupportRequestSimplify *request)
{
	FuncExpr   *call = request->fcall;
	Oid			declared;
	int			literal;
	Node	   *value;
	Node	   *bare;
	CoerceViaIO *read;
	Comparison	comparison;
	Expr	   *clause;

	if (!is_known_function(call->funcid, sql_literal_equal))
		return NULL;
	literal = literal_argument(call->funcid, &declared);
	value = list_nth(call->args, 1 - literal);
	bare = strip_implicit_coercions(value);
	if (!find_comparison(exprType(bare), declared, &comparison))
		return NULL;
	if (comparison.type == exprType(bare))
		value = bare;
	read = makeNode(CoerceViaIO);
	read->arg = list_nth(call->args, literal);
	read->resulttype = comparison.type;
	read->resultcollid = get_typcollation(comparison.type);
	read->coerceformat = COERCE_EXPLICIT_CAST;
	read->location = -1;
	clause = make_opclause(comparison.operator, BOOLOID, false, literal == 0 ? (Expr *) read : (Expr *) value,
						   literal == 0 ? (Expr *) value : (Expr *) read, InvalidOid, call->inputcollid);
	set_opfuncid((OpExpr *) clause);
	return eval_const_expressions(request->root, (Node *) clause);
}

PG_FUNCTION_INFO_V1(sql_literal_equal_support);
Datum
sql_literal_equal_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(simplify_equality((SupportRequestSimplify *) request));
	PG_RETURN_POINTER(NULL);
}

/*
 * Comparisons that planning does not transform: id = ANY (ARRAY[$1]), IS DISTINCT FROM and the like.
 */

typedef struct EqualitySite
{
	int			literal;
	FmgrInfo	input;
	Oid			input_parameter;
	FmgrInfo	equal;
} EqualitySite;

/* The type of an argument before implicit casts; for the array in `value = ANY (array)`, that of its elements. */
static Oid
type_before_casts(Node *call, int argument, Oid declared)
{
	List	   *arguments = NIL;
	Oid			type;

	if (call == NULL)
		return declared;
	if (IsA(call, FuncExpr))
		arguments = ((FuncExpr *) call)->args;
	else if (IsA(call, OpExpr) || IsA(call, DistinctExpr) || IsA(call, NullIfExpr))
		arguments = ((OpExpr *) call)->args;
	else if (IsA(call, ScalarArrayOpExpr))
		arguments = ((ScalarArrayOpExpr *) call)->args;
	if (list_length(arguments) != 2)
		return declared;
	type = exprType(strip_implicit_coercions(list_nth(arguments, argument)));
	if (IsA(call, ScalarArrayOpExpr) && argument == 1)
		type = get_base_element_type(type);
	return OidIsValid(type) ? type : declared;
}

static EqualitySite *
create_site(FunctionCallInfo fcinfo)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	EqualitySite *site = MemoryContextAlloc(context, sizeof(EqualitySite));
	Oid			declared;
	Oid			input;
	Comparison	comparison;

	site->literal = literal_argument(fcinfo->flinfo->fn_oid, &declared);
	if (!find_comparison(type_before_casts(fcinfo->flinfo->fn_expr, 1 - site->literal, declared), declared, &comparison))
		elog(ERROR, "type %s has no equality operator", format_type_be(declared));
	getTypeInputInfo(comparison.type, &input, &site->input_parameter);
	fmgr_info_cxt(input, &site->input, context);
	fmgr_info_cxt(get_opcode(comparison.operator), &site->equal, context);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

PG_FUNCTION_INFO_V1(sql_literal_equal);
Datum
sql_literal_equal(PG_FUNCTION_ARGS)
{
	EqualitySite *site = fcinfo->flinfo->fn_extra;
	Datum		read;

	if (site == NULL)
		site = create_site(fcinfo);
	read = InputFunctionCall(&site->input, TextDatumGetCString(PG_GETARG_DATUM(site->literal)), site->input_parameter, -1);
	return FunctionCall2Coll(&site->equal, PG_GET_COLLATION(), PG_GETARG_DATUM(1 - site->literal), read);
}
