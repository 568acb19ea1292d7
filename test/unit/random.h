/*
 * Random numbers that are the same in every run and on every machine: SplitMix64 (Steele, Lea, Flood, 2014).
 */
#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct Random
{
	uint64_t	state;			/* the seed: any number */
} Random;

static inline uint64_t
random_next(Random *random)
{
	uint64_t	mixed = (random->state += UINT64_C(0x9e3779b97f4a7c15));

	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ (mixed >> 31);
}

/* 0 .. limit - 1; the bias is negligible for limits far below 2^64. */
static inline uint64_t
random_below(Random *random, uint64_t limit)
{
	return random_next(random) % limit;
}

static inline void
random_fill(Random *random, uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = random_next(random);
}

#endif
