/*
 * What is known of all values of a key, besides their hashes: the least and the greatest one, and the values themselves if
 * they are few. With these, a scan can skip a partition (scan/skip.h).
 *
 * The order is the default one of the key's type. Two values that are equal in it are one value here.
 */
#ifndef FILTER_SCAN_KEY_RANGE_H
#define FILTER_SCAN_KEY_RANGE_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "compat.h"
#include "scan/join_key.h"

/* The most distinct values that are kept. */
#define KEY_RANGE_VALUES	400

typedef struct KeyRange
{
	Oid			type;
	Oid			collation;
	int16		length;			/* as in pg_type */
	bool		by_value;
	SortSupportData compare;
	uint32		calls;			/* of the comparison, for values that are not passed by value */
	MemoryContext context;		/* of values that are not passed by value */

	bool		known;			/* false: nothing is known of the values */
	bool		overflowed;		/* there are too many distinct values: only the first and the last one are kept */
	int			count;			/* 0: there is no value */
	Datum		value[KEY_RANGE_VALUES];	/* distinct and ascending */
} KeyRange;

/*
 * An empty range in a memory context. Null if the plan has no use for it, the key's type has no such order, or values are too
 * costly to compare.
 */
extern KeyRange *key_range_create(const JoinKey *key, MemoryContext parent);

/* Forget all values. */
extern void key_range_reset(KeyRange *range);

/* Add a value, which is copied. It is not null. */
extern void key_range_add(KeyRange *range, Datum value);

#endif
