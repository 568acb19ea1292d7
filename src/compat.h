/*
 * All differences between PostgreSQL's major versions are handled here, but for those of its private state (host/host.h).
 *
 * What only old versions need goes with them. 15 ends in 2027-11. 16 ends in 2028-11: then what HOST_READS_PAGES selects in
 * host/host.h and heap_pages_next.c goes. test/ended checks the dates.
 */
#ifndef FILTER_COMPAT_H
#define FILTER_COMPAT_H

#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* What adds to the output of EXPLAIN includes these. */
#if PG_VERSION_NUM >= 180000
#define FILTER_EXPLAIN_STATE_HEADER "commands/explain_state.h"
#define FILTER_EXPLAIN_FORMAT_HEADER "commands/explain_format.h"
#else
#define FILTER_EXPLAIN_STATE_HEADER "commands/explain.h"
#define FILTER_EXPLAIN_FORMAT_HEADER "commands/explain.h"
#endif

/* Whether extensions can have options of EXPLAIN. Since 19, there is a function that checks their values in settings. */
#define FILTER_EXPLAIN_HAS_OPTIONS	(PG_VERSION_NUM >= 180000)
#if PG_VERSION_NUM >= 190000
#define filter_register_explain_option(name, handler) \
	RegisterExtensionExplainOption(name, handler, GUCCheckBooleanExplainOption)
#else
#define filter_register_explain_option(name, handler) RegisterExtensionExplainOption(name, handler)
#endif

#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
/* Soft errors exist since 16; before that, input functions raise ordinary errors. */
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)

/* Since 16, fmgr.h declares it. */
extern void _PG_init(void);
/* 15.0 has it under this name only. */
#define InitMaterializedSRF SetSingleFuncCall
#endif

#if PG_VERSION_NUM < 180000
/* Since 18, PostgreSQL defines it. Its older pg_attribute_noreturn() follows the declaration. */
#define pg_noreturn __attribute__((noreturn))
#endif

/* After 19, PostgreSQL has renamed its attribute, and defines only this name. */
#ifndef pg_always_inline
#define pg_always_inline pg_attribute_always_inline
#endif

#if PG_VERSION_NUM >= 180000
#define FILTER_MODULE_MAGIC(library) PG_MODULE_MAGIC_EXT(.name = library, .version = "1.0")
#else
#define FILTER_MODULE_MAGIC(library) PG_MODULE_MAGIC
#endif

/*
 * Whether PL/pgSQL lets a function change a variable in place: unconditionally if the variable is not visible after an
 * error, otherwise only if the function's support function agrees (SupportRequestModifyInPlace).
 */
#define FILTER_VARIABLES_CHANGE_IN_PLACE	(PG_VERSION_NUM >= 180000)

/*
 * Custom scans. Since 16, the slot of a custom scan can have the type of its table, and before that it must be replaced;
 * since 19, a scan of a table has flags.
 */
#if PG_VERSION_NUM >= 160000
#define FILTER_SET_SLOT_OPS(custom_scan_state, ops) ((custom_scan_state)->slotOps = (ops))
#define custom_scan_use_table_slot(node, estate) ((void) (estate))
#else
#define FILTER_SET_SLOT_OPS(custom_scan_state, ops) ((void) 0)
#define custom_scan_use_table_slot(node, estate) \
	do { \
		(node)->ss.ps.subPlan = NIL; \
		ExecInitScanTupleSlot(estate, &(node)->ss, RelationGetDescr((node)->ss.ss_currentRelation), \
							  table_slot_callbacks((node)->ss.ss_currentRelation)); \
		ExecAssignScanProjectionInfo(&(node)->ss); \
		(node)->ss.ps.qual = ExecInitQual((node)->ss.ps.plan->qual, &(node)->ss.ps); \
	} while (0)
#endif

#if PG_VERSION_NUM >= 190000
#define table_beginscan_of(relation, snapshot) table_beginscan(relation, snapshot, 0, NULL, SO_NONE)
#define table_beginscan_parallel_of(relation, parallel) table_beginscan_parallel(relation, parallel, SO_NONE)
#else
#define table_beginscan_of(relation, snapshot) table_beginscan(relation, snapshot, 0, NULL)
#define table_beginscan_parallel_of(relation, parallel) table_beginscan_parallel(relation, parallel)
#endif

/* Types of joins that there are since 16 and 18. Before, no join is of these. */
#if PG_VERSION_NUM < 160000
#define JOIN_RIGHT_ANTI (JOIN_UNIQUE_INNER + 1)
#endif
#if PG_VERSION_NUM < 180000
#define JOIN_RIGHT_SEMI (JOIN_UNIQUE_INNER + 2)
#endif

/* The path of DISTINCT over sorted rows has another name since 19. */
#if PG_VERSION_NUM >= 190000
#define DistinctPath UniquePath
#define T_DistinctPath T_UniquePath
#else
#define DistinctPath UpperUniquePath
#define T_DistinctPath T_UpperUniquePath
#endif

