/*
 * Bytes from outside are checked in full, by filter_invalid_reason, when they become a datum. A view of a stored filter
 * therefore checks only header and lengths again, in case a page is damaged.
 */
#include "stored/datum.h"

#include "core/pause.h"

static Size
object_size(ExpandedObjectHeader *header)
{
	return VARSIZE(((MutableFilter *) header)->datum);
}

static void
object_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	filter_copy_bytes(result, ((MutableFilter *) header)->datum, size);
}

const ExpandedObjectMethods filter_object_methods = {object_size, object_flatten};

MutableFilter *
filter_object(Datum datum)
{
	MutableFilter *object = (MutableFilter *) DatumGetEOHP(datum);

	if (unlikely(object->header.eoh_methods != &filter_object_methods))
		elog(ERROR, "expanded object is not a filter");
	return object;
}

const char *
filter_type_name(FilterType type)
{
	return type == FILTER_BLOOM ? "bloomfilter" : "cuckoofilter";
}

void
filter_report(FilterStatus status, double bytes)
{
	switch (status)
	{
		case FILTER_BAD_RATE:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("false positive rate must be between %g and %g", FILTER_MIN_RATE, FILTER_MAX_RATE),
					 errhint("Give the rate as a fraction, not as a percentage: 0.01 means 1%%.")));
			break;
		case FILTER_TOO_LARGE:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("filter would take %.0f bytes, more than the limit of %d", bytes, FILTER_MAX_IMAGE_BYTES),
					 errdetail("The limit ensures that a filter can be dumped as text and restored."),
					 errhint("Use a smaller capacity or a higher false positive rate, or distribute the values over several filters, for example by filter_hash(value) & 15.")));
			break;
		case FILTER_TOO_MANY_LAYERS:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("filter would need more than %d layers", FILTER_MAX_LAYERS),
					 errhint("Rebuild the filter from its values with an aggregate, or build its parts with the same capacity, large enough for all values together: parts of equal capacity and rate merge into one layer.")));
			break;
		case FILTER_OTHER_GEOMETRY:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("filters of different geometry cannot be intersected"),
					 errdetail("Both must have been built with the same capacity and false positive rate, and must not have outgrown that capacity."),
					 errhint("Test a value against both filters instead, or build both with the same capacity.")));
			break;
		default:
			elog(ERROR, "unexpected filter status %d", (int) status);
	}
	pg_unreachable();
}

void
filter_report_damage(const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("stored filter is damaged"),
			 errdetail("The image is invalid: %s.", reason)));
}

void
filter_view_varlena(FilterView *filter, struct varlena *datum)
{
	const char *reason;

	if (unlikely(filter_open(filter, (uint8 *) VARDATA(datum), VARSIZE(datum) - VARHDRSZ, &reason) != FILTER_OK))
		filter_report_damage(reason);
}

const char *
filter_invalid_reason(FilterType type, struct varlena *datum)
{
	FilterView	filter;
	const char *reason;

	if (filter_open(&filter, (uint8 *) VARDATA(datum), VARSIZE(datum) - VARHDRSZ, &reason) != FILTER_OK)
		return reason;
	if (filter.header.type != type)
		return type == FILTER_BLOOM ? "it is a cuckoo filter" : "it is a Bloom filter";
	if (filter_check_content(&filter, &reason) != FILTER_OK)
		return reason;
	return NULL;
}

struct varlena *
filter_detoast(Datum datum)
{
	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum)))
		return filter_object(datum)->datum;
	return PG_DETOAST_DATUM(datum);
}

void
filter_view(FilterView *filter, Datum datum)
{
	filter_view_varlena(filter, filter_detoast(datum));
}

struct varlena *
filter_copy(const struct varlena *datum)
{
	struct varlena *copy = MemoryContextAllocHuge(CurrentMemoryContext, VARSIZE(datum));

	filter_copy_bytes(copy, datum, VARSIZE(datum));
	return copy;
}

/*
 * Choosing the geometry of a small layer takes longer than filling it, and most groups of a GROUP BY have one of a few
 * capacities. The layers planned last are therefore kept, by type and the lowest bits of the capacity.
 */
typedef struct PlannedLayer
{
	double		rate;			/* 0: none planned yet */
	FilterLayer layer;
} PlannedLayer;

static PlannedLayer planned_layers[2][64];

static FilterStatus
plan_layer(FilterHeader *header, uint64 capacity, double *bytes)
{
	PlannedLayer *planned = &planned_layers[header->type == FILTER_CUCKOO][capacity % lengthof(planned_layers[0])];

	if (planned->rate != header->rate || planned->layer.capacity != capacity)
	{
		FilterStatus status = filter_append_layer(header, capacity, bytes);

		if (status != FILTER_OK)
			return status;
		planned->rate = header->rate;
		planned->layer = header->layer[0];
	}
	header->layer[0] = planned->layer;
	header->layers = 1;
	return FILTER_OK;
}

Size
filter_plan(FilterHeader *header, FilterType type, double rate, uint64 capacity)
{
	double		bytes = 0.0;
	FilterStatus status = filter_init(header, type, rate);

	if (status == FILTER_OK && capacity != 0)
		status = plan_layer(header, capacity, &bytes);
	if (status == FILTER_OK)
		status = filter_lay_out(header, &bytes);
	if (status != FILTER_OK)
		filter_report(status, bytes);
	return (Size) bytes;
}

struct varlena *
filter_allocate(FilterView *filter)
{
	double		bytes;
	FilterStatus status = filter_lay_out(&filter->header, &bytes);
	struct varlena *datum;

	if (status != FILTER_OK)
		filter_report(status, bytes);
	datum = MemoryContextAllocHuge(CurrentMemoryContext, VARHDRSZ + (Size) bytes);
	filter_clear_bytes(datum, VARHDRSZ + (Size) bytes);
	SET_VARSIZE(datum, VARHDRSZ + (Size) bytes);
	filter_write_header(filter, (uint8 *) VARDATA(datum));
	return datum;
}
