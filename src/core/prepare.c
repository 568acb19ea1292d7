#include "core/prepare.h"

#include "core/bloom_vector.h"
#include "core/cuckoo_single.h"
#include "core/filter.h"

static bool
contains_in_any(const PreparedFilter *prepared, uint64_t hash)
{
	return filter_contains(prepared->filter, hash);
}

static bool
bloom_layer_contains(const PreparedFilter *prepared, uint64_t hash)
{
	return bloom_contains_one(&prepared->layer.bloom, hash);
}

static void
prepare_bloom(PreparedFilter *prepared)
{
	BloomLayer *bloom = &prepared->layer.bloom;

	*bloom = filter_bloom_geometry(prepared->filter, 0);
	prepared->contains = bloom_layer_contains;
#if BLOOM_VECTORS_X86 || BLOOM_VECTORS_ARM
	if (bloom_can_use_vectors(bloom))
		bloom_vector_prepare(prepared);
#endif
}

static void
prepare_cuckoo(PreparedFilter *prepared)
{
	prepared->layer.cuckoo = filter_cuckoo_geometry(prepared->filter, 0);
	cuckoo_single_prepare(prepared);
}

void
filter_prepare(PreparedFilter *prepared, Filter *filter)
{
	prepared->filter = filter;
	prepared->contains = contains_in_any;
	if (filter->layers == 1 && !filter->crowded)
	{
		if (filter->type == FILTER_BLOOM)
			prepare_bloom(prepared);
		else
			prepare_cuckoo(prepared);
	}
	if (filter->image != NULL)
		prepared_move(prepared, filter->image);
}