/* Since 19, the planner's hook has one more argument. */
#if PG_VERSION_NUM >= 190000
#define FILTER_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int cursor_options, ParamListInfo parameters, ExplainState *es
#define FILTER_PLANNER_ARGUMENTS parse, query_string, cursor_options, parameters, es
#else
#define FILTER_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int cursor_options, ParamListInfo parameters
#define FILTER_PLANNER_ARGUMENTS parse, query_string, cursor_options, parameters
#endif

/* Since 18, the executor's hook has one argument less. */
#if PG_VERSION_NUM >= 180000
#define FILTER_EXECUTOR_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define FILTER_EXECUTOR_RUN_ARGUMENTS query, direction, count
#else
#define FILTER_EXECUTOR_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define FILTER_EXECUTOR_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/* Whether a support function can replace a function in FROM by a query (SupportRequestInlineInFrom). */
#define SUPPORT_INLINES_FROM	(PG_VERSION_NUM >= 190000)

/*
 * path_disabled_nodes() is the number of nodes of a path, or of a join that is being costed, which settings forbid. Before 18, these
 * raise its cost instead. cost_sort_of() sets the cost of sorting a path as the query needs it.
 */
#if PG_VERSION_NUM >= 180000
#define path_disabled_nodes(path) ((path)->disabled_nodes)
#define cost_sort_of(sorted, root, path) \
	cost_sort(sorted, root, (root)->sort_pathkeys, (path)->disabled_nodes, (path)->total_cost, (path)->rows, \
			  (path)->pathtarget->width, 0.0, work_mem, -1.0)
#else
#define path_disabled_nodes(path) ((void) (path), 0)
#define cost_sort_of(sorted, root, path) \
	cost_sort(sorted, root, (root)->sort_pathkeys, (path)->total_cost, (path)->rows, (path)->pathtarget->width, 0.0, work_mem, -1.0)
#endif

/*
 * Whether settings, or hints of other extensions, allow the planner to plan a join as a hash join or a nested loop. Since 19,
 * a mask of the join says so, which starts as the settings are; before, extensions change the settings for a while.
 */
#if PG_VERSION_NUM >= 190000
#define join_may_hash(extra) (((extra)->pgs_mask & PGS_HASHJOIN) != 0)
#define join_may_loop(extra) (((extra)->pgs_mask & PGS_NESTLOOP_PLAIN) != 0)
#define initial_cost_plain_loop(root, workspace, type, outer, inner, extra) \
	initial_cost_nestloop(root, workspace, type, PGS_NESTLOOP_PLAIN, outer, inner, extra)
#else
#define join_may_hash(extra) ((void) (extra), enable_hashjoin)
#define join_may_loop(extra) ((void) (extra), enable_nestloop)
#define initial_cost_plain_loop(root, workspace, type, outer, inner, extra) \
	initial_cost_nestloop(root, workspace, type, outer, inner, extra)
#endif

/*
 * The hook by which extensions change what the planner knows of a table (optimizer/plancat.h; since 19, optimizer/pathnode.h).
 * Whether a statement changes the table with an index in its range table.
 */
#if PG_VERSION_NUM >= 190000
#define table_info_hook build_simple_rel_hook
#define statement_changes(statement, index) bms_is_member(index, (statement)->resultRelationRelids)
#else
#define table_info_hook get_relation_info_hook
#define statement_changes(statement, index) list_member_int((statement)->resultRelations, index)
#endif

/* The value of a text column of a catalog, palloc'd; null if the column is null. */
static inline char *
catalog_text(int cache, HeapTuple tuple, AttrNumber column)
{
	bool		is_null;
	Datum		value = SysCacheGetAttr(cache, tuple, column, &is_null);

	return is_null ? NULL : TextDatumGetCString(value);
}

/* Get what case conversion in a database depends on: provider, locale and rules, palloc'd; null if there are none. */
static inline void
database_case_locale(HeapTuple database, char *provider, char **locale, char **rules)
{
	*rules = NULL;
	*provider = ((Form_pg_database) GETSTRUCT(database))->datlocprovider;
	if (*provider == COLLPROVIDER_LIBC)
		*locale = catalog_text(DATABASEOID, database, Anum_pg_database_datctype);
	else
#if PG_VERSION_NUM >= 170000
		*locale = catalog_text(DATABASEOID, database, Anum_pg_database_datlocale);
#else
		*locale = catalog_text(DATABASEOID, database, Anum_pg_database_daticulocale);
#endif
#if PG_VERSION_NUM >= 160000
	*rules = catalog_text(DATABASEOID, database, Anum_pg_database_daticurules);
#endif
}

/* Get the locale and the rules of an ICU collation, palloc'd; null if there are none. */
static inline void
icu_collation_locale(HeapTuple collation, char **locale, char **rules)
{
	*rules = NULL;
#if PG_VERSION_NUM >= 160000
	*rules = catalog_text(COLLOID, collation, Anum_pg_collation_collicurules);
#endif
#if PG_VERSION_NUM >= 170000
	*locale = catalog_text(COLLOID, collation, Anum_pg_collation_colllocale);
#else
	*locale = catalog_text(COLLOID, collation, Anum_pg_collation_colliculocale);
#endif
}

#endif
