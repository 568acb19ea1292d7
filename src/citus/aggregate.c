/*
 * The functions of the bf_agg and cf_agg of one type, which cuckoo_filter_citus creates. Only these aggregates can be computed
 * in parts, as Citus does.
 *
 * Citus calls the functions of an aggregate itself, from aggregates of its own, without the expression from which a function
 * learns the collation and a function of any type the actual one. It can therefore only use functions whose declared types are
 * the actual ones. It creates a new call site for every row, and hands every state over.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_cast.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/rel.h"

#include "citus/transfer.h"
#include "functions/aggregate.h"
#include "functions/sql_function.h"
#include "value/known_function.h"

/* Whether the executor, and not Citus, calls the function for an aggregate of the query. */
static bool
is_called_by_executor(FunctionCallInfo fcinfo)
{
	return fcinfo->flinfo->fn_expr != NULL;
}

/* Whether a plan node fetches rows that Citus computes elsewhere, in which casts of the query may be missing. */
static bool
is_citus_scan(const Plan *plan)
{
	return IsA(plan, CustomScan) && strncmp(((const CustomScan *) plan)->methods->CustomName, "Citus", 5) == 0;
}

/*
 * An expression of an Agg node or, if a plan node below computes it, as for sorting, the expression there. Null if that is
 * unknown.
 */
static Node *
computed_expression(FunctionCallInfo fcinfo, Expr *expression)
{
	const Plan *plan = ((const AggState *) fcinfo->context)->ss.ps.plan;

	while (IsA(expression, Var))
	{
		const Var  *column = (const Var *) expression;
		const Plan *input = column->varno == OUTER_VAR ? outerPlan(plan) : column->varno == INNER_VAR ? innerPlan(plan) : NULL;

		if (is_citus_scan(plan))
			return NULL;
		if (input == NULL || column->varattno < 1 || column->varattno > list_length(input->targetlist))
			break;
		plan = input;
		expression = list_nth_node(TargetEntry, plan->targetlist, column->varattno - 1)->expr;
	}
	return (Node *) expression;
}

/* The value of a window function; null if the node calculates several different ones with this transition function. */
static Node *
window_value_expression(FunctionCallInfo fcinfo)
{
	ListCell   *cell;
	Node	   *found = NULL;

	foreach(cell, ((const WindowAggState *) fcinfo->context)->funcs)
	{
		const WindowFunc *call = ((const WindowFuncExprState *) lfirst(cell))->wfunc;
		Node	   *value = call->args != NIL ? linitial(call->args) : NULL;

		if (value == NULL || aggregate_function(call->winfnoid, Anum_pg_aggregate_aggtransfn) != fcinfo->flinfo->fn_oid)
			continue;
		if (found != NULL && !equal(found, value))
			return NULL;
		found = value;
	}
	return found;
}

/* The expression of the value as the user wrote it; null if the plan no longer has it. */
static Node *
value_expression(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);
	Node	   *last;

	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		return window_value_expression(fcinfo);
	if (aggref == NULL || aggref->args == NIL || DO_AGGSPLIT_COMBINE(aggref->aggsplit))
		return NULL;
	if (is_called_by_executor(fcinfo))
		return computed_expression(fcinfo, linitial_node(TargetEntry, aggref->args)->expr);
	/* Citus passes several arguments as one row, which is the last argument of its own aggregate. */
	last = computed_expression(fcinfo, llast_node(TargetEntry, aggref->args)->expr);
	return last != NULL && IsA(last, RowExpr) && ((RowExpr *) last)->args != NIL ? linitial(((RowExpr *) last)->args) : last;
}

/*
 * Whether values of a user-defined type resolve to the aggregate of text. For a type with an implicit cast to text, such as
 * citext, SQL prefers this aggregate to the one of any type, unless there is one of this type, too.
 */
