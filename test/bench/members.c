#include "members.h"

#include "core/hash_sort.h"

uint64_t *
sorted_members(size_t count)
{
	uint64_t   *hashes = zeroed_memory(count * sizeof(uint64_t));
	uint64_t   *scratch = zeroed_memory(count * sizeof(uint64_t));

	for (size_t i = 0; i < count; i++)
		hashes[i] = hash_of_index(i);
	if (filter_sort_unique(hashes, scratch, count) != count)
		bail_out("the members are not distinct");
	free(scratch);
	return hashes;
}

OwnedFilter
filter_of(FilterType type, double rate, const uint64_t *hashes, size_t count)
{
	OwnedFilter owned = owned_filter_create(type, count, rate);

	while (filter_build(&owned.filter, hashes, count) != FILTER_OK)
	{
		double		bytes;

		free(owned.image);
		owned.filter.image = NULL;
		if (filter_enlarge_newest(&owned.filter.header, &bytes) != FILTER_OK || !owned_filter_allocate(&owned))
			bail_out("a filter could not be enlarged");
	}
	return owned;
}
