/*
 * Comparing filters, so that DISTINCT, GROUP BY, UNION, triggers, and logical replication without a key can
 * distinguish rows that contain filters. Images are compared, not sets: filters of the same values can differ in
 * capacity, or because the values were added in a different order. The sort order of filters has no meaning.
 */
#include "postgres.h"

#include "access/detoast.h"

#include "core/hash.h"
#include "functions/sql_function.h"
#include "stored/datum.h"

/* Compare images byte by byte. If one is a prefix of the other, the prefix comes first. */
static int
compare_images(FunctionCallInfo fcinfo)
{
	struct varlena *a = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0));
	struct varlena *b = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));
	Size		a_length = VARSIZE_ANY_EXHDR(a);
	Size		b_length = VARSIZE_ANY_EXHDR(b);
	int			order = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), Min(a_length, b_length));

	if (order == 0 && a_length != b_length)
		order = a_length < b_length ? -1 : 1;
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

/* Different sizes are detected without fetching what is stored out of line. */
static bool
are_equal(FunctionCallInfo fcinfo)
{
	return toast_raw_datum_size(PG_GETARG_DATUM(0)) == toast_raw_datum_size(PG_GETARG_DATUM(1)) && compare_images(fcinfo) == 0;
}

static uint64
hash_image(FunctionCallInfo fcinfo)
{
	struct varlena *filter = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0));
	uint64		result = filter_hash_bytes(VARDATA_ANY(filter), VARSIZE_ANY_EXHDR(filter));

	PG_FREE_IF_COPY(filter, 0);
	return result;
}

SQL_FUNCTION(sql_filter_equal, BoolGetDatum(are_equal(fcinfo)))
SQL_FUNCTION(sql_filter_not_equal, BoolGetDatum(!are_equal(fcinfo)))
SQL_FUNCTION(sql_filter_less, BoolGetDatum(compare_images(fcinfo) < 0))
SQL_FUNCTION(sql_filter_at_most, BoolGetDatum(compare_images(fcinfo) <= 0))
SQL_FUNCTION(sql_filter_greater, BoolGetDatum(compare_images(fcinfo) > 0))
SQL_FUNCTION(sql_filter_at_least, BoolGetDatum(compare_images(fcinfo) >= 0))
SQL_FUNCTION(sql_filter_compare, Int32GetDatum(compare_images(fcinfo)))
SQL_FUNCTION(sql_filter_image_hash, Int32GetDatum((int32) hash_image(fcinfo)))

/* For seed 0 the lower half is the 32-bit hash, as PostgreSQL requires of such a pair. */
SQL_FUNCTION(sql_filter_image_hash_extended, UInt64GetDatum(hash_image(fcinfo) ^ filter_spread((uint64) PG_GETARG_INT64(1))))