static bool
is_treated_as_text(FunctionCallInfo fcinfo, Oid type)
{
	HeapTuple	tuple;
	Form_pg_proc form;
	Oid			arguments[FUNC_MAX_ARGS];
	Oid			cast;
	bool		has_own;

	if (type < FirstNormalObjectId ||
		find_coercion_pathway(TEXTOID, type, COERCION_IMPLICIT, &cast) == COERCION_PATH_NONE)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	memcpy(arguments, form->proargtypes.values, form->pronargs * sizeof(Oid));
	arguments[1] = type;
	has_own = SearchSysCacheExists3(PROCNAMEARGSNSP, NameGetDatum(&form->proname),
									PointerGetDatum(buildoidvector(arguments, form->pronargs)),
									ObjectIdGetDatum(form->pronamespace));
	ReleaseSysCache(tuple);
	return !has_own;
}

/* A type whose values resolve to the aggregate of text; InvalidOid if there is none. */
static Oid
type_treated_as_text(FunctionCallInfo fcinfo)
{
	Relation	casts = table_open(CastRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(casts, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple;
	Oid			found = InvalidOid;

	while (!OidIsValid(found) && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const Form_pg_cast form = (Form_pg_cast) GETSTRUCT(tuple);

		if (form->casttarget == TEXTOID && is_treated_as_text(fcinfo, form->castsource))
			found = form->castsource;
	}
	systable_endscan(scan);
	table_close(casts, AccessShareLock);
	return found;
}

/* The argument of a cast, which may be a relabeling, a function, or a conversion by input and output; null for other nodes. */
static Node *
cast_argument(Node *node)
{
	if (IsA(node, RelabelType))
		return (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, CoerceViaIO))
		return (Node *) ((CoerceViaIO *) node)->arg;
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcformat != COERCE_EXPLICIT_CALL)
		return linitial(((FuncExpr *) node)->args);
	return NULL;
}

/*
 * Raise an error if a value of the aggregate of text is of a type that is treated as text, or if the planner has removed what
 * would show its type. Explicit casts count as implicit ones, since dumped views and the queries that Citus sends to workers
 * show implicit casts as explicit ones.
 */
static void
check_is_text(FunctionCallInfo fcinfo)
{
	Node	   *value = value_expression(fcinfo);
	Node	   *argument = value;
	Oid			other;

	while (argument != NULL)
	{
		other = getBaseType(exprType(argument));
		if (is_treated_as_text(fcinfo, other))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("value of type %s was cast to type text", format_type_be(other)),
					 errdetail("Values that the type considers equal can be different as text."),
					 errhint("Cast the value to varchar for a filter of text. For a filter of its own type, call filter_agg_for_type.")));
		value = argument;
		argument = cast_argument(argument);
	}
	if (value != NULL && !IsA(value, Const))
		return;
	other = type_treated_as_text(fcinfo);
	if (OidIsValid(other))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 value != NULL ? errmsg("could not determine the type of a constant") : errmsg("could not determine the type of the value"),
				 value != NULL ?
				 errdetail("A constant of type text cannot be told from one of type %s, whose values can be equal although they are different as text.", format_type_be(other)) :
				 errdetail("It can be of type %s or of type text.", format_type_be(other)),
				 errhint("Cast the value to varchar for a filter of text. For a filter of its own type, call filter_agg_for_type.")));
}

/*
 * Set the hasher of a site. Error 42P22 if the collation cannot be determined; errors 0A000 and 42P18 for an aggregate of
 * text whose values are, or could be, of another type.
 */
static void
set_value_type(AggregateSite *site, FunctionCallInfo fcinfo)
{
	Oid			collation = PG_GET_COLLATION();
	Oid			type;
	Oid		   *declared;
	int			arguments;

	get_func_signature(fcinfo->flinfo->fn_oid, &declared, &arguments);
	type = declared[1];
	if (type == TEXTOID)
		check_is_text(fcinfo);
	if (!is_called_by_executor(fcinfo) && !OidIsValid(collation) && type_is_collatable(type))
	{
		const Node *value = value_expression(fcinfo);

		if (value != NULL && exprType(value) == type)
			collation = exprCollation(value);
		if (!OidIsValid(collation))
			ereport(ERROR,
					(errcode(ERRCODE_INDETERMINATE_COLLATION),
					 errmsg("could not determine the collation of the value")));
	}
	aggregate_site_set_type(site, type, collation);
}

