/*
 * A filter that is being changed, as a private copy. Where it needs another size, a larger image is planned, allocated and
 * filled, and takes the place of the first. So an error in the middle leaves the user's filter as it was.
 */
#include "stored/mutable.h"

#include "miscadmin.h"

#include "core/bloom_filter.h"
#include "core/pause.h"
#include "stored/datum.h"
#include "value/kind_name.h"

void
mutable_filter_from(MutableFilter *mutable, Datum datum)
{
	mutable->context = CurrentMemoryContext;
	mutable->datum = filter_detoast_copy(datum);
	filter_view_varlena(&mutable->filter, mutable->datum);
}

void
mutable_filter_create(MutableFilter *mutable, FilterType type, double rate, uint64 capacity)
{
	(void) filter_plan(&mutable->filter, type, rate, capacity);
	mutable->context = CurrentMemoryContext;
	mutable->datum = filter_allocate(&mutable->filter);
}

/*
 * Move to a new image, with the changed header `next`. Its layer i is layer from[i] of the present filter, or a new
 * empty one if from[i] is -1. If `from` is null, all present layers keep their positions, and those after them are new.
 */
static void
move_to(MutableFilter *mutable, Filter *next, const int *from)
{
	struct varlena *old_datum = mutable->datum;
	MemoryContext old = MemoryContextSwitchTo(mutable->context);
	struct varlena *datum = filter_allocate(next);

	MemoryContextSwitchTo(old);
	for (uint32 i = 0; i < next->layers; i++)
		if (from != NULL ? from[i] >= 0 : i < mutable->filter.layers)
			filter_copy_layer(next, i, &mutable->filter, from != NULL ? (uint32) from[i] : i);
	mutable->filter = *next;
	mutable->datum = datum;
	pfree(old_datum);
}

/* Report that a cuckoo filter that does not grow has no room for another value. */
pg_noreturn static void
report_full(const Filter *filter)
{
	CuckooLayer layer = filter_cuckoo_layer(filter, 0);
	unsigned long long entries = cuckoo_entries(&layer);
	unsigned long long covered = cuckoo_windows_covered(&layer);
	unsigned long long capacity = filter->layer[0].capacity;

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("cuckoo filter is full and does not grow"),
			 covered == 0 ? errdetail("It holds %llu entries, and its capacity is %llu.", entries, capacity) :
			 errdetail("It holds %llu entries, its capacity is %llu, and %llu of its windows are covered by wildcards.",
					   entries, capacity, covered),
			 errhint("Delete values, or rebuild the filter from the values with a larger capacity or so that it grows.")));
}

void
mutable_filter_grow(MutableFilter *mutable, uint64 capacity)
{
	Filter		next = mutable->filter;
	double		bytes;
	FilterStatus status = filter_append_layer(&next, capacity, &bytes);

	if (status == FILTER_FULL)
		report_full(&mutable->filter);
	if (status != FILTER_OK)
		filter_report(status, bytes);
	next.room = 0;
	move_to(mutable, &next, NULL);
}

void
mutable_filter_set_kind(MutableFilter *mutable, const ValueKind *kind)
{
	Filter		next = mutable->filter;

	if (next.kind.code == VALUE_KIND_NONE && kind->code != VALUE_KIND_NONE)
	{
		next.kind = *kind;
		move_to(mutable, &next, NULL);
	}
	filter_set_sources(&mutable->filter, value_kinds_united_sources(&mutable->filter.kind, kind));
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
			mutable_filter_grow(mutable, 0);
		else if (status != FILTER_OK)
			filter_report(status, 0.0);
	}
	return changed;
}

/* Merge one layer of source into one of the filter; false, with nothing changed, if it does not fit. */
static bool
merge_layer(MutableFilter *mutable, uint32 layer, const Filter *source, uint32 source_layer)
{
	const FilterLayer *target = &mutable->filter.layer[layer];
	uint8	   *backup;
	bool		merged;

	if (!filter_can_merge_layer(&mutable->filter, layer, source, source_layer))
		return false;
	if (mutable->filter.type == FILTER_BLOOM)
		return filter_merge_layer(&mutable->filter, layer, source, source_layer) == FILTER_OK;

	/* An entry may find no place in a cuckoo layer when others are already merged. */
	backup = palloc(target->bytes);
	filter_copy_bytes(backup, mutable->filter.image + target->offset, target->bytes);
	merged = filter_merge_layer(&mutable->filter, layer, source, source_layer) == FILTER_OK;
	if (!merged)
		filter_copy_bytes(mutable->filter.image + target->offset, backup, target->bytes);
	pfree(backup);
	return merged;
}

pg_noreturn static void
report_no_merge(FilterStatus status, const Filter *fixed)
{
	unsigned long long capacity = fixed->layer[0].capacity;

	if (status == FILTER_FULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("union does not fit in a cuckoo filter that does not grow"),
				 errdetail("Its capacity is %llu, or less if many values share their windows, as copies do.", capacity),
				 errhint("Delete values, or rebuild the filter from the values with a larger capacity or so that it grows.")));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot unite filters of different geometry that do not grow"),
			 errdetail("One of them has a capacity of %llu and a false positive rate of %g.", capacity, fixed->rate),
			 errhint("Build both filters with this capacity and rate, or unite filters that grow.")));
}

