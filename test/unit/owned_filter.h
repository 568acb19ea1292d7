/*
 * A filter that owns its memory and grows as the extension's filters do: as in src/stored/mutable.c, but with malloc.
 */
#ifndef UNIT_OWNED_FILTER_H
#define UNIT_OWNED_FILTER_H

#include <string.h>

#include "core/bloom_filter.h"
#include "core/cuckoo_filter.h"
#include "core/filter.h"
#include "tap.h"

typedef struct OwnedFilter
{
	FilterView	filter;			/* a view of the image */
	uint8_t    *image;			/* exactly image_bytes long */
	uint64_t	image_bytes;
} OwnedFilter;

/* An empty cuckoo layer, whose slots the caller frees. */
static inline CuckooLayer
create_cuckoo_layer(uint32_t pages, uint32_t windows, uint32_t slot_bits, bool counted, uint32_t stash_capacity)
{
	CuckooLayer layer = cuckoo_layer(pages, windows, slot_bits, counted, stash_capacity, NULL);

	layer.slots = zeroed_memory(cuckoo_bytes(&layer));
	return layer;
}

/* The number of copies of all classes in a cuckoo layer. */
static inline uint64_t
copies_in_layer(const CuckooLayer *layer)
{
	return cuckoo_entries(layer) + cuckoo_further_copies(layer);
}

/* The number of entries beyond the first of their class. */
static inline uint64_t
further_entries_in_layer(const CuckooLayer *layer)
{
	return (uint64_t) (cuckoo_sample_copies(layer, 1) + 0.5);
}

/* Compare a lookup with one that fetches only the ranges it needs, as from an image that is not in memory. */
static inline void
check_ranges(const FilterView *filter, uint64_t image_bytes, uint64_t hash)
{
	FilterView	away = *filter;
	bool		contains = false;

	away.image = NULL;
	for (uint32_t layer = 0; layer < away.header.layers; layer++)
	{
		FilterRange range[2];
		uint8_t    *fetched[2] = {NULL, NULL};
		const uint8_t *bytes[2];
		uint32_t	ranges = filter_lookup_ranges(&away, layer, hash, range);

		for (uint32_t i = 0; i < ranges; i++)
		{
			if (range[i].offset < filter->header.layer[layer].offset ||
				range[i].offset + range[i].length > filter->header.layer[layer].offset + filter->header.layer[layer].bytes ||
				range[i].offset + range[i].length > image_bytes)
				bail_out("a lookup requests bytes outside its layer");
			fetched[i] = zeroed_memory(range[i].length);
			memcpy(fetched[i], filter->image + range[i].offset, range[i].length);
		}
		bytes[0] = fetched[0];
		bytes[1] = fetched[1];
		contains |= filter_ranges_contain(&away, layer, hash, bytes);
		free(fetched[0]);
		free(fetched[1]);
	}
	/* A stash is not in the ranges. */
	if (filter->header.has_stash ? contains > filter_contains(filter, hash) : contains != filter_contains(filter, hash))
		bail_out("a lookup by ranges differs from one in the image");
}

/* Compare a count with one in an image that has only the ranges it needs. Not of a filter that has a stash. */
static inline void
check_count_by_ranges(const FilterView *filter, uint64_t image_bytes, uint64_t hash)
{
	FilterView	partial = *filter;

	partial.image = zeroed_memory(image_bytes);
	for (uint32_t layer = 0; layer < partial.header.layers; layer++)
	{
		FilterRange range[4];
		uint32_t	ranges = filter_lookup_ranges(&partial, layer, hash, range);

		ranges += filter_counter_ranges(&partial, layer, hash, range + ranges);
		for (uint32_t i = 0; i < ranges; i++)
		{
			if (range[i].offset + range[i].length > filter->header.layer[layer].offset + filter->header.layer[layer].bytes)
				bail_out("a count requests bytes outside its layer");
			memcpy(partial.image + range[i].offset, filter->image + range[i].offset, range[i].length);
		}
	}
	if (filter_count(&partial, hash) != filter_count(filter, hash))
		bail_out("a count by ranges differs from one in the image");
	free(partial.image);
}

/* Allocate the filter's image; false, with nothing allocated, if it would be too large. */
static inline bool
owned_filter_allocate(OwnedFilter *owned)
{
	double		bytes;

	if (filter_lay_out(&owned->filter.header, &bytes) != FILTER_OK)
		return false;
	owned->image_bytes = (uint64_t) bytes;
	owned->image = zeroed_memory(owned->image_bytes);
	filter_write_header(&owned->filter, owned->image);
	return true;
}

