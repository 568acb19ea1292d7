#include "join/obstacle.h"

#include "nodes/parsenodes.h"
#include "parser/parsetree.h"

/* As in "join has no runtime filter: ...", and "Runtime Filter: none (...)". */
static const char *const texts[] = {
	[OBSTACLE_NONE] = "planned while filters were off, or for a query that they could change",
	[FILTERS_ARE_OFF] = "cuckoo_scan.enable_join_filter or cuckoo_scan.enable_filter_scan is off",
	[QUERY_HAS_NO_JOIN] = "the query has no join",
	[QUERY_IS_VOLATILE] = "the query calls a volatile function",
	[QUERY_LOCKS_ROWS] = "a subquery locks rows",
	[QUERY_HIDES_ROWS] = "row security or a security barrier applies to the query",
	[QUERY_INLINES_FUNCTION] = "a function in FROM is written in SQL, or has a support function",
	[NO_HASH_JOIN] = "only hash joins build filters",
	[JOIN_KEEPS_OUTER] = "keeps rows of the outer side that have no match",
	[JOIN_KEEPS_INNER] = "keeps rows of the inner side that have no match",
	[BUILD_HAS_PARAMETER] = "build side depends on an outer query or join",
	[BUILD_IS_SHARED] = "build side is divided among the workers of a Parallel Hash",
	[BUILD_MAY_DIFFER] = "build side may have other rows when it is read again",
	[KEY_IS_NO_COLUMN] = "key is not a column of one table of the probe side",
	[KEY_IS_EXPENSIVE] = "key of the build side is an expensive expression, or has a parameter",
	[PROBE_IS_OTHER] = "probe side is not a sequential scan of an ordinary table",
	[PROBE_IS_CHANGED] = "probe side is the table that the statement changes",
	[PROBE_IS_INDEX_SCAN] = "probe side is an index scan",
	[PROBE_IS_FOREIGN] = "probe side is a foreign table",
	[PROBE_IS_CTE] = "probe side is a materialized WITH query",
	[PROBE_IS_BELOW_LIMIT] = "probe side is below LIMIT",
	[PROBE_IS_BELOW_GATHER] = "probe side is below a Gather",
	[PROBE_IS_GROUPED] = "probe side is not grouped by the key",
	[PROBE_IS_KEPT] = "probe side is below an outer join",
	[PROBE_IS_EARLY] = "probe side is read before the build side",
	[BUILD_READ_IN_PART] = "build side, which is not hashed, may not be read to its end",
	[BUILD_EXCEEDS_MEMORY] = "build side, which is not hashed, exceeds work_mem",
	[BUILD_HAS_MANY_ROWS] = "build side, which is not hashed, has %.0f%% of the rows of the probe side",
	[PROBE_HAS_FEW_ROWS] = "fewer than %.0f rows",
	[MANY_ROWS_MATCH] = "expects %.0f%% of rows to match",
};

char *
obstacle_text(Obstacle obstacle, double number)
{
	return psprintf(texts[obstacle], number);
}

Obstacle
obstacle_of_node(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return PROBE_IS_INDEX_SCAN;
		case T_ForeignScan:
			return PROBE_IS_FOREIGN;
		case T_CteScan:
			return PROBE_IS_CTE;
		case T_Limit:
			return PROBE_IS_BELOW_LIMIT;
		case T_Gather:
		case T_GatherMerge:
			return PROBE_IS_BELOW_GATHER;
		default:
			return PROBE_IS_OTHER;
	}
}

/* The names that a side's tables have in the query, each once: all partitions have that of their table. */
static char *
names_of(const PlannedStmt *statement, const Bitmapset *tables)
{
	StringInfoData names;
	const char *last = "";
	int			table = -1;

	initStringInfo(&names);
	while ((table = bms_next_member(tables, table)) >= 0)
	{
		const char *name = rt_fetch(table, statement->rtable)->eref->aliasname;

		if (strcmp(name, last) != 0)
			appendStringInfo(&names, "%s%s", *last == '\0' ? "" : ", ", name);
		last = name;
	}
	return names.data;
}

void
obstacles_report(const PlannedStmt *statement, Obstacle of_query, const List *of_joins)
{
	ListCell   *cell;

	if (of_query != OBSTACLE_NONE && of_joins != NIL)
		ereport(NOTICE, (errmsg("query has no runtime filters: %s", obstacle_text(of_query, 0))));
	foreach(cell, of_query == OBSTACLE_NONE ? of_joins : NIL)
	{
		const JoinObstacle *join = lfirst(cell);

		ereport(NOTICE,
				(errmsg("join of %s and %s has no runtime filter: %s", names_of(statement, join->tables[0]),
						names_of(statement, join->tables[1]), obstacle_text(join->obstacle, join->number))));
	}
}
