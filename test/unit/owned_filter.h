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
	Filter		filter;			/* a view of the image */
	uint8_t    *image;			/* exactly image_bytes long */
	uint64_t	image_bytes;
} OwnedFilter;

/* Allocate the filter's image; false, with nothing allocated, if it would be too large. */
static inline bool
owned_filter_allocate(OwnedFilter *owned)
{
	double		bytes;

	if (filter_lay_out(&owned->filter, &bytes) != FILTER_OK)
		return false;
	owned->image_bytes = (uint64_t) bytes;
	owned->image = zeroed_memory(owned->image_bytes);
	filter_write_header(&owned->filter, owned->image);
	return true;
}

/* Move to a new image, with a header in which the filter's present layers come first. */
static inline FilterStatus
owned_filter_move(OwnedFilter *owned, const Filter *next)
{
	OwnedFilter moved = {.filter = *next};

	if (!owned_filter_allocate(&moved))
		return FILTER_TOO_LARGE;
	for (uint32_t layer = 0; layer < owned->filter.layers; layer++)
		filter_copy_layer(&moved.filter, layer, &owned->filter, layer);
	free(owned->image);
	*owned = moved;
	return FILTER_OK;
}

/* Append a layer; capacity 0 means twice that of the newest. */
static inline FilterStatus
owned_filter_grow(OwnedFilter *owned, uint64_t capacity)
{
	Filter		next = owned->filter;
	double		bytes;
	FilterStatus status = filter_append_layer(&next, capacity, &bytes);

	if (status != FILTER_OK)
		return status;
	next.room = 0;
	return owned_filter_move(owned, &next);
}

/* An empty filter with one layer, or with none if the capacity is 0. */
static inline OwnedFilter
owned_filter_create(FilterType type, uint64_t capacity, double rate)
{
	OwnedFilter owned;
	double		bytes;

	memset(&owned, 0, sizeof(owned));
	if (filter_init(&owned.filter, type, rate) != FILTER_OK ||
		(capacity > 0 && filter_append_layer(&owned.filter, capacity, &bytes) != FILTER_OK) ||
		!owned_filter_allocate(&owned))
		bail_out("a filter of moderate size could not be created");
	return owned;
}

/* Set the kind of value of a filter. */
static inline void
owned_filter_set_kind(OwnedFilter *owned, ValueKindCode code, const char *name)
{
	Filter		next = owned->filter;

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
	copy.filter.kind.name = (const char *) copy.image + (from->filter.kind.name - (const char *) from->image);
	return copy;
}

static inline void
owned_filter_free(OwnedFilter *owned)
{
	free(owned->image);
	memset(owned, 0, sizeof(*owned));
}

/* Add one value; growing if there is no room. */
static inline FilterStatus
owned_filter_add(OwnedFilter *owned, uint64_t hash, bool unique)
{
	for (;;)
	{
		bool		changed;
		FilterStatus status = filter_add(&owned->filter, hash, unique, &changed);

		if (status != FILTER_FULL)
			return status;
		status = owned_filter_grow(owned, 0);
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
			status = owned_filter_grow(owned, 0);
		if (status != FILTER_OK)
			return status;
	}
	return FILTER_OK;
}

/* Merge a layer into another; no change if it does not fit. */
static inline bool
owned_filter_merge_layer(Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer)
{
	const FilterLayer *layer = &target->layer[target_layer];
	uint8_t    *backup;
	bool		merged;

	if (!filter_can_merge_layer(target, target_layer, source, source_layer))
		return false;
	backup = zeroed_memory(layer->bytes);
	memcpy(backup, target->image + layer->offset, (size_t) layer->bytes);
	merged = filter_merge_layer(target, target_layer, source, source_layer) == FILTER_OK;
	if (!merged)
		memcpy(target->image + layer->offset, backup, (size_t) layer->bytes);
	free(backup);
	return merged;
}

