/*
 * Large pieces of memory that are filled once. With pages of 4 kB, each page causes a page fault, which takes longer
 * than filling the page (2 us per page on a virtual machine: a third of the time to sort a few million hashes).
 */
#ifndef FILTER_HUGE_MEMORY_H
#define FILTER_HUGE_MEMORY_H

#include "postgres.h"

/* MemoryContextAllocExtended with MCXT_ALLOC_HUGE, in huge pages if the size is large and the system has them. */
extern void *huge_memory_allocate(MemoryContext context, Size size);

/* repalloc_huge, likewise; old_size bytes are in use. */
extern void *huge_memory_enlarge(void *memory, Size old_size, Size size);

#endif
