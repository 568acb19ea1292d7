/*
 * For tests: a heap access method whose private state has drifted from what src/host knows of it, as in a later release of
 * PostgreSQL. What rows it returns does not change. test/lib/heap_drift.sql has the SQL function; test/lib/server.sh builds
 * the library into its copy of PostgreSQL.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "fmgr.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"

PG_MODULE_MAGIC;

static TableAmRoutine drifted;
static const TableAmRoutine *heap_routine;

/* The state by which the access method really goes on. */
static BlockNumber block;
static int	count;
static int	row;

/* What a caller leaves in the fields is not always what they really mean, so the access method does not look there. */
static void
restore_block(HeapScanDesc heap)
{
	heap->rs_cblock = block;
}

static void
restore_count(HeapScanDesc heap)
{
	heap->rs_ntuples = count;
}

static void
restore_row(HeapScanDesc heap)
{
	heap->rs_cindex = row;
}

static void
show_next_block(HeapScanDesc heap)
{
	heap->rs_cblock++;
}

static void
show_fewer_rows(HeapScanDesc heap)
{
	heap->rs_ntuples--;
}

static void
show_next_row(HeapScanDesc heap)
{
	heap->rs_cindex++;
}

static void
show_rows_from_zero(HeapScanDesc heap)
{
	for (int i = 0; i < count; i++)
		heap->rs_vistuples[i]--;
}

/*
 * The worker's number of blocks that it has allocated is of the next block. The access method skips one, which is not
 * compared.
 */
static void
allocate_another_block(HeapScanDesc heap)
{
	if (heap->rs_base.rs_parallel != NULL && heap->rs_parallelworkerdata->phsw_chunk_remaining > 2)
		heap->rs_parallelworkerdata->phsw_nallocated++;
}

typedef struct Drift
{
	const char *name;
	void		(*before) (HeapScanDesc heap);
	void		(*after) (HeapScanDesc heap);
} Drift;

static const Drift drifts[] = {
	{"block of the next page", restore_block, show_next_block},
	{"number of rows after the first", restore_count, show_fewer_rows},
	{"index of the next row", restore_row, show_next_row},
	{"rows counted from zero", NULL, show_rows_from_zero},
	{"row kept elsewhere", restore_row, NULL},
	{"block kept elsewhere", restore_block, NULL},
	{"blocks taken by a worker", NULL, allocate_another_block}
};

static const Drift *drift;

static bool
next_row(TableScanDesc scan, ScanDirection direction, TupleTableSlot *slot)
{
	HeapScanDesc heap = (HeapScanDesc) scan;
	bool		found;

	if (drift->before != NULL && BufferIsValid(heap->rs_cbuf))
		drift->before(heap);
	found = heap_routine->scan_getnextslot(scan, direction, slot);
	block = heap->rs_cblock;
	count = heap->rs_ntuples;
	row = heap->rs_cindex;
	if (drift->after != NULL && found)
		drift->after(heap);
	return found;
}

/* heap_drift(regclass, text): let the state of scans of a table drift in this session. */
PG_FUNCTION_INFO_V1(heap_drift);
Datum
heap_drift(PG_FUNCTION_ARGS)
{
	Relation	table = table_open(PG_GETARG_OID(0), AccessShareLock);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));

	drift = NULL;
	for (int i = 0; i < lengthof(drifts); i++)
		if (strcmp(name, drifts[i].name) == 0)
			drift = &drifts[i];
	if (drift == NULL)
		elog(ERROR, "no such drift: %s", name);
	heap_routine = GetHeapamTableAmRoutine();
	drifted = *heap_routine;
	drifted.scan_getnextslot = next_row;
	/* Until the relation cache reads the table's entry again. */
	table->rd_tableam = &drifted;
	table_close(table, AccessShareLock);
	PG_RETURN_VOID();
}