static inline void
owned_filter_free(OwnedFilter *owned)
{
	free(owned->image);
	memset(owned, 0, sizeof(*owned));
}

/* Move to a new image, with a changed header. All present layers keep their positions, and those after them are new. */
static inline FilterStatus
owned_filter_move(OwnedFilter *owned, const FilterHeader *next)
{
	OwnedFilter moved = {.filter = {.header = *next}};

	if (!owned_filter_allocate(&moved))
		return FILTER_TOO_LARGE;
	filter_copy_layers(&moved.filter, &owned->filter);
	free(owned->image);
	*owned = moved;
	return FILTER_OK;
}

/* Append a layer; capacity 0 means twice that of the newest. */
static inline FilterStatus
owned_filter_grow(OwnedFilter *owned, uint64_t capacity)
{
	FilterHeader next = owned->filter.header;
	double		bytes;
	FilterStatus status = filter_append_layer(&next, capacity, &bytes);

	if (status != FILTER_OK)
		return status;
	return owned_filter_move(owned, &next);
}

/* An empty filter with one layer, or with none if the capacity is 0. */
static inline OwnedFilter
owned_filter_create(FilterType type, uint64_t capacity, double rate)
{
	OwnedFilter owned;
	double		bytes;

	memset(&owned, 0, sizeof(owned));
	if (filter_init(&owned.filter.header, type, rate) != FILTER_OK ||
		(capacity > 0 && filter_append_layer(&owned.filter.header, capacity, &bytes) != FILTER_OK) ||
		!owned_filter_allocate(&owned))
		bail_out("a filter of moderate size could not be created");
	return owned;
}

/* Set the kind of value of a filter. */
static inline void
owned_filter_set_kind(OwnedFilter *owned, ValueKindCode code, const char *name)
{
	FilterHeader next = owned->filter.header;

	next.kind.code = code;
	next.kind.name = name;
	next.kind.name_length = (uint16_t) strlen(name);
	if (owned_filter_move(owned, &next) != FILTER_OK)
		bail_out("a name made a filter too large");
}

static inline OwnedFilter
owned_filter_copy(const OwnedFilter *from)
{
	OwnedFilter copy = {.filter = from->filter, .image_bytes = from->image_bytes};

	copy.image = zeroed_memory(copy.image_bytes);
	memcpy(copy.image, from->image, (size_t) copy.image_bytes);
	copy.filter.image = copy.image;
	copy.filter.header.kind.name = (const char *) copy.image + (from->filter.header.kind.name - (const char *) from->image);
	return copy;
}

/* Build a filter of distinct hashes, in a layer that is planned for them. */
static inline OwnedFilter
owned_filter_build(const FilterHeader *plan, const uint64_t *hashes, size_t count)
{
	FilterHeader planned = *plan;
	double		bytes;

	for (int attempt = 0;; attempt++)
	{
		OwnedFilter built = {.filter = {.header = planned}};

		if (!owned_filter_allocate(&built))
			bail_out("a filter of moderate size could not be created");
		if (filter_build(&built.filter, hashes, count) == FILTER_OK)
			return built;
		owned_filter_free(&built);
		if (filter_plan_again(&planned, attempt, &bytes) != FILTER_OK)
			bail_out("a layer cannot be enlarged");
	}
}

/* Make room for a value that found none. */
static inline FilterStatus
owned_filter_enlarge(OwnedFilter *owned, uint64_t hash)
{
	FilterHeader next;
	double		bytes;
	FilterStatus status = filter_plan_growth(&owned->filter, hash, &next, &bytes);

	return status == FILTER_OK ? owned_filter_move(owned, &next) : status;
}

/* Add one value, and make room for it if there is none. */
static inline FilterStatus
owned_filter_add(OwnedFilter *owned, uint64_t hash, bool unique)
{
	for (;;)
	{
		bool		changed;
		FilterStatus status = filter_add(&owned->filter, hash, unique, &changed);

		if (status != FILTER_FULL)
			return status;
		status = owned_filter_enlarge(owned, hash);
		if (status != FILTER_OK)
			return status;
	}
}

static inline FilterStatus
owned_filter_add_all(OwnedFilter *owned, const uint64_t *hashes, size_t count, bool unique)
{
	while (count > 0)
	{
		size_t		done;
		bool		changed;
		FilterStatus status = filter_add_all(&owned->filter, hashes, count, unique, &done, &changed);

		hashes += done;
		count -= done;
		if (status == FILTER_FULL)
			status = owned_filter_enlarge(owned, hashes[0]);
		if (status != FILTER_OK)
			return status;
	}
	return FILTER_OK;
}

