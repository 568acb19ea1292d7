/*
 * Memory in huge pages, by advice to the kernel about what PostgreSQL has allocated: so it belongs to a memory context, and
 * is freed with that, like any other.
 */
#include "huge_memory.h"

#include <sys/mman.h>

#include "utils/memutils.h"

#define HUGE_PAGE	((Size) 2 * 1024 * 1024)

void *
huge_memory_allocate(MemoryContext context, Size size, int flags)
{
	void	   *memory = MemoryContextAllocExtended(context, size, flags | MCXT_ALLOC_HUGE);

#ifdef MADV_HUGEPAGE
	/* An allocation this large has its own mapping. This is only advice; nothing depends on whether it is followed. */
	if (memory != NULL && size >= 2 * HUGE_PAGE)
	{
		char	   *begin = (char *) TYPEALIGN(HUGE_PAGE, memory);
		char	   *end = (char *) TYPEALIGN_DOWN(HUGE_PAGE, (char *) memory + size);

		(void) madvise(begin, end - begin, MADV_HUGEPAGE);
	}
#endif
	return memory;
}
