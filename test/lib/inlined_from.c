/*
 * For tests: a support function that, since PostgreSQL 19, replaces a function in FROM by the query that its first argument
 * holds.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(inlined_support);
Datum		inlined_support(PG_FUNCTION_ARGS);

Datum
inlined_support(PG_FUNCTION_ARGS)
{
	Query	   *query = NULL;
#if PG_VERSION_NUM >= 190000
	SupportRequestInlineInFrom *request = (SupportRequestInlineInFrom *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestInlineInFrom))
	{
		FuncExpr   *call = castNode(FuncExpr, request->rtfunc->funcexpr);
		char	   *sql = TextDatumGetCString(castNode(Const, linitial(call->args))->constvalue);

		query = linitial_node(Query, pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, pg_parse_query(sql)), sql,
																		NULL, 0, NULL));
	}
#endif
	PG_RETURN_POINTER(query);
}
