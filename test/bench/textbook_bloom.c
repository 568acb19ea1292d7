#include "textbook_bloom.h"

#include <math.h>
#include <stddef.h>

#include "core/arithmetic.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

TextbookBloom
textbook_bloom_size(uint64_t values, double rate)
{
	double		probes = -log2(rate);
	TextbookBloom bloom = {0, (unsigned) fmax(1.0, round(probes)), NULL};

	bloom.bits = (uint64_t) ceil((double) values * probes / log(2.0));
	return bloom;
}

uint64_t
textbook_bloom_bytes(const TextbookBloom *bloom)
{
	return (bloom->bits + 63) / 64 * 8;
}

void
textbook_bloom_add(const TextbookBloom *bloom, uint64_t hash)
{
	uint64_t	step = hash * STEP | 1;

	for (unsigned i = 0; i < bloom->probes; i++, hash += step)
	{
		uint64_t	bit = multiply_high(hash, bloom->bits);

		bloom->words[bit / 64] |= UINT64_C(1) << (bit % 64);
	}
}

bool
textbook_bloom_contains(const TextbookBloom *bloom, uint64_t hash)
{
	uint64_t	step = hash * STEP | 1;

	for (unsigned i = 0; i < bloom->probes; i++, hash += step)
	{
		uint64_t	bit = multiply_high(hash, bloom->bits);

		if ((bloom->words[bit / 64] >> (bit % 64) & 1) == 0)
			return false;
	}
	return true;
}
