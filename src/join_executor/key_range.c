/*
 * By the least and the greatest value of a key, and all values while they are few, a filter can also say which partitions have
 * none of them. This costs comparisons for each row of the build side, so it ends where comparing is expensive and may be in
 * vain.
 */
#include "join_executor/key_range.h"

#include "access/detoast.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/*
 * The most comparisons of values that are not passed by value, for rows of one filter. They may take long, with a collation
 * for example, and nobody knows whether a scan can skip anything.
 */
#define MOST_CALLS		100000

/* The longest value that is kept, in bytes: all take 200 kB at most. A range of longer ones would hardly skip anything. */
#define MOST_BYTES		500

KeyRange *
key_range_create(const JoinKey *key, MemoryContext parent)
{
	TypeCacheEntry *type;
	KeyRange   *range;

	if (!OidIsValid(key->order))
		return NULL;
	type = lookup_type_cache(key->type, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_LT_OPR);
	if (type->btree_opf != key->order || !OidIsValid(type->lt_opr) ||
		(OidIsValid(key->collation) && !get_collation_isdeterministic(key->collation)))
		return NULL;
	range = MemoryContextAllocZero(parent, sizeof(KeyRange));
	range->context = AllocSetContextCreate(parent, "range of join keys", ALLOCSET_SMALL_SIZES);
	range->type = key->type;
	range->collation = key->collation;
	range->length = type->typlen;
	range->by_value = type->typbyval;
	range->compare.ssup_cxt = parent;
	range->compare.ssup_collation = key->collation;
	PrepareSortSupportFromOrderingOp(type->lt_opr, &range->compare);
	key_range_reset(range);
	return range;
}

void
key_range_reset(KeyRange *range)
{
	MemoryContextReset(range->context);
	range->calls = 0;
	range->known = true;
	range->overflowed = false;
	range->count = 0;
}

static int
compare_values(KeyRange *range, Datum a, Datum b)
{
	if (!range->by_value)
		range->calls++;
	return ApplySortComparator(a, false, b, false, &range->compare);
}

static Datum
copy_value(const KeyRange *range, Datum value)
{
	MemoryContext caller = MemoryContextSwitchTo(range->context);

	value = datumCopy(value, range->by_value, range->length);
	MemoryContextSwitchTo(caller);
	return value;
}

/* Add a value to the sorted ones. If they are too many, only the first and the last are kept, and it may replace either. */
static void
insert_value(KeyRange *range, Datum value)
{
	int			low = 0;
	int			high = range->count;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			order = compare_values(range, value, range->value[middle]);

		if (order == 0)
			return;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	if (range->count == KEY_RANGE_VALUES)
	{
		range->overflowed = true;
		range->value[1] = range->value[range->count - 1];
		low = low == range->count ? 2 : Min(low, 1);
		range->count = 2;
	}
	if (!range->overflowed)
	{
		memmove(range->value + low + 1, range->value + low, sizeof(Datum) * (range->count - low));
		range->value[low] = copy_value(range, value);
		range->count++;
	}
	else if (low != 1)
	{
		Datum	   *replaced = &range->value[low == 0 ? 0 : 1];

		if (!range->by_value)
			pfree(DatumGetPointer(*replaced));
		*replaced = copy_value(range, value);
	}
}

void
key_range_add(KeyRange *range, Datum value)
{
	if (range->known && range->length == -1)
	{
		range->known = toast_raw_datum_size(value) <= MOST_BYTES;
		/* A value that is compressed or stored out of line is read only once. */
		if (range->known)
			value = PointerGetDatum(PG_DETOAST_DATUM(value));
	}
	if (!range->known)
		return;
	insert_value(range, value);
	range->known = range->calls <= MOST_CALLS;
}
