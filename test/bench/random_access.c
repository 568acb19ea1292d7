#include "random_access.h"

#include "core/arithmetic.h"
#include "random.h"

uint64_t
random_read(const uint64_t *words, uint64_t word_count, const uint64_t *hashes, size_t count)
{
	uint64_t	sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += words[multiply_high(hashes[i], word_count)];
	return sum;
}

void
random_modify(uint64_t *words, uint64_t word_count, uint64_t seed, size_t count)
{
	Random		random = {seed};

	for (size_t i = 0; i < count; i++)
		words[multiply_high(random_next(&random), word_count)]++;
}