/* Merge layers where their entries fit, and remove empty ones, but keep at least one. */
static inline void
owned_filter_compact(OwnedFilter *owned)
{
	OwnedFilter kept = *owned;
	bool		gone[FILTER_MAX_LAYERS] = {false};
	uint32_t	from[FILTER_MAX_LAYERS];

	for (uint32_t layer = owned->filter.layers; layer-- > 0;)
	{
		gone[layer] = filter_layer_is_empty(&owned->filter, layer);
		for (uint32_t older = 0; older < layer && !gone[layer]; older++)
			gone[layer] = owned_filter_merge_layer(&owned->filter, older, &owned->filter, layer);
	}

	kept.filter.layers = 0;
	for (uint32_t layer = 0; layer < owned->filter.layers; layer++)
	{
		uint32_t	next = kept.filter.layers;

		/* A filter that became empty keeps its first layer. */
		if (gone[layer] && !(layer == owned->filter.layers - 1 && next == 0))
			continue;
		from[next] = gone[layer] ? 0 : layer;
		kept.filter.layer[kept.filter.layers++] = owned->filter.layer[from[next]];
	}
	kept.filter.room = 0;
	kept.filter.crowded = owned->filter.crowded;
	if (!owned_filter_allocate(&kept))
		bail_out("the compacted filter is too large");
	for (uint32_t layer = 0; layer < kept.filter.layers; layer++)
		filter_copy_layer(&kept.filter, layer, &owned->filter, from[layer]);
	owned_filter_free(owned);
	*owned = kept;
}

/* The union of filters that do not grow. An error leaves the target unchanged. */
static inline FilterStatus
owned_filter_unite_fixed(OwnedFilter *target, const Filter *source)
{
	OwnedFilter united = owned_filter_copy(target);
	FilterStatus status;

	if (source->layer[0].capacity > united.filter.layer[0].capacity)
		united.filter.layer[0].capacity = source->layer[0].capacity;
	if (source->rate > united.filter.rate)
		united.filter.rate = source->rate;
	filter_write_header(&united.filter, united.image);
	status = filter_merge_fixed(&united.filter, source);
	owned_filter_free(status == FILTER_OK ? target : &united);
	if (status == FILTER_OK)
		*target = united;
	return status;
}

/*
 * Merge the layers of a source of the same kind into those of the target, or append them. FILTER_TOO_MANY_LAYERS and
 * FILTER_TOO_LARGE leave the target with a part of the source. If they do not grow, see above; FILTER_OTHER_GEOMETRY if only
 * one of them does.
 */
static inline FilterStatus
owned_filter_unite(OwnedFilter *target, const Filter *source)
{
	uint32_t	layers = target->filter.layers;
	Filter		next = target->filter;
	uint32_t	appended[FILTER_MAX_LAYERS];
	FilterStatus status;

	if (target->filter.fixed != source->fixed)
		return FILTER_OTHER_GEOMETRY;
	if (source->fixed)
		return owned_filter_unite_fixed(target, source);
	if (source->layers == 0)
		return FILTER_OK;
	next.rate = layers == 0 || next.rate < source->rate ? source->rate : next.rate;
	for (uint32_t i = 0; i < source->layers; i++)
	{
		bool		merged = false;

		if (layers > 0 && filter_layer_is_empty(source, i))
			continue;
		for (uint32_t layer = 0; layer < layers && !merged; layer++)
			merged = filter_same_geometry(&target->filter.layer[layer], &source->layer[i]) &&
				owned_filter_merge_layer(&target->filter, layer, source, i);
		if (merged)
			continue;
		if (next.layers == FILTER_MAX_LAYERS)
			return FILTER_TOO_MANY_LAYERS;
		appended[next.layers] = i;
		next.layer[next.layers++] = source->layer[i];
	}
	next.room = 0;
	if (source->crowded || target->filter.crowded)
		filter_set_crowded(&next);
	if ((status = owned_filter_move(target, &next)) != FILTER_OK)
		return status;
	for (uint32_t layer = layers; layer < next.layers; layer++)
		filter_copy_layer(&target->filter, layer, source, appended[layer]);
	return FILTER_OK;
}

#endif
