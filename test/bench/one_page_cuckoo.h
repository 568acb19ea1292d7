/*
 * The windowed cuckoo table of core/cuckoo.h as one page, filled by a plain random walk: what building costs without pages
 * that fit the cache, without an order, and without looking a step ahead.
 */
#ifndef BENCH_ONE_PAGE_CUCKOO_H
#define BENCH_ONE_PAGE_CUCKOO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OnePageCuckoo
{
	uint64_t	windows;		/* in each half */
	unsigned	slot_bits;		/* at most 28 */
	uint8_t    *slots;			/* one_page_cuckoo_bytes of them, zeroed; the caller's */
} OnePageCuckoo;

extern uint64_t one_page_cuckoo_bytes(const OnePageCuckoo *cuckoo);

/* False, and a value lost, when the table is full. */
extern bool one_page_cuckoo_add(const OnePageCuckoo *cuckoo, uint64_t hash);

#endif
