/*
 * Union and intersection, which are also transition functions of aggregates, and compaction.
 */
#include "functions/sql_function.h"
#include "stored/mutable.h"

static Datum
merge_two(FunctionCallInfo fcinfo, MutableFilterMerge merge)
{
	MutableFilter *mutable = filter_change_begin(fcinfo);
	FilterView	source;

	filter_view(&source, PG_GETARG_DATUM(1));
	merge(mutable, &source);
	PG_RETURN_DATUM(filter_change_end(mutable));
}

SQL_FUNCTION(sql_union, merge_two(fcinfo, mutable_filter_merge))
SQL_FUNCTION(sql_bloom_intersection, merge_two(fcinfo, mutable_filter_intersect))

/* The union of no filters is empty. */
static Datum
finish_union(FunctionCallInfo fcinfo, FilterType type)
{
	MutableFilter empty;

	if (!PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	mutable_filter_create(&empty, type, FILTER_DEFAULT_RATE, 0);
	PG_RETURN_POINTER(empty.datum);
}

SQL_FUNCTION_OF_EACH_TYPE(union_agg_final, finish_union(fcinfo, type))

PG_FUNCTION_INFO_V1(sql_cuckoo_compact);
Datum
sql_cuckoo_compact(PG_FUNCTION_ARGS)
{
	MutableFilter *mutable = filter_change_begin(fcinfo);

	if (filter_is_plain(&mutable->filter.header) && !mutable->filter.header.layer[0].counted)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	mutable_filter_compact(mutable);
	PG_RETURN_DATUM(filter_change_end(mutable));
}
