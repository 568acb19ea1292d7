/*
 * SQL functions that other code recognizes by their C function, since any other function can have the same SQL name.
 */
#ifndef FILTER_VALUE_KNOWN_FUNCTION_H
#define FILTER_VALUE_KNOWN_FUNCTION_H

#include "postgres.h"

#include "access/attnum.h"
#include "fmgr.h"

extern PGDLLEXPORT Datum sql_filter_out(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_contains(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_contained(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_contains_hash(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_filter_literal_from(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_bloom_agg_transition(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_cuckoo_agg_transition(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_citus_bloom_agg_transition(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sql_citus_cuckoo_agg_transition(PG_FUNCTION_ARGS);

/*
 * Whether an SQL function is implemented by the C function `code`, one of those above. Support functions and estimators can be
 * attached to any function or operator (on current servers only by a superuser), and a constant argument of a foreign function
 * need not be a filter, or even a pointer.
 */
#define is_known_function(function, code) is_c_function(function, code, #code)

/*
 * Whether an SQL function is implemented by the C function `code` with this name. The planner asks this about functions that
 * the query may never call. It does not load the library of a function with another name, which could be missing.
 */
extern bool is_c_function(Oid function, PGFunction code, const char *name);

/* A function of an aggregate, such as Anum_pg_aggregate_aggtransfn; InvalidOid if there is no such aggregate. */
extern Oid	aggregate_function(Oid aggregate, AttrNumber attribute);

#endif