/* Merge the layers of a cuckoo filter where their entries fit. */
static inline void
owned_filter_compact(OwnedFilter *owned)
{
	OwnedFilter kept;
	uint32_t	from[FILTER_MAX_LAYERS];

	filter_compact(&owned->filter);
	filter_plan_compact(&owned->filter, &kept.filter.header, from);
	if (!owned_filter_allocate(&kept))
		bail_out("the compacted filter is too large");
	for (uint32_t i = 0; i < kept.filter.header.layers; i++)
		filter_copy_layer(&kept.filter, i, &owned->filter, from[i]);
	owned_filter_free(owned);
	*owned = kept;
}

/* Adopt the layers of source. The filter holds no value. */
static inline FilterStatus
owned_filter_adopt_layers(OwnedFilter *owned, const FilterView *source)
{
	OwnedFilter adopting;
	uint32_t	to[FILTER_MAX_LAYERS];
	FilterStatus status = filter_plan_adoption(&owned->filter.header, &source->header, &adopting.filter.header, to);

	if (status != FILTER_OK)
		return status;
	if (!owned_filter_allocate(&adopting))
		return FILTER_TOO_LARGE;
	for (uint32_t i = 0; i < source->header.layers; i++)
		filter_copy_layer(&adopting.filter, to[i], source, i);
	free(owned->image);
	*owned = adopting;
	return FILTER_OK;
}

/* Make a cuckoo filter a set. */
static inline FilterStatus
owned_filter_become_set(OwnedFilter *owned)
{
	FilterHeader next;

	filter_plan_set(&owned->filter.header, &next);
	return owned->filter.header.is_set ? FILTER_OK : owned_filter_move(owned, &next);
}

/* Merge the layers of source, which loses what is merged, into those of the target, or append what does not fit. */
static inline FilterStatus
owned_filter_unite_layers(OwnedFilter *target, const FilterView *source)
{
	for (uint32_t i = 0; i < source->header.layers; i++)
	{
		bool		appended = filter_layer_is_empty(source, i);

		while (!appended && !filter_unite_layer(&target->filter, source, i))
		{
			FilterHeader next;
			FilterStatus status = filter_plan_union(&target->filter, source, i, &next, &appended);

			if (status == FILTER_OK)
				status = owned_filter_move(target, &next);
			if (status != FILTER_OK)
				return status;
			if (appended)
				filter_copy_layer(&target->filter, next.layers - 1, source, i);
		}
	}
	return FILTER_OK;
}

/* A copy of source's content, with the header where it was. */
static inline FilterView
owned_filter_copy_content(const FilterView *source)
{
	const FilterLayer *last = &source->header.layer[source->header.layers - 1];
	FilterView	copy = *source;

	copy.image = zeroed_memory(last->offset + last->bytes);
	memcpy(copy.image, source->image, (size_t) (last->offset + last->bytes));
	return copy;
}

/*
 * The union with a filter of the same kind. An error leaves the target unchanged: FILTER_OTHER_GEOMETRY if only one of them
 * grows, or neither does and their geometries differ; FILTER_FULL if neither grows.
 */
static inline FilterStatus
owned_filter_unite(OwnedFilter *target, const FilterView *source)
{
	OwnedFilter united;
	FilterHeader next;
	FilterStatus status = FILTER_OK;

	if (target->filter.header.fixed != source->header.fixed ||
		(source->header.fixed && !filter_same_geometry(&target->filter.header.layer[0], &source->header.layer[0])))
		return FILTER_OTHER_GEOMETRY;
	if (source->header.layers == 0)
		return FILTER_OK;
	united = owned_filter_copy(target);
	if (filter_plan_parameters(&united.filter.header, &source->header, &next) && owned_filter_move(&united, &next) != FILTER_OK)
		bail_out("other parameters made a filter too large");
	united.filter.remaining = 0;
	if (united.filter.header.layers == 0 ||
		(source->header.type == FILTER_CUCKOO && filter_is_empty(&united.filter) && !filter_is_empty(source)))
		status = owned_filter_adopt_layers(&united, source);
	else if (source->header.type == FILTER_BLOOM)
		status = owned_filter_unite_layers(&united, source);
	else if (!filter_is_empty(source))
	{
		FilterView	copy = owned_filter_copy_content(source);

		status = owned_filter_become_set(&united);
		if (status == FILTER_OK)
			status = owned_filter_unite_layers(&united, &copy);
		free(copy.image);
	}
	owned_filter_free(status == FILTER_OK ? target : &united);
	if (status == FILTER_OK)
		*target = united;
	return status;
}

#endif
