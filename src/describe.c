/*
 * What a filter holds and how large it is, or would be.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include <math.h>

#include "compat.h"
#include "filter_datum.h"
#include "parameters.h"
#include "value_hash.h"
#include "value_kind_name.h"

PG_FUNCTION_INFO_V1(sql_cardinality);
Datum
sql_cardinality(PG_FUNCTION_ARGS)
{
	Filter		filter;

	filter_view(&filter, PG_GETARG_DATUM(0));
	PG_RETURN_INT64((int64) rint(filter_cardinality(&filter)));
}

static Datum
planned_size(FunctionCallInfo fcinfo, FilterType type)
{
	uint64		capacity = capacity_parameter(fcinfo, 0);
	Filter		filter;
	double		bytes = 0.0;
	FilterStatus status = filter_init(&filter, type, rate_parameter(fcinfo, 1));

	if (status == FILTER_OK)
		status = filter_append_layer(&filter, capacity, &bytes);
	if (status == FILTER_OK)
		status = filter_lay_out(&filter, &bytes);
	if (status != FILTER_OK)
		filter_report(status, bytes);
	PG_RETURN_INT64(VARHDRSZ + (int64) bytes);
}

PG_FUNCTION_INFO_V1(sql_bloom_size);
Datum
sql_bloom_size(PG_FUNCTION_ARGS)
{
	return planned_size(fcinfo, FILTER_BLOOM);
}

PG_FUNCTION_INFO_V1(sql_cuckoo_size);
Datum
sql_cuckoo_size(PG_FUNCTION_ARGS)
{
	return planned_size(fcinfo, FILTER_CUCKOO);
}

static Datum
geometry_of_layers(const Filter *filter)
{
	Datum		layers[FILTER_MAX_LAYERS];

	for (uint32 i = 0; i < filter->layers; i++)
	{
		const FilterLayer *layer = &filter->layer[i];
		const char *format = filter->type == FILTER_BLOOM ? "%u blocks of %u bits, %u probes"
			: "%u pages of %u windows a half, %u bits a slot";

		layers[i] = CStringGetTextDatum(psprintf(format, layer->count, layer->size, layer->width));
	}
	return PointerGetDatum(construct_array(layers, (int) filter->layers, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Bits set, or slots taken, over all layers. */
static double
fill(const Filter *filter)
{
	double		filled = 0.0,
				total = 0.0;

	for (uint32 i = 0; i < filter->layers; i++)
	{
		filled += filter_layer_fill(filter, i) * (double) filter->layer[i].bytes;
		total += (double) filter->layer[i].bytes;
	}
	return total > 0.0 ? filled / total : 0.0;
}

PG_FUNCTION_INFO_V1(sql_info);
Datum
sql_info(PG_FUNCTION_ARGS)
{
	Filter		filter;
	TupleDesc	descriptor;
	Datum		values[11];
	bool		nulls[11] = {false};
	double		cardinality;
	int64		bytes;
	double		image_bytes;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	filter_view(&filter, PG_GETARG_DATUM(0));
	cardinality = filter_cardinality(&filter);
	if (filter_lay_out(&filter, &image_bytes) != FILTER_OK)
		elog(ERROR, "a filter larger than the limit was stored");
	bytes = VARHDRSZ + (int64) image_bytes;

	values[0] = CStringGetTextDatum(value_kind_display(&filter.kind));
	nulls[0] = filter.kind.code == VALUE_KIND_NONE;
	values[1] = Int64GetDatum((int64) filter_capacity(&filter));
	values[2] = Int64GetDatum((int64) rint(cardinality));
	values[3] = Float8GetDatum(filter.rate);
	values[4] = Float8GetDatum(filter_rate_now(&filter));
	values[5] = Int32GetDatum((int32) filter.layers);
	values[6] = BoolGetDatum(!filter.fixed);
	nulls[7] = rint(cardinality) < 1.0;
	values[7] = Float8GetDatum(nulls[7] ? 0.0 : (double) bytes * 8.0 / cardinality);
	values[8] = Float8GetDatum(fill(&filter));
	values[9] = Int64GetDatum(bytes);
	values[10] = geometry_of_layers(&filter);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
