#include "huge_memory.h"

#include <sys/mman.h>

#include "utils/memutils.h"

#include "core/pause.h"

#define HUGE_PAGE	((Size) 2 * 1024 * 1024)

void *
huge_memory_allocate(MemoryContext context, Size size)
{
	void	   *memory = MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE);

#ifdef MADV_HUGEPAGE
	/* An allocation this large has its own mapping. This is only advice; nothing depends on whether it is followed. */
	if (size >= 2 * HUGE_PAGE)
	{
		char	   *begin = (char *) TYPEALIGN(HUGE_PAGE, memory);
		char	   *end = (char *) TYPEALIGN_DOWN(HUGE_PAGE, (char *) memory + size);

		(void) madvise(begin, end - begin, MADV_HUGEPAGE);
	}
#endif
	return memory;
}

void *
huge_memory_enlarge(void *memory, Size old_size, Size size)
{
	void	   *enlarged;

	if (size < 2 * HUGE_PAGE)
		return repalloc_huge(memory, size);
	/* The kernel splits huge pages to move them, so they are copied instead. */
	enlarged = huge_memory_allocate(GetMemoryChunkContext(memory), size);
	filter_copy_bytes(enlarged, memory, old_size);
	pfree(memory);
	return enlarged;
}
