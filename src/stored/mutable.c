/*
 * Where a filter needs another size, a larger image is planned, allocated and filled, and replaces the first. An error in the
 * middle therefore leaves the user's filter as it was.
 */
#include "stored/mutable.h"

#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"

#include "core/bloom_filter.h"
#include "core/cuckoo_filter.h"
#include "core/pause.h"
#include "expression.h"
#include "value/kind_name.h"

void
mutable_filter_from(MutableFilter *mutable, Datum datum)
{
	mutable->context = CurrentMemoryContext;
	mutable->state = NULL;
	mutable->datum = filter_detoast(datum);
	if ((Pointer) mutable->datum == DatumGetPointer(datum) || VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum)))
		mutable->datum = filter_copy(mutable->datum);
	filter_view_varlena(&mutable->filter, mutable->datum);
}

void
mutable_filter_create(MutableFilter *mutable, FilterType type, double rate, uint64 capacity)
{
	(void) filter_plan(&mutable->filter.header, type, rate, capacity);
	mutable->context = CurrentMemoryContext;
	mutable->state = NULL;
	mutable->datum = filter_allocate(&mutable->filter);
}

/* Move to a new, empty image with the changed header `next`, which the caller fills. Returns the old datum, to be freed. */
static struct varlena *
replace_image(MutableFilter *mutable, const FilterHeader *next)
{
	FilterView	filter = {.header = *next};
	struct varlena *old_datum = mutable->datum;
	MemoryContext old = MemoryContextSwitchTo(mutable->context);

	mutable->datum = filter_allocate(&filter);
	mutable->filter = filter;
	MemoryContextSwitchTo(old);
	return old_datum;
}

/* Free an image that has been replaced, unless it is the state of an aggregate. */
static void
free_replaced(const MutableFilter *mutable, struct varlena *old_datum)
{
	if (old_datum != mutable->state)
		pfree(old_datum);
}

/* Move to a new image, with the changed header `next`, whose first layers are the present ones. */
static void
move_to(MutableFilter *mutable, const FilterHeader *next)
{
	FilterView	before = mutable->filter;
	struct varlena *old_datum = replace_image(mutable, next);

	filter_copy_layers(&mutable->filter, &before);
	free_replaced(mutable, old_datum);
}

/* Report that a cuckoo filter that does not grow has no room for another value. */
pg_noreturn static void
report_full(const FilterView *filter)
{
	CuckooLayer layer = filter_cuckoo_layer(filter, 0);
	unsigned long long entries = cuckoo_entries(&layer);
	unsigned long long capacity = filter->header.layer[0].capacity;

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("cuckoo filter is full and does not grow"),
			 errdetail("It holds %llu values, and its capacity is %llu.", entries, capacity),
			 errhint("Delete values, or rebuild the filter from the values with a larger capacity or so that it grows.")));
}

/* Report that a filter has no room for counters or a larger stash. */
pg_noreturn static void
report_too_large(double bytes)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("filter would take %.0f bytes, more than the limit of %d", bytes, FILTER_MAX_IMAGE_BYTES),
			 errdetail("It needs more to count the copies of values, or for values that find no slot."),
			 errhint("Add each value once, with cf_add_unique or cf_agg, or distribute the values over several filters, for example by filter_hash(value) & 15.")));
}

void
mutable_filter_grow(MutableFilter *mutable, uint64 capacity)
{
	FilterHeader next = mutable->filter.header;
	double		bytes;
	FilterStatus status = filter_append_layer(&next, capacity, &bytes);

	if (status != FILTER_OK)
		filter_report(status, bytes);
	move_to(mutable, &next);
}

static void
enlarge(MutableFilter *mutable, uint64 hash)
{
	FilterHeader next;
	double		bytes;
	FilterStatus status = filter_plan_growth(&mutable->filter, hash, &next, &bytes);

	if (status == FILTER_FULL)
		report_full(&mutable->filter);
	if (status == FILTER_OK)
		status = filter_lay_out(&next, &bytes);
	if (status == FILTER_TOO_LARGE && next.layers == mutable->filter.header.layers)
		report_too_large(bytes);
	if (status != FILTER_OK)
		filter_report(status, bytes);
	move_to(mutable, &next);
}

void
mutable_filter_set_kind(MutableFilter *mutable, const ValueKind *kind)
{
	FilterHeader next = mutable->filter.header;

	if (next.kind.code == VALUE_KIND_NONE && kind->code != VALUE_KIND_NONE)
	{
		next.kind = *kind;
		move_to(mutable, &next);
	}
	filter_set_sources(&mutable->filter, value_kinds_united_sources(&mutable->filter.header.kind, kind));
}

