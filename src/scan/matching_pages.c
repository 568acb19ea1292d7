#include "scan/matching_pages.h"

#include "access/brin.h"
#include "access/genam.h"
#include "access/skey.h"
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"

#include "compat.h"

/*
 * The index is worth its scan if that takes a hundredth of scanning the table. A range is examined in a tenth of the time of
 * scanning a page, and once for each interval. So there is one interval for each so many pages of a range.
 */
#define PAGES_PER_INTERVAL	10
#define MOST_INTERVALS		16

/* The smallest table, which takes longer than finding out. */
#define FEWEST_PAGES		64

/* If more pages than this fraction of a table match, all are scanned, perhaps together with other scans of the table. */
#define MOST_MATCHING		0.9

/* The number of a column in an index, from 1; 0: not found. */
static int
position_of(Relation index, AttrNumber column)
{
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
		if (index->rd_index->indkey.values[i] == column)
			return i + 1;
	return 0;
}

/* Whether all rows that a snapshot can see are in the index. See get_relation_info. */
static bool
is_brin_of_all(Relation index)
{
	return index->rd_rel->relam == BRIN_AM_OID && index->rd_index->indisvalid && !index->rd_index->indcheckxmin &&
		RelationGetIndexPredicate(index) == NIL;
}

/* Open the first BRIN index at or after a place in the table's list that has the column; null if there is none. */
static Relation
open_index(List *indexes, int *place, AttrNumber column)
{
	for (; *place < list_length(indexes); ++*place)
	{
		Relation	index = index_open(list_nth_oid(indexes, *place), AccessShareLock);

		if (is_brin_of_all(index) && position_of(index, column) > 0)
			return index;
		index_close(index, AccessShareLock);
	}
	return NULL;
}

bool
has_page_ranges(Relation table, AttrNumber column)
{
	List	   *indexes = RelationGetIndexList(table);
	int			place = 0;
	Relation	index = open_index(indexes, &place, column);

	if (index != NULL)
		index_close(index, AccessShareLock);
	list_free(indexes);
	return index != NULL;
}

/*
 * The operator with which the index looks for values on one side of a key; InvalidOid if it has another idea of that than the
 * key's order. Operator classes have the strategies of btrees if they keep the least and the greatest value.
 */
static Oid
index_operator(Relation index, int position, const JoinKey *key, const KeyRange *range, int16 strategy)
{
	Oid			operator = key_range_operator(range, key, strategy);
	Oid			left,
				right;

	if (!OidIsValid(operator) || index->rd_indcollation[position - 1] != range->collation)
		return InvalidOid;
	op_input_types(operator, &left, &right);
	return get_opfamily_member(index->rd_opfamily[position - 1], left, right, strategy) == operator ? operator : InvalidOid;
}

/* Add the pages on which rows can have a key of an interval. */
static void
add_interval(TIDBitmap *bitmap, IndexScanDesc scan, int position, const Oid *operator, const KeyRange *range, int first,
			 int last)
{
	ScanKeyData keys[2];

	ScanKeyEntryInitialize(&keys[0], 0, (AttrNumber) position, BTGreaterEqualStrategyNumber, range->type, range->collation,
						   get_opcode(operator[0]), range->value[first]);
	ScanKeyEntryInitialize(&keys[1], 0, (AttrNumber) position, BTLessEqualStrategyNumber, range->type, range->collation,
						   get_opcode(operator[1]), range->value[last]);
	index_rescan(scan, keys, 2, NULL, 0);
	index_getbitmap(scan, bitmap);
}

/* Make runs of the pages in a bitmap. */
static void
make_runs(MatchingPages *pages, TIDBitmap *bitmap)
{
	BitmapPages *iterator = tbm_begin_private_iterate_of(bitmap);
	int			room = 16;
	BlockNumber page;

	pages->runs = palloc(sizeof(PageRun) * room);
	while (bitmap_next_page(iterator, &page))
	{
		pages->pages++;
		if (pages->count > 0 && pages->runs[pages->count - 1].last + 1 == page)
		{
			pages->runs[pages->count - 1].last = page;
			continue;
		}
		if (pages->count == room)
			pages->runs = repalloc(pages->runs, sizeof(PageRun) * (room *= 2));
		pages->runs[pages->count++] = (PageRun) {page, page};
	}
	tbm_end_private_iterate_of(iterator);
}

/* Look in one index; false if it is of no use. */
static bool
find_in_index(MatchingPages *pages, Relation table, Relation index, Snapshot snapshot, const JoinKey *key,
			  const KeyRange *range)
{
	int			position = position_of(index, castNode(Var, key->value)->varattno);
	Oid			operator[2];
	BrinStatsData stats;
	int			first[MOST_INTERVALS + 1];
	int			intervals;
	IndexScanDesc scan;
	TIDBitmap  *bitmap;

	operator[0] = index_operator(index, position, key, range, BTGreaterEqualStrategyNumber);
	operator[1] = index_operator(index, position, key, range, BTLessEqualStrategyNumber);
	brinGetStats(index, &stats);
	intervals = Min((int) (stats.pagesPerRange / PAGES_PER_INTERVAL), MOST_INTERVALS);
	if (!OidIsValid(operator[0]) || !OidIsValid(operator[1]) || intervals < 1)
		return false;
	intervals = key_range_divide(range, intervals, first);
	first[intervals] = range->count;
	bitmap = tbm_create(work_mem * (Size) 1024, NULL);
	scan = index_beginscan_bitmap_of(index, snapshot, 2);
	for (int i = 0; i < intervals; i++)
		add_interval(bitmap, scan, position, operator, range, first[i], first[i + 1] - 1);
	index_endscan(scan);
	make_runs(pages, bitmap);
	tbm_free(bitmap);
	return true;
}

bool
matching_pages_find(MatchingPages *pages, Relation table, Snapshot snapshot, const JoinKey *key, const KeyRange *range)
{
	BlockNumber all = RelationGetNumberOfBlocks(table);
	List	   *indexes;
	int			place = 0;
	Relation	index;
	bool		found = false;

	memset(pages, 0, sizeof(MatchingPages));
	if (all < FEWEST_PAGES || !key_range_orders(range, key))
		return false;
	indexes = RelationGetIndexList(table);
	while (!found && (index = open_index(indexes, &place, castNode(Var, key->value)->varattno)) != NULL)
	{
		found = find_in_index(pages, table, index, snapshot, key, range);
		index_close(index, AccessShareLock);
		place++;
	}
	list_free(indexes);
	pages->others = all - Min(pages->pages, all);
	if (!found || pages->pages <= MOST_MATCHING * all)
		return found;
	pfree(pages->runs);
	return false;
}
