/*
 * The machine's limit: one random memory access per value, none of which waits for another, and nothing else.
 */
#ifndef BENCH_RANDOM_ACCESS_H
#define BENCH_RANDOM_ACCESS_H

#include <stddef.h>
#include <stdint.h>

/* The sum of the words that the hashes choose. */
extern uint64_t random_read(const uint64_t *words, uint64_t word_count, const uint64_t *hashes, size_t count);

/* Add one to each of the words that the next numbers of a random sequence choose. */
extern void random_modify(uint64_t *words, uint64_t word_count, uint64_t seed, size_t count);

#endif
