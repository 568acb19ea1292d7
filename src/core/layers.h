/*
 * The methods that each filter type implements for its layers, to which core/filter.c dispatches; and functions on
 * layers that both types use.
 */
#ifndef FILTER_LAYERS_H
#define FILTER_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image.h"
#include "core/status.h"

/* Choose the geometry of a layer for a capacity and rate. With `grows`, the layer is to follow the newest. */
typedef FilterStatus (*ChooseGeometry) (const Filter *filter, bool grows, uint64_t capacity, double rate,
										FilterLayer *layer, double *bytes);

/* Arguments and results are those of the functions of core/filter.h whose names end in the same words. */
typedef struct FilterMethods
{
	ChooseGeometry choose_geometry;
	FilterStatus (*add) (Filter *filter, uint64_t hash, bool unique, bool *changed);

	/* Add some of the first hashes at once, if possible, and return how many. For cuckoo filters, not unique. */
	size_t		(*add_run) (Filter *filter, const uint64_t *hashes, size_t count, bool *changed);
	FilterStatus (*build) (Filter *filter, const uint64_t *hashes, size_t count, bool cover);

	/* `sampled`: an estimate from a sample, for a layer larger than the sample. */
	double		(*layer_cardinality) (const Filter *filter, uint32_t layer, bool sampled);
	double		(*layer_rate_now) (const Filter *filter, uint32_t layer);
	double		(*layer_fill) (const Filter *filter, uint32_t layer);

	bool		(*can_merge_layer) (const Filter *target, uint32_t target_layer,
									const Filter *source, uint32_t source_layer);
	/* If target does not grow: as filter_merge_into_fixed does it. */
	FilterStatus (*merge_layer) (Filter *target, uint32_t target_layer, const Filter *source, uint32_t source_layer);
} FilterMethods;

/* filter_contains */
extern bool layers_contain(const Filter *filter, uint64_t hash);

/* The fraction of the filter's rate that the layer with this index may have. */
extern double filter_layer_rate_fraction(uint32_t layer);

/* Copy the bits of a layer between images in which it has the same geometry. */
extern void filter_copy_layer(const Filter *to, uint32_t to_layer, const Filter *from, uint32_t from_layer);

extern bool filter_layer_is_empty(const Filter *filter, uint32_t layer);

/* filter_append_layer, with the type's function for choosing a geometry. */
extern FilterStatus layers_append(Filter *filter, ChooseGeometry choose, uint64_t capacity, double *bytes);

/*
 * A sample of a large layer: stretches as long as a page of memory, at multiples of the golden ratio. This spreads them
 * evenly over the layer, and also over the positions in a page of a cuckoo layer, whose halves are not equally full.
 */
#define SAMPLE_STRETCHES		UINT64_C(64)
#define SAMPLE_STRETCH_BYTES	UINT64_C(4096)
#define SAMPLE_STEP				UINT64_C(0x9e3779b97f4a7c15)

/* The first unit of the stretch with the given index, in a layer of `units` units; a stretch has `length`. */
static inline uint64_t
filter_sample_start(uint64_t index, uint64_t length, uint64_t units)
{
	return ((index * SAMPLE_STEP >> 32) * (units - length)) >> 32;
}

#endif
