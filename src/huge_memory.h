/*
 * Large pieces of memory that are filled once: with pages of 4 kB the kernel is entered for each of them, which takes
 * longer than filling it (2 us a page on a virtual machine: a third of the time to sort some million hashes).
 */
#ifndef FILTER_HUGE_MEMORY_H
#define FILTER_HUGE_MEMORY_H

#include "postgres.h"

/* MemoryContextAllocExtended with MCXT_ALLOC_HUGE, in huge pages where it is large and the system has them. */
extern void *huge_memory_allocate(MemoryContext context, Size size);

/* repalloc_huge, likewise; old_size bytes of it are in use. */
extern void *huge_memory_enlarge(void *memory, Size old_size, Size size);

#endif
