/*
 * Merging two filters, and the layers of a filter: union, intersection, compaction.
 */
#include "functions/sql_function.h"
#include "stored/mutable.h"

static Datum
merge_two(FunctionCallInfo fcinfo, MutableFilterMerge merge)
{
	MutableFilter *mutable = filter_change_begin(fcinfo);
	Filter		source;

	filter_view(&source, PG_GETARG_DATUM(1));
	merge(mutable, &source);
	PG_RETURN_DATUM(filter_change_end(mutable));
}

SQL_FUNCTION(sql_union, merge_two(fcinfo, mutable_filter_merge))
SQL_FUNCTION(sql_bloom_intersection, merge_two(fcinfo, mutable_filter_intersect))

PG_FUNCTION_INFO_V1(sql_cuckoo_compact);
Datum
sql_cuckoo_compact(PG_FUNCTION_ARGS)
{
	MutableFilter *mutable = filter_change_begin(fcinfo);

	if (filter_is_plain(&mutable->filter) && !mutable->filter.layer[0].counted)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	mutable_filter_compact(mutable);
	PG_RETURN_DATUM(filter_change_end(mutable));
}
