/*
 * For tests: takes the server's slots of dynamic shared memory, as many parallel queries do. test/lib/shared_memory.sql has the
 * SQL functions; test/lib/server.sh builds the library into its copy of PostgreSQL.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "storage/dsm.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

/* Those of this session; they are freed when it ends. */
static List *segments = NIL;

static void
release_segments(int count)
{
	for (; count > 0 && segments != NIL; count--)
	{
		dsm_detach(llast(segments));
		segments = list_delete_last(segments);
	}
}

/* take_shared_memory(integer): takes all slots that are free but so many. Returns how many this session has. */
PG_FUNCTION_INFO_V1(take_shared_memory);
Datum
take_shared_memory(PG_FUNCTION_ARGS)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
	dsm_segment *segment;

	while ((segment = dsm_create(1, DSM_CREATE_NULL_IF_MAXSEGMENTS)) != NULL)
	{
		dsm_pin_mapping(segment);
		segments = lappend(segments, segment);
	}
	release_segments(PG_GETARG_INT32(0));
	MemoryContextSwitchTo(caller);
	PG_RETURN_INT32(list_length(segments));
}

PG_FUNCTION_INFO_V1(release_shared_memory);
Datum
release_shared_memory(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	release_segments(list_length(segments));
	PG_RETURN_VOID();
}
