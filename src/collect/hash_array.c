#include "collect/hash_array.h"

#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"

uint64 *
hash_array_allocate(MemoryContext context, Size count)
{
	if (count > MaxAllocHugeSize / sizeof(uint64))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many values for one filter")));
	return MemoryContextAllocHuge(context, Max(count, 1) * sizeof(uint64));
}

Size
hash_array_sort(uint64 *hashes, Size count)
{
	uint64	   *scratch = hash_array_allocate(CurrentMemoryContext, count);

	count = filter_sort_unique(hashes, scratch, count);
	pfree(scratch);
	return count;
}
