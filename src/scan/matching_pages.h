/*
 * The pages of a table on which rows can match the keys of a join's filter, according to a BRIN index.
 *
 * The index has the least and the greatest value of a column in each range of pages. Keys that are close to each other are
 * looked for together, by a scan of the index for each of a few intervals. Rows that are not yet summarized in the index, or
 * were changed, are always on one of the pages that it returns.
 */
#ifndef FILTER_SCAN_MATCHING_PAGES_H
#define FILTER_SCAN_MATCHING_PAGES_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "storage/block.h"
#include "scan/join_key.h"
#include "scan/key_range.h"

typedef struct PageRun
{
	BlockNumber first;
	BlockNumber last;
} PageRun;

typedef struct MatchingPages
{
	int			count;
	PageRun    *runs;			/* palloc'd, ascending; null: all pages may have matching rows */
	BlockNumber pages;			/* in the runs */
	BlockNumber others;			/* of the table, which are not */
} MatchingPages;

/* Whether the table has a BRIN index on the column. The table is locked. */
extern bool has_page_ranges(Relation table, AttrNumber column);

/*
 * Find the pages that rows visible to a snapshot of MVCC can be on if they have one of the keys; the key's value is a Var of the
 * table, which is locked. False if no index says it, or most pages are such, or finding them may take long beside scanning.
 */
extern bool matching_pages_find(MatchingPages *pages, Relation table, Snapshot snapshot, const JoinKey *key,
								const KeyRange *range);

#endif