/*
 * A site in the memory context of the states, with the function that it is for, and the aggregate of the plan that calls it.
 */
typedef struct ContextSite
{
	AggregateSite site;
	MemoryContextCallback registration;
	Oid			function;
	const Aggref *aggregate;
} ContextSite;

/*
 * This callback only marks the site in the list of its context. Only entries of that list with this function are read, which
 * no one else can register. If PostgreSQL kept the list elsewhere, this would not compile; if it no longer kept each entry
 * until the context is reset, each call would create a site anew, in the same memory.
 */
static void
forget_site(void *site)
{
}

static AggregateSite *
site_in_context(FunctionCallInfo fcinfo)
{
	const Aggref *aggregate = AggGetAggref(fcinfo);
	MemoryContext context;
	ContextSite *site;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	for (const MemoryContextCallback *found = context->reset_cbs; found != NULL; found = found->next)
	{
		if (found->func != forget_site)
			continue;
		site = found->arg;
		if (site->function == fcinfo->flinfo->fn_oid && site->aggregate == aggregate)
			return &site->site;
	}
	site = MemoryContextAllocZero(context, sizeof(ContextSite));
	site->site.is_partial = true;
	site->function = fcinfo->flinfo->fn_oid;
	site->aggregate = aggregate;
	site->registration.func = forget_site;
	site->registration.arg = site;
	MemoryContextRegisterResetCallback(context, &site->registration);
	return &site->site;
}

static pg_noinline AggregateSite *
find_site(FunctionCallInfo fcinfo)
{
	return is_called_by_executor(fcinfo) ? aggregate_site_create(fcinfo) : site_in_context(fcinfo);
}

static pg_noinline AggregateSite *
find_transition_site(FunctionCallInfo fcinfo)
{
	AggregateSite *site = find_site(fcinfo);

	if (site->hasher == NULL)
		set_value_type(site, fcinfo);
	return site;
}

static pg_always_inline Datum
citus_transition(FunctionCallInfo fcinfo, FilterType type)
{
	AggregateSite *site = fcinfo->flinfo->fn_extra;

	return aggregate_advance(fcinfo, likely(site != NULL) ? site : find_transition_site(fcinfo), type);
}

SQL_FUNCTION_OF_TYPE(sql_citus_bloom_agg_transition, FILTER_BLOOM, citus_transition(fcinfo, type))
SQL_FUNCTION_OF_TYPE(sql_citus_cuckoo_agg_transition, FILTER_CUCKOO, citus_transition(fcinfo, type))

static Datum
citus_combine(FunctionCallInfo fcinfo)
{
	AggregateSite *site = fcinfo->flinfo->fn_extra;
	FilterBuilder *source,
			   *target;
	HashScan	scan;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate combine function called in non-aggregate context");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	source = (FilterBuilder *) PG_GETARG_POINTER(1);
	target = aggregate_state(fcinfo, site != NULL ? site : find_site(fcinfo), source->type, source->capacity, source->rate);
	if (source->kind.code != VALUE_KIND_NONE)
		filter_builder_set_kind(target, &source->kind);
	hash_scan_begin(&scan, transfer_hashes(source), HASHES_IN_ANY_ORDER);
	while (hash_scan_next(&scan))
		hash_set_add_all(&target->hashes, scan.hashes, scan.count);
	PG_RETURN_POINTER(target);
}

SQL_FUNCTION(sql_citus_agg_combine, citus_combine(fcinfo))

/*
 * For an untyped value, as in bf_agg(NULL) or cf_agg('apple'), PostgreSQL would choose the aggregate of text. Without
 * aggregates of one type, PostgreSQL itself raises an error.
 */
PG_FUNCTION_INFO_V1(sql_citus_agg_refuse);
Datum
sql_citus_agg_refuse(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_DATATYPE),
			 errmsg("could not determine the type of an untyped value"),
			 errdetail("An aggregate builds a filter for values of one type."),
			 errhint("Cast the value, as in NULL::bigint, '...'::text or $1::uuid.")));
	PG_RETURN_NULL();
}
