/*
 * For tests: a library of somebody else that takes over the scans of tables. The rows of a table x for which there is a table
 * x_rows are in that one, or some of them are. takes_over.mode tells what becomes of the paths of x; see the modes below.
 *
 * It never takes over the scan of the table that a statement changes. Instead, it looks in the plan that begins for the nodes by
 * which PostgreSQL scans such a table, and moves the rows into it, as TimescaleDB does. Where it finds no such node, it does
 * nothing.
 *
 * As pg_hint_plan does for the joins that a hint names, it also turns off one kind of join (takes_over.forbids) while PostgreSQL
 * searches for the order of joins. Since 19, the mask of each join forbids it, as pg_plan_advice does.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

#if PG_VERSION_NUM >= 190000
#define beginscan(table, snapshot) table_beginscan(table, snapshot, 0, NULL, SO_NONE)
#define beginscan_parallel(table, parallel) table_beginscan_parallel(table, parallel, SO_NONE)
#define append_path(root, rel, paths) \
	create_append_path(root, rel, (AppendPathInput) {.subpaths = (paths)}, NIL, NULL, 0, false, -1)
#else
#define beginscan(table, snapshot) table_beginscan(table, snapshot, 0, NULL)
#define beginscan_parallel(table, parallel) table_beginscan_parallel(table, parallel)
#define append_path(root, rel, paths) create_append_path(root, rel, paths, NIL, NIL, NULL, 0, false, -1)
#endif

/* What becomes of the paths of a table. Whoever had the hook before is called first, or last: then it comes after this. */
enum
{
	NONE,
	REPLACE,					/* they are replaced by a path that returns the other table's rows */
	ADD_FREE,					/* such a path is added, which costs nothing */
	ADD_HALF,					/* it costs half of what a sequential scan does */
	APPEND,						/* they are replaced by such a path and a sequential scan: the table has some of the rows */
	FORBID,						/* there is no sequential scan, if there are other paths, as after a hint */
	LAST = 8,
};

static const struct config_enum_entry modes[] = {
	{"in_plan", NONE, false},
	{"replace", REPLACE, false}, {"replace_first", REPLACE | LAST, false},
	{"add_free", ADD_FREE, false}, {"add_free_first", ADD_FREE | LAST, false},
	{"add_half", ADD_HALF, false}, {"add_half_first", ADD_HALF | LAST, false},
	{"append", APPEND, false}, {"append_first", APPEND | LAST, false},
	{"forbid", FORBID, false}, {"forbid_first", FORBID | LAST, false},
	{NULL, 0, false}
};

/* Which kind of join is turned off. */
enum
{
	NO_JOIN,
	HASH_JOIN,
	NESTED_LOOP,
};

static const struct config_enum_entry joins[] = {
	{"none", NO_JOIN, false}, {"hash_join", HASH_JOIN, false}, {"nested_loop", NESTED_LOOP, false}, {NULL, 0, false}
};

static int	mode = NONE;
static int	forbids = NO_JOIN;
static set_rel_pathlist_hook_type next_table;
static ExecutorStart_hook_type next_start;

/* The table that has the rows of another one; InvalidOid if it has them itself. */
static Oid
table_of_rows(Oid table)
{
	char	   *name = get_rel_name(table);

	return name == NULL ? InvalidOid : get_relname_relid(psprintf("%s_rows", name), get_rel_namespace(table));
}

/*
 * The scan.
 */

typedef struct OtherScan
{
	CustomScanState custom;
	Relation	table;			/* that has the rows */
	TupleTableSlot *row;
	TableScanDesc scan;			/* null before the first row, unless it is parallel */
} OtherScan;

static void
begin_scan(CustomScanState *node, EState *estate, int flags)
{
	OtherScan  *other = (OtherScan *) node;

	(void) flags;
	other->table = table_open(table_of_rows(RelationGetRelid(node->ss.ss_currentRelation)), AccessShareLock);
	other->row = table_slot_create(other->table, &estate->es_tupleTable);
}