bool
mutable_filter_add_all(MutableFilter *mutable, const uint64 *hashes, Size count, bool unique)
{
	bool		changed = false;

	while (count > 0)
	{
		Size		done;
		bool		part_changed;
		FilterStatus status = filter_add_all(&mutable->filter, hashes, count, unique, &done, &part_changed);

		changed |= part_changed;
		hashes += done;
		count -= done;
		if (status == FILTER_FULL)
			enlarge(mutable, hashes[0]);
		else if (status != FILTER_OK)
			filter_report(status, 0.0);
	}
	return changed;
}

pg_noreturn static void
report_no_merge(FilterStatus status, const FilterView *fixed)
{
	unsigned long long capacity = fixed->header.layer[0].capacity;

	if (status == FILTER_FULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("union does not fit in a cuckoo filter that does not grow"),
				 errdetail("Its capacity is %llu.", capacity),
				 errhint("Build the filters again with the capacity of the union, or so that they grow.")));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot unite filters of different geometry that do not grow"),
			 errdetail("One of them has a capacity of %llu and a false positive rate of %g.", capacity, fixed->header.rate),
			 errhint("Build both filters with this capacity and rate, or unite filters that grow.")));
}

/* Adopt the layers of source. The filter must hold no value. */
static void
adopt_layers(MutableFilter *mutable, const FilterView *source)
{
	FilterHeader next;
	uint32		to[FILTER_MAX_LAYERS];
	FilterStatus status = filter_plan_adoption(&mutable->filter.header, &source->header, &next, to);

	if (status != FILTER_OK)
		filter_report(status, 0.0);
	free_replaced(mutable, replace_image(mutable, &next));
	for (uint32 i = 0; i < source->header.layers; i++)
		filter_copy_layer(&mutable->filter, to[i], source, i);
}

/* Unite two sets. What cannot be merged of a layer of source, which is a copy, becomes a layer of the filter. */
static void
unite_layers(MutableFilter *mutable, const FilterView *source)
{
	for (uint32 i = 0; i < source->header.layers; i++)
	{
		bool		appended = filter_layer_is_empty(source, i);

		while (!appended && !filter_unite_layer(&mutable->filter, source, i))
		{
			FilterHeader next;
			FilterStatus status = filter_plan_union(&mutable->filter, source, i, &next, &appended);

			CHECK_FOR_INTERRUPTS();
			if (status == FILTER_FULL)
				report_no_merge(status, &mutable->filter);
			if (status != FILTER_OK)
				filter_report(status, 0.0);
			move_to(mutable, &next);
			if (appended)
				filter_copy_layer(&mutable->filter, next.layers - 1, source, i);
		}
	}
}

/* A copy of a filter with layers, whose content can be changed. */
static FilterView
copy_content(const FilterView *filter)
{
	const FilterLayer *last = &filter->header.layer[filter->header.layers - 1];
	Size		bytes = last->offset + last->bytes;
	FilterView	copy = *filter;

	copy.image = MemoryContextAllocHuge(CurrentMemoryContext, bytes);
	filter_copy_bytes(copy.image, filter->image, bytes);
	return copy;
}

void
mutable_filter_merge(MutableFilter *mutable, const FilterView *source)
{
	FilterHeader next;

	value_kinds_check(&mutable->filter.header.kind, &source->header.kind);
	if (mutable->filter.header.fixed != source->header.fixed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot unite a filter that grows with one that does not"),
				 errhint("Create both with grow => false, or both without it.")));
	if (source->header.fixed && !filter_same_geometry(&mutable->filter.header.layer[0], &source->header.layer[0]))
		report_no_merge(FILTER_OTHER_GEOMETRY, &mutable->filter);
	mutable_filter_set_kind(mutable, &source->header.kind);
	if (source->header.layers == 0)
		return;
	if (filter_plan_parameters(&mutable->filter.header, &source->header, &next))
		move_to(mutable, &next);
	mutable->filter.remaining = 0;
	if (mutable->filter.header.layers > 0 && filter_is_empty(source))
		return;
	if (mutable->filter.header.layers == 0 || (source->header.type == FILTER_CUCKOO && filter_is_empty(&mutable->filter)))
		adopt_layers(mutable, source);
	else if (source->header.type == FILTER_CUCKOO)
	{
		FilterView	copy = copy_content(source);

		if (!mutable->filter.header.is_set)
		{
			filter_plan_set(&mutable->filter.header, &next);
			move_to(mutable, &next);
		}
		unite_layers(mutable, &copy);
		pfree(copy.image);
	}
	else
		unite_layers(mutable, source);
}

