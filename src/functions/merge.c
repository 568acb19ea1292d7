/*
 * Merging two filters, and the layers of a filter: union, intersection, compaction.
 */
#include "functions/sql_function.h"
#include "stored/expanded.h"

static Datum
merge_two(FunctionCallInfo fcinfo, MutableFilterMerge merge)
{
	FilterChange change;
	Filter		source;

	filter_change_begin(&change, fcinfo);
	filter_view(&source, PG_GETARG_DATUM(1));
	merge(change.mutable, &source);
	PG_RETURN_DATUM(filter_change_end(&change));
}

SQL_FUNCTION(sql_union, merge_two(fcinfo, mutable_filter_merge))
SQL_FUNCTION(sql_bloom_intersection, merge_two(fcinfo, mutable_filter_intersect))

PG_FUNCTION_INFO_V1(sql_cuckoo_compact);
Datum
sql_cuckoo_compact(PG_FUNCTION_ARGS)
{
	FilterChange change;

	filter_change_begin(&change, fcinfo);
	if (filter_is_plain(&change.mutable->filter) && !change.mutable->filter.layer[0].counted)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	mutable_filter_compact(change.mutable);
	PG_RETURN_DATUM(filter_change_end(&change));
}