/* Store the row that was found as one of the table that is scanned. */
static TupleTableSlot *
store_row(OtherScan *other)
{
	TupleTableSlot *slot = other->custom.ss.ss_ScanTupleSlot;
	int			columns = slot->tts_tupleDescriptor->natts;

	slot_getallattrs(other->row);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, other->row->tts_values, columns * sizeof(Datum));
	memcpy(slot->tts_isnull, other->row->tts_isnull, columns * sizeof(bool));
	slot->tts_tid = other->row->tts_tid;
	slot->tts_tableOid = RelationGetRelid(other->custom.ss.ss_currentRelation);
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	OtherScan  *other = (OtherScan *) node;

	if (other->scan == NULL)
		other->scan = beginscan(other->table, node->ps.state->es_snapshot);
	if (!table_scan_getnextslot(other->scan, ForwardScanDirection, other->row))
		return ExecClearTuple(node->ss_ScanTupleSlot);
	return store_row(other);
}

static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	(void) node, (void) slot;
	return true;
}

/* In EvalPlanQual: the row that was joined with the one that has changed. ExecScan would look for it in the empty table. */
static TupleTableSlot *
joined_row(OtherScan *other, EPQState *epq, Index index)
{
	ScanState  *node = &other->custom.ss;
	ExprContext *context = node->ps.ps_ExprContext;
	bool		is_null;
	Datum		place;

	if (epq->relsubs_done[index])
		return NULL;
	epq->relsubs_done[index] = true;
	place = ExecGetJunkAttribute(epq->origslot, epq->relsubs_rowmark[index]->ctidAttNo, &is_null);
	if (is_null)
		return NULL;
	if (!table_tuple_fetch_row_version(other->table, (ItemPointer) DatumGetPointer(place), SnapshotAny, other->row))
		elog(ERROR, "a row is missing");
	ResetExprContext(context);
	context->ecxt_scantuple = store_row(other);
	if (!ExecQual(node->ps.qual, context))
		return NULL;
	return node->ps.ps_ProjInfo != NULL ? ExecProject(node->ps.ps_ProjInfo) : context->ecxt_scantuple;
}

static TupleTableSlot *
exec_scan(CustomScanState *node)
{
	EPQState   *epq = node->ss.ps.state->es_epq_active;
	Index		index = ((Scan *) node->ss.ps.plan)->scanrelid - 1;

	if (epq != NULL && epq->relsubs_slot[index] == NULL && epq->relsubs_rowmark[index] != NULL)
		return joined_row((OtherScan *) node, epq, index);
	return ExecScan(&node->ss, next_row, recheck_row);
}

static void
rescan(CustomScanState *node)
{
	OtherScan  *other = (OtherScan *) node;

	if (other->scan != NULL)
		table_rescan(other->scan, NULL);
	ExecScanReScan(&node->ss);
}

static void
end_scan(CustomScanState *node)
{
	OtherScan  *other = (OtherScan *) node;

	if (other->scan != NULL)
		table_endscan(other->scan);
	table_close(other->table, NoLock);
}

static Size
shared_size(CustomScanState *node, ParallelContext *parallel)
{
	(void) parallel;
	return table_parallelscan_estimate(((OtherScan *) node)->table, node->ss.ps.state->es_snapshot);
}

static void
share_scan(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	OtherScan  *other = (OtherScan *) node;

	(void) parallel;
	table_parallelscan_initialize(other->table, shared, node->ss.ps.state->es_snapshot);
	other->scan = beginscan_parallel(other->table, shared);
}

static void
share_again(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	(void) parallel;
	table_parallelscan_reinitialize(((OtherScan *) node)->table, shared);
}

static void
join_scan(CustomScanState *node, shm_toc *toc, void *shared)
{
	OtherScan  *other = (OtherScan *) node;

	(void) toc;
	other->scan = beginscan_parallel(other->table, shared);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "OtherScan",
	.BeginCustomScan = begin_scan,
	.ExecCustomScan = exec_scan,
	.ReScanCustomScan = rescan,
	.EndCustomScan = end_scan,
	.EstimateDSMCustomScan = shared_size,
	.InitializeDSMCustomScan = share_scan,
	.ReInitializeDSMCustomScan = share_again,
	.InitializeWorkerCustomScan = join_scan,
};

static Node *
create_scan(CustomScan *plan)
{
	OtherScan  *other = palloc0(sizeof(OtherScan));

	(void) plan;
	NodeSetTag(other, T_CustomScanState);
	other->custom.methods = &exec_methods;
	return (Node *) other;
}