/* Merge filters that do not grow. The result has the larger capacity and rate, so that their order does not matter. */
static void
merge_fixed(MutableFilter *mutable, const Filter *source)
{
	Filter		next = mutable->filter;
	FilterStatus status;

	next.layer[0].capacity = Max(next.layer[0].capacity, source->layer[0].capacity);
	next.rate = Max(next.rate, source->rate);
	if (next.layer[0].capacity != mutable->filter.layer[0].capacity || next.rate != mutable->filter.rate)
		move_to(mutable, &next, NULL);
	status = filter_merge_fixed(&mutable->filter, source);
	if (status != FILTER_OK)
		report_no_merge(status, &mutable->filter);
	mutable->filter.room = 0;
}

/* Merge a layer of source into one of the same geometry; false if there is none that has room. */
static bool
merge_into_same_geometry(MutableFilter *mutable, const Filter *source, uint32 source_layer)
{
	for (uint32 i = 0; i < mutable->filter.layers; i++)
		if (filter_same_geometry(&mutable->filter.layer[i], &source->layer[source_layer]) &&
			merge_layer(mutable, i, source, source_layer))
			return true;
	return false;
}

/* Merge filters that both grow: append the layers of source that cannot be merged into existing ones. */
static void
merge_growing(MutableFilter *mutable, const Filter *source)
{
	Filter		next = mutable->filter;
	uint32		layers = next.layers;
	int			appended[FILTER_MAX_LAYERS];

	next.room = 0;
	next.rate = layers == 0 ? source->rate : Max(next.rate, source->rate);
	for (uint32 i = 0; i < source->layers; i++)
	{
		CHECK_FOR_INTERRUPTS();
		/* An empty layer adds nothing, except its capacity if the target has no layers. */
		if ((layers > 0 && filter_layer_is_empty(source, i)) || merge_into_same_geometry(mutable, source, i))
			continue;
		if (next.layers == FILTER_MAX_LAYERS)
			filter_report(FILTER_TOO_MANY_LAYERS, 0.0);
		appended[next.layers] = (int) i;
		next.layer[next.layers++] = source->layer[i];
	}

	if (next.layers == layers && next.rate == mutable->filter.rate)
	{
		mutable->filter.room = 0;
		return;
	}
	if (source->crowded || mutable->filter.crowded)
		filter_set_crowded(&next);
	move_to(mutable, &next, NULL);
	for (uint32 i = layers; i < mutable->filter.layers; i++)
		filter_copy_layer(&mutable->filter, i, source, (uint32) appended[i]);
}

void
mutable_filter_merge(MutableFilter *mutable, const Filter *source)
{
	value_kinds_check(&mutable->filter.kind, &source->kind);
	if (mutable->filter.fixed != source->fixed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot unite a filter that grows with one that does not"),
				 errhint("Create both with grow => false, or both without it.")));
	mutable_filter_set_kind(mutable, &source->kind);
	if (source->fixed)
		merge_fixed(mutable, source);
	else if (source->layers > 0)
		merge_growing(mutable, source);
}

void
mutable_filter_intersect(MutableFilter *mutable, const Filter *source)
{
	FilterStatus status;

	value_kinds_check(&mutable->filter.kind, &source->kind);
	mutable_filter_set_kind(mutable, &source->kind);
	/*
	 * A filter without layers contains nothing, so its intersection with any other is empty: without layers, or with
	 * an empty one if either filter does not grow.
	 */
	if (mutable->filter.layers == 0 || source->layers == 0)
	{
		Filter		next = mutable->filter;
		const int	from[] = {-1};

		if (source->fixed)
		{
			next = *source;
			next.kind = mutable->filter.kind;
		}
		else if (!next.fixed)
			next.layers = 0;
		move_to(mutable, &next, from);
		return;
	}
	status = filter_intersect(&mutable->filter, source);
	if (status != FILTER_OK)
		filter_report(status, 0.0);
	if (source->fixed)
		filter_set_fixed(&mutable->filter);
}

void
mutable_filter_compact(MutableFilter *mutable)
{
	Filter		next = mutable->filter;
	int			from[FILTER_MAX_LAYERS];
	bool		gone[FILTER_MAX_LAYERS] = {false};

	for (uint32 layer = next.layers; layer-- > 0;)
	{
		CHECK_FOR_INTERRUPTS();
		gone[layer] = filter_layer_is_empty(&mutable->filter, layer);
		for (uint32 older = 0; older < layer && !gone[layer]; older++)
			gone[layer] = merge_layer(mutable, older, &mutable->filter, layer);
	}

	next.layers = 0;
	for (uint32 layer = 0; layer < mutable->filter.layers; layer++)
	{
		/* A filter that has become empty keeps its first layer, and with it the capacity it was given. */
		if (gone[layer] && !(layer == mutable->filter.layers - 1 && next.layers == 0))
			continue;
		from[next.layers] = gone[layer] ? 0 : (int) layer;
		next.layer[next.layers] = mutable->filter.layer[from[next.layers]];
		next.layers++;
	}
	next.room = 0;
	next.crowded = mutable->filter.crowded;
	if (next.layers < mutable->filter.layers)
		move_to(mutable, &next, from);
}
