/*
 * The textbook Bloom filter: k bits per value, anywhere in the filter (Bloom, 1970), chosen by double hashing (Kirsch,
 * Mitzenmacher, 2006).
 */
#ifndef BENCH_TEXTBOOK_BLOOM_H
#define BENCH_TEXTBOOK_BLOOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TextbookBloom
{
	uint64_t	bits;
	unsigned	probes;
	uint64_t   *words;			/* textbook_bloom_bytes of them, zeroed, owned by the caller */
} TextbookBloom;

/* The size for a number of values at a rate; the caller allocates the memory. */
extern TextbookBloom textbook_bloom_size(uint64_t values, double rate);
extern uint64_t textbook_bloom_bytes(const TextbookBloom *bloom);

extern void textbook_bloom_add(const TextbookBloom *bloom, uint64_t hash);
extern bool textbook_bloom_contains(const TextbookBloom *bloom, uint64_t hash);

#endif