static const CustomScanMethods scan_methods = {.CustomName = "OtherScan",.CreateCustomScanState = create_scan};

/*
 * Its paths.
 */

static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *output, List *restrictions, List *plans)
{
	CustomScan *scan = makeNode(CustomScan);

	(void) root, (void) plans;
	scan->scan.plan.targetlist = output;
	scan->scan.plan.qual = extract_actual_clauses(restrictions, false);
	scan->scan.scanrelid = rel->relid;
	scan->flags = path->flags;
	scan->methods = &scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {.CustomName = "OtherScan",.PlanCustomPath = plan_scan};

static Path *
other_path(PlannerInfo *root, RelOptInfo *rel, Cost cost, int workers)
{
	CustomPath *custom = makeNode(CustomPath);
	Path	   *path = &custom->path;

	path->pathtype = T_CustomScan;
	path->parent = rel;
	path->pathtarget = rel->reltarget;
	path->param_info = get_baserel_parampathinfo(root, rel, rel->lateral_relids);
	path->parallel_aware = workers > 0;
	path->parallel_workers = workers;
	path->parallel_safe = rel->consider_parallel;
	path->rows = rel->rows / (workers + 1);
	path->total_cost = cost;
	custom->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	custom->methods = &path_methods;
	return path;
}

/* The others are kept, although they cost more; but for parallel scans of the heap, which could seem to cost nothing. */
static void
add(PlannerInfo *root, RelOptInfo *rel, Cost cost)
{
	rel->pathlist = lcons(other_path(root, rel, cost, 0), rel->pathlist);
	rel->partial_pathlist = NIL;
}

static List *
without_sequential(List *paths)
{
	List	   *others = NIL;
	ListCell   *cell;

	foreach(cell, paths)
		if (((Path *) lfirst(cell))->pathtype != T_SeqScan)
			others = lappend(others, lfirst(cell));
	return others;
}

static void
take_over(PlannerInfo *root, RelOptInfo *rel)
{
	Path	   *sequential = create_seqscan_path(root, rel, rel->lateral_relids, 0);

	switch (mode & ~LAST)
	{
		case REPLACE:
			/* A scan of the empty table would be cheaper. */
			rel->pathlist = list_make1(other_path(root, rel, sequential->total_cost + 100, 0));
			rel->partial_pathlist = NIL;
			if (rel->consider_parallel && rel->lateral_relids == NULL)
				rel->partial_pathlist = list_make1(other_path(root, rel, sequential->total_cost / 2 + 50, 2));
			break;
		case ADD_FREE:
			add(root, rel, 0);
			break;
		case ADD_HALF:
			add(root, rel, sequential->total_cost / 2);
			break;
		case APPEND:
			rel->pathlist = list_make1(append_path(root, rel,
												   list_make2(other_path(root, rel, sequential->total_cost, 0), sequential)));
			rel->partial_pathlist = NIL;
			break;
		case FORBID:
			if (without_sequential(rel->pathlist) == NIL)
				break;
			rel->pathlist = without_sequential(rel->pathlist);
			rel->partial_pathlist = without_sequential(rel->partial_pathlist);
			break;
	}
}

static void
change_paths(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *table)
{
	if (next_table != NULL && (mode & LAST) == 0)
		next_table(root, rel, index, table);
	if (table->rtekind == RTE_RELATION && table->relkind == RELKIND_RELATION && !table->inh &&
		!bms_is_member((int) index, root->all_result_relids) && OidIsValid(table_of_rows(table->relid)))
		take_over(root, rel);
	if (next_table != NULL && (mode & LAST) != 0)
		next_table(root, rel, index, table);
}

/*
 * Tables that are changed.
 */

typedef struct Search
{
	const PlannedStmt *statement;
	List	   *tables;
} Search;

static bool
is_changed(const PlannedStmt *statement, int index)
{
#if PG_VERSION_NUM >= 190000
	return bms_is_member(index, statement->resultRelationRelids);
#else
	return list_member_int(statement->resultRelations, index);
#endif
}

static bool
find_scans(PlanState *node, void *context)
{
	Search	   *search = context;

	if (node == NULL)
		return false;
	if (IsA(node, SeqScanState) || IsA(node, IndexScanState) || IsA(node, BitmapHeapScanState))
	{
		Oid			table = RelationGetRelid(((ScanState *) node)->ss_currentRelation);

		if (is_changed(search->statement, (int) ((const Scan *) node->plan)->scanrelid) && OidIsValid(table_of_rows(table)))
			search->tables = list_append_unique_oid(search->tables, table);
	}
	return planstate_tree_walker(node, find_scans, context);
}

static void
move_rows(Oid table)
{
	char	   *schema = get_namespace_name(get_rel_namespace(table));
	char	   *to = quote_qualified_identifier(schema, get_rel_name(table));
	char	   *from = quote_qualified_identifier(schema, get_rel_name(table_of_rows(table)));

	if (SPI_connect() != SPI_OK_CONNECT ||
		SPI_execute(psprintf("INSERT INTO %s SELECT * FROM %s", to, from), false, 0) != SPI_OK_INSERT ||
		SPI_execute(psprintf("DELETE FROM %s", from), false, 0) != SPI_OK_DELETE || SPI_finish() != SPI_OK_FINISH)
		elog(ERROR, "the rows of %s could not be moved", to);
}

static void
start(QueryDesc *query, int flags)
{
	Search		search = {.statement = query->plannedstmt};
	ListCell   *cell;

	if (next_start != NULL)
		next_start(query, flags);
	else
		standard_ExecutorStart(query, flags);
	if ((flags & EXEC_FLAG_EXPLAIN_ONLY) != 0 || IsParallelWorker())
		return;
	find_scans(query->planstate, &search);
	foreach(cell, query->estate->es_subplanstates)
		find_scans(lfirst(cell), &search);
	if (search.tables == NIL)
		return;
	foreach(cell, search.tables)
		move_rows(lfirst_oid(cell));
	/* Let the statement see what was moved. */
	CommandCounterIncrement();
	query->estate->es_snapshot->curcid = query->estate->es_output_cid = GetCurrentCommandId(true);
}

#if PG_VERSION_NUM >= 190000
static join_path_setup_hook_type next_setup;

static void
set_up_join(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer, RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	if (next_setup != NULL)
		next_setup(root, joined, outer, inner, type, extra);
	if (forbids == HASH_JOIN)
		extra->pgs_mask &= ~(uint64) PGS_HASHJOIN;
	if (forbids == NESTED_LOOP)
		extra->pgs_mask &= ~(uint64) PGS_NESTLOOP_ANY;
}
#else
static join_search_hook_type next_search;

static RelOptInfo *
search_joins(PlannerInfo *root, int levels, List *relations)
{
	bool		hash = enable_hashjoin;
	bool		loop = enable_nestloop;
	RelOptInfo *found;

	enable_hashjoin &= forbids != HASH_JOIN;
	enable_nestloop &= forbids != NESTED_LOOP;
	found = (next_search != NULL ? next_search : standard_join_search) (root, levels, relations);
	enable_hashjoin = hash;
	enable_nestloop = loop;
	return found;
}
#endif

/* An access method that is heap by another name. */
PG_FUNCTION_INFO_V1(other_heap);
Datum
other_heap(PG_FUNCTION_ARGS)
{
	static TableAmRoutine copy;

	(void) fcinfo;
	copy = *GetHeapamTableAmRoutine();
	PG_RETURN_POINTER(&copy);
}

void		_PG_init(void);

void
_PG_init(void)
{
	DefineCustomEnumVariable("takes_over.mode", "What becomes of the paths of a table that is taken over.", NULL, &mode, NONE, modes,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("takes_over.forbids", "Which kind of join is turned off.", NULL, &forbids, NO_JOIN, joins, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	RegisterCustomScanMethods(&scan_methods);
	next_table = set_rel_pathlist_hook;
	set_rel_pathlist_hook = change_paths;
	next_start = ExecutorStart_hook;
	ExecutorStart_hook = start;
#if PG_VERSION_NUM >= 190000
	next_setup = join_path_setup_hook;
	join_path_setup_hook = set_up_join;
#else
	next_search = join_search_hook;
	join_search_hook = search_joins;
#endif
}
