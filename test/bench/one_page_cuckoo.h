/*
 * The windowed cuckoo table of core/cuckoo.h as a single page, filled in no order by a plain random walk: the cost of
 * building without cache-sized pages, without sorting, and without searching for the shortest way.
 */
#ifndef BENCH_ONE_PAGE_CUCKOO_H
#define BENCH_ONE_PAGE_CUCKOO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OnePageCuckoo
{
	uint64_t	windows;		/* in each half */
	unsigned	slot_bits;		/* at most 28 */
	uint8_t    *slots;			/* one_page_cuckoo_bytes of them, zeroed, owned by the caller */
} OnePageCuckoo;

extern uint64_t one_page_cuckoo_bytes(const OnePageCuckoo *cuckoo);

/* False, with a value lost, if the table is full. */
extern bool one_page_cuckoo_add(const OnePageCuckoo *cuckoo, uint64_t hash);

#endif
