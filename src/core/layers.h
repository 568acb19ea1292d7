/*
 * Below core/filter.c: the methods that each filter type implements, and functions on layers that both types use.
 */
#ifndef FILTER_LAYERS_H
#define FILTER_LAYERS_H

#include "core/image.h"

/* Arguments and results are those of the functions of core/filter.h whose names end in the same words. */
typedef struct FilterMethods
{
	/* Choose the geometry of a layer for a capacity and rate. With `grows`, the layer is to follow the newest. */
	FilterStatus (*choose_geometry) (const Filter *filter, bool grows, uint64_t capacity, double rate,
									 FilterLayer *layer, double *bytes);
	FilterStatus (*add) (Filter *filter, uint64_t hash, bool unique, bool *changed);

	/* Add some of the first hashes at once, if possible, and return how many. For cuckoo filters, not unique. */
	size_t		(*add_run) (Filter *filter, const uint64_t *hashes, size_t count, bool *changed);
	FilterStatus (*build) (Filter *filter, const uint64_t *hashes, size_t count);
	double		(*cardinality) (const Filter *filter);
	double		(*layer_rate_now) (const Filter *filter, uint32_t layer);
	double		(*layer_fill) (const Filter *filter, uint32_t layer);

	bool		(*unite_layer) (Filter *target, const Filter *source, uint32_t source_layer);
} FilterMethods;

extern const FilterMethods bloom_filter_methods;
extern const FilterMethods cuckoo_filter_methods;

static inline const FilterMethods *
filter_methods(const Filter *filter)
{
	return filter->type == FILTER_BLOOM ? &bloom_filter_methods : &cuckoo_filter_methods;
}

/*
 * Append an empty layer to a filter that is being made: with the given capacity or, if that is 0, twice that of the
 * newest layer (FILTER_DEFAULT_CAPACITY for a first one). Layers after the first have lower rates, so that the sum
 * stays within 1.5 times the filter's. FILTER_TOO_MANY_LAYERS, FILTER_TOO_LARGE; *bytes is set
 * to the size of the layer alone. FILTER_FULL for a filter that does not grow and already has its layer.
 */
extern FilterStatus filter_append_layer(Filter *filter, uint64_t capacity, double *bytes);

extern bool filter_contains(const Filter *filter, uint64_t hash);

/*
 * Copy a layer to an empty one of the same geometry. If a cuckoo layer gains counters, or its filter becomes a set, the
 * entries of each class are merged into one. Counters that the other layer does not have are dropped.
 */
extern void filter_copy_layer(const Filter *to, uint32_t to_layer, const Filter *from, uint32_t from_layer);

/* The fraction of the filter's rate that the layer with this index may have. */
extern double filter_layer_rate_fraction(uint32_t layer);

#endif