void
mutable_filter_intersect(MutableFilter *mutable, const FilterView *source)
{
	FilterStatus status;

	value_kinds_check(&mutable->filter.header.kind, &source->header.kind);
	mutable_filter_set_kind(mutable, &source->header.kind);
	/*
	 * A filter without layers contains nothing, so its intersection with any other is empty: without layers, or with an empty
	 * layer if either filter does not grow.
	 */
	if (mutable->filter.header.layers == 0 || source->header.layers == 0)
	{
		FilterHeader next = mutable->filter.header;

		if (source->header.fixed)
		{
			next = source->header;
			next.kind = mutable->filter.header.kind;
		}
		else if (!next.fixed)
			next.layers = 0;
		free_replaced(mutable, replace_image(mutable, &next));
		return;
	}
	status = filter_intersect(&mutable->filter, source);
	if (status != FILTER_OK)
		filter_report(status, 0.0);
	if (source->header.fixed)
		filter_set_fixed(&mutable->filter);
}

void
mutable_filter_compact(MutableFilter *mutable)
{
	FilterView	before;
	FilterHeader next;
	struct varlena *old_datum;
	uint32		from[FILTER_MAX_LAYERS];

	filter_compact(&mutable->filter);
	before = mutable->filter;
	filter_plan_compact(&before, &next, from);
	old_datum = replace_image(mutable, &next);
	for (uint32 i = 0; i < next.layers; i++)
		filter_copy_layer(&mutable->filter, i, &before, from[i]);
	free_replaced(mutable, old_datum);
}

/*
 * Filters in PL/pgSQL variables are expanded objects, so that `f := bf_add(f, x)` changes the variable and not a copy of it.
 * Only functions that change filters return one, and only from PostgreSQL 18 on, the first version in which a function can
 * change a variable.
 */

/* An expanded copy of a filter, in its own context below the current one. */
static MutableFilter *
mutable_expand(Datum datum)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "expanded filter", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	MutableFilter *object = palloc(sizeof(MutableFilter));

	EOH_init_header(&object->header, &filter_object_methods, context);
	mutable_filter_from(object, datum);
	MemoryContextSwitchTo(old);
	return object;
}

/*
 * Whether argument 0 of a call is a parameter, as PL/pgSQL variables are. Where a query has a parameter, an expanded result
 * costs no extra copy, since flattening it replaces copying a flat one into a row.
 */
static bool
is_of_parameter(Node *call)
{
	List	   *arguments = node_arguments(call);

	return arguments != NIL && node_is_parameter(linitial(arguments));
}

/*
 * Whether argument 0 of a call is the flat state of an aggregate, which its transition functions may change. A final function
 * must not: other aggregates may share the state. In a window, none of a final function's further arguments has a value.
 */
static bool
is_state_to_change(FunctionCallInfo fcinfo)
{
	int			context = AggCheckCallContext(fcinfo, NULL);

	return PG_NARGS() > 1 && !PG_ARGISNULL(1) && VARATT_IS_4B_U(PG_GETARG_POINTER(0)) &&
		(context == AGG_CONTEXT_WINDOW ||
		 (context == AGG_CONTEXT_AGGREGATE && ((const AggState *) fcinfo->context)->curperagg == NULL));
}

MutableFilter *
filter_change_begin(FunctionCallInfo fcinfo)
{
	Datum		datum = PG_GETARG_DATUM(0);
	MutableFilter *mutable = filter_to_change_in_place(datum);

	/*
	 * PL/pgSQL first moves the object into the context in which it evaluates the expression, unless the variable is visible
	 * after an error. An object in another context is copied. If PL/pgSQL moved it elsewhere, this would only take longer.
	 */
	if (mutable != NULL && MemoryContextGetParent(mutable->context) == CurrentMemoryContext)
		return mutable;
	if (mutable != NULL || (FILTER_VARIABLES_CHANGE_IN_PLACE && is_of_parameter(fcinfo->flinfo->fn_expr)))
		return mutable_expand(datum);
	mutable = palloc(sizeof(MutableFilter));
	mutable->header.eoh_methods = NULL;
	if (is_state_to_change(fcinfo))
	{
		mutable->context = CurrentMemoryContext;
		mutable->datum = (struct varlena *) DatumGetPointer(datum);
		mutable->state = mutable->datum;
		filter_view_varlena(&mutable->filter, mutable->datum);
	}
	else
		mutable_filter_from(mutable, datum);
	return mutable;
}

Datum
filter_change_end(MutableFilter *mutable)
{
	return mutable->header.eoh_methods == NULL ? PointerGetDatum(mutable->datum) : EOHPGetRWDatum(&mutable->header);
}

MutableFilter *
filter_to_change_in_place(Datum datum)
{
	return VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)) ? filter_object(datum) : NULL;
}
