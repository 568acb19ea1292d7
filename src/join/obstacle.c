#include "join/obstacle.h"

#include "nodes/parsenodes.h"
#include "parser/parsetree.h"

char *
obstacle_text(const JoinObstacle *obstacle)
{
	if (obstacle->text == NULL)
		return pstrdup("planned while filters were off, or for a query that they could change");
	return psprintf(obstacle->text, obstacle->number);
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
obstacles_report(const PlannedStmt *statement, const char *of_query, const List *of_joins)
{
	ListCell   *cell;

	if (of_query != NULL && of_joins != NIL)
		ereport(NOTICE, (errmsg("query has no runtime filters: %s", of_query)));
	foreach(cell, of_query == NULL ? of_joins : NIL)
	{
		const JoinObstacle *join = lfirst(cell);

		ereport(NOTICE,
				(errmsg("join of %s and %s has no runtime filter: %s", names_of(statement, join->tables[0]),
						names_of(statement, join->tables[1]), obstacle_text(join))));
	}
}
