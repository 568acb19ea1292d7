#include "build/hash_array.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"

#define MAX_RUN 65536

uint64 *
hash_array_allocate(MemoryContext context, Size count)
{
	if (count > MaxAllocHugeSize / sizeof(uint64))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many values for one filter")));
	return MemoryContextAllocHuge(context, Max(count, 1) * sizeof(uint64));
}

bool
hash_array_visit(const uint64 *hashes, Size count, HashVisitor visitor, void *argument)
{
	for (Size begin = 0; begin < count; begin += MAX_RUN)
	{
		CHECK_FOR_INTERRUPTS();
		if (!visitor(hashes + begin, Min(count - begin, MAX_RUN), argument))
			return false;
	}
	return true;
}
