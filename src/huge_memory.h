/*
 * Memory in huge pages.
 */
#ifndef FILTER_HUGE_MEMORY_H
#define FILTER_HUGE_MEMORY_H

#include "postgres.h"

/*
 * Memory for filters that are probed in random order, as MemoryContextAllocExtended allocates it, but in huge pages if the
 * size is large and the system has them: with pages of 4 kB, most probes of a large filter miss the TLB too. Collecting and
 * sorting hashes gained nothing by huge pages.
 */
extern void *huge_memory_allocate(MemoryContext context, Size size, int flags);

#endif
