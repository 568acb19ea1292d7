#include "scan/key_range.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "compat.h"

/*
 * The most calls of a comparison function, for rows of one filter. It may take long, with a collation for example, and
 * nobody knows whether a scan can leave anything out.
 */
#define MOST_CALLS		100000

static KeyOrder
order_by(const FmgrInfo *compare, bool by_value)
{
	switch (by_value ? compare->fn_oid : InvalidOid)
	{
		case F_BTINT2CMP:
			return KEY_ORDER_SMALLINT;
		case F_BTINT4CMP:
		case F_DATE_CMP:
			return KEY_ORDER_INTEGER;
		case F_BTINT8CMP:
		case F_TIMESTAMP_CMP:
		case F_TIMESTAMPTZ_CMP:
			return KEY_ORDER_BIGINT;
		default:
			return KEY_ORDER_BY_FUNCTION;
	}
}

bool
key_range_init(KeyRange *range, const JoinKey *key, MemoryContext parent)
{
	TypeCacheEntry *type;

	if (!OidIsValid(key->order))
		return false;
	type = lookup_type_cache(key->type, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_CMP_PROC_FINFO);
	if (type->btree_opf != key->order || !OidIsValid(type->cmp_proc_finfo.fn_oid) ||
		(OidIsValid(key->collation) && !get_collation_isdeterministic(key->collation)))
		return false;
	range->context = AllocSetContextCreate(parent, "range of join keys", ALLOCSET_SMALL_SIZES);
	range->type = key->type;
	range->collation = key->collation;
	range->length = type->typlen;
	range->by_value = type->typbyval;
	fmgr_info_cxt(type->cmp_proc_finfo.fn_oid, &range->compare, parent);
	range->order = order_by(&range->compare, range->by_value);
	key_range_reset(range);
	return true;
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

static inline int
compare_integers(int64 a, int64 b)
{
	return (a > b) - (a < b);
}

static int
compare_values(KeyRange *range, Datum a, Datum b)
{
	switch (range->order)
	{
		case KEY_ORDER_SMALLINT:
			return compare_integers(DatumGetInt16(a), DatumGetInt16(b));
		case KEY_ORDER_INTEGER:
			return compare_integers(DatumGetInt32(a), DatumGetInt32(b));
		case KEY_ORDER_BIGINT:
			return compare_integers(DatumGetInt64(a), DatumGetInt64(b));
		case KEY_ORDER_BY_FUNCTION:
			break;
	}
	range->calls++;
	return DatumGetInt32(FunctionCall2Coll(&range->compare, range->collation, a, b));
}

static Datum
copy_value(const KeyRange *range, Datum value)
{
	MemoryContext caller;

	if (range->by_value)
		return value;
	caller = MemoryContextSwitchTo(range->context);
	/* One that is compressed or stored elsewhere is read once, here. */
	value = range->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value)) :
		datumCopy(value, false, range->length);
	MemoryContextSwitchTo(caller);
	return value;
}

static void
replace_value(KeyRange *range, int index, Datum value)
{
	if (!range->by_value)
		pfree(DatumGetPointer(range->value[index]));
	range->value[index] = copy_value(range, value);
}

/* Add a value to those that are kept; it becomes the first or the last one if they are too many. */
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
	if (range->count < KEY_RANGE_VALUES)
	{
		memmove(range->value + low + 1, range->value + low, sizeof(Datum) * (range->count - low));
		range->value[low] = copy_value(range, value);
		range->count++;
		return;
	}
	range->overflowed = true;
	if (low == 0)
		replace_value(range, 0, value);
	else if (low == range->count)
		replace_value(range, range->count - 1, value);
}

void
key_range_add(KeyRange *range, Datum value)
{
	if (!range->known)
		return;
	if (!range->overflowed)
		insert_value(range, value);
	else if (compare_values(range, value, range->value[0]) < 0)
		replace_value(range, 0, value);
	else if (compare_values(range, value, range->value[range->count - 1]) > 0)
		replace_value(range, range->count - 1, value);
	range->known = range->calls <= MOST_CALLS;
}
