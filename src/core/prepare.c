#include "core/prepare.h"

#include "core/layers.h"

static bool
contains_in_any(const void *in, uint64_t hash)
{
	return filter_contains(*(const Filter *const *) in, hash);
}

void
filter_prepare(PreparedFilter *prepared, Filter *filter)
{
	prepared->filter = filter;
	if (!filter_is_plain(filter))
	{
		prepared->contains = contains_in_any;
		prepared->in.filter = filter;
	}
	else if (filter->type == FILTER_BLOOM)
	{
		prepared->in.bloom = filter_bloom_layer(filter, 0);
		prepared->contains = bloom_lookup(&prepared->in.bloom);
	}
	else
	{
		prepared->in.cuckoo = filter_cuckoo_layer(filter, 0);
		prepared->contains = cuckoo_lookup();
	}
}
