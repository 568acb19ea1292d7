/*
 * Functions that describe a filter, and the size of a filter that is yet to be created.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "funcapi.h"
#include "utils/tuplestore.h"

#include "functions/sql_function.h"
#include "stored/datum.h"
#include "value/hasher.h"
#include "value/kind_name.h"

static double
cardinality_of(const FilterView *filter)
{
	if (filter->header.type == FILTER_BLOOM && filter->header.layers > 0 && filter_layer_fill(filter, filter->header.layers - 1) == 1.0)
		ereport(NOTICE,
				(errmsg("filter is saturated, and holds at least this number of values"),
				 errdetail("All its bits are set."),
				 errhint("Build it again with a larger capacity, or so that it grows.")));
	return rint(filter_cardinality(filter));
}

PG_FUNCTION_INFO_V1(sql_cardinality);
Datum
sql_cardinality(PG_FUNCTION_ARGS)
{
	FilterView	filter;

	filter_view(&filter, PG_GETARG_DATUM(0));
	PG_RETURN_INT64((int64) cardinality_of(&filter));
}

static Datum
planned_size(FunctionCallInfo fcinfo, FilterType type)
{
	uint64		capacity = capacity_parameter(fcinfo, 0);
	FilterHeader header;

	PG_RETURN_INT64(VARHDRSZ + (int64) filter_plan(&header, type, rate_parameter(fcinfo, 1), capacity));
}

SQL_FUNCTION_OF_EACH_TYPE(size, planned_size(fcinfo, type))

static double
describe_fill(const FilterView *filter)
{
	double		filled = 0.0,
				total = 0.0;

	for (uint32 i = 0; i < filter->header.layers; i++)
	{
		filled += filter_layer_fill(filter, i) * (double) filter->header.layer[i].bytes;
		total += (double) filter->header.layer[i].bytes;
	}
	return total > 0.0 ? filled / total : 0.0;
}

PG_FUNCTION_INFO_V1(sql_info);
Datum
sql_info(PG_FUNCTION_ARGS)
{
	FilterView	filter;
	TupleDesc	descriptor = fcinfo->flinfo->fn_extra;
	Datum		values[10];
	bool		nulls[10] = {false};
	double		cardinality;
	int64		bytes = (int64) toast_raw_datum_size(PG_GETARG_DATUM(0));

	if (descriptor == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		fcinfo->flinfo->fn_extra = BlessTupleDesc(descriptor);
		MemoryContextSwitchTo(old);
	}
	filter_view(&filter, PG_GETARG_DATUM(0));
	cardinality = cardinality_of(&filter);

	values[0] = CStringGetTextDatum(value_kind_display(&filter.header.kind));
	nulls[0] = filter.header.kind.code == VALUE_KIND_NONE;
	values[1] = Int64GetDatum((int64) filter_capacity(&filter.header));
	values[2] = Int64GetDatum((int64) cardinality);
	values[3] = Float8GetDatum(filter.header.rate);
	values[4] = Float8GetDatum(filter_rate_now(&filter));
	values[5] = Int32GetDatum((int32) filter.header.layers);
	values[6] = BoolGetDatum(!filter.header.fixed);
	nulls[7] = cardinality < 1.0;
	values[7] = Float8GetDatum(nulls[7] ? 0.0 : (double) bytes * 8.0 / cardinality);
	values[8] = Float8GetDatum(describe_fill(&filter));
	values[9] = Int64GetDatum(bytes);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}

/* The function returns a row per layer, the oldest first. */
PG_FUNCTION_INFO_V1(sql_layers);
Datum
sql_layers(PG_FUNCTION_ARGS)
{
	const ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	FilterView	filter;

	InitMaterializedSRF(fcinfo, 0);
	filter_view(&filter, PG_GETARG_DATUM(0));
	for (uint32 i = 0; i < filter.header.layers; i++)
	{
		const FilterLayer *layer = &filter.header.layer[i];
		Datum		values[8];
		bool		nulls[8] = {false};

		values[0] = Int32GetDatum((int32) i);
		values[1] = Int64GetDatum((int64) layer->capacity);
		values[2] = Int64GetDatum((int64) layer->count);
		values[3] = Int32GetDatum((int32) layer->size);
		values[4] = Int32GetDatum((int32) layer->width);
		values[5] = Int64GetDatum((int64) layer->offset);
		values[6] = Int64GetDatum((int64) layer->bytes);
		values[7] = Float8GetDatum(filter_layer_fill(&filter, i));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_NULL();
}
