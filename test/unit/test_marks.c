/*
 * Counting distinct hashes by marks, against sorting them.
 */
#include <string.h>

#include "core/hash_sort.h"
#include "random.h"
#include "tap.h"

#define MOST 200000
#define SKIPPED 6

static const size_t sizes[] = {1, 2, 3, 64, 1000, 4096, 65536, 78125, MOST};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static uint64_t hashes[MOST];
static uint64_t candidates[MOST];
static uint64_t scratch[MOST];

/* The number of distinct hashes according to marks, which are set and read in two parts; *found of them are candidates. */
static size_t
count_by_marks(size_t count, unsigned bits, size_t *found)
{
	HashMarks	marks = {NULL, bits, SKIPPED};
	size_t		half = count / 2;

	marks.words = zeroed_memory(filter_mark_words(bits) * sizeof(uint64_t));
	filter_mark(&marks, hashes, half);
	filter_mark(&marks, hashes + half, count - half);
	*found = filter_marked_again(&marks, hashes, half, candidates);
	*found += filter_marked_again(&marks, hashes + half, count - half, candidates + *found);
	free(marks.words);
	return count - *found + filter_sort_unique(candidates, scratch, *found);
}

/* Hashes that agree in their first bits: random ones among `different` values, or any if that is 0; shifted left. */
static void
make(size_t count, uint64_t different, unsigned shift, Random *random)
{
	for (size_t i = 0; i < count; i++)
	{
		uint64_t	number = random_next(random);

		if (different > 0)
			number = (number % different + 1) * UINT64_C(0x9e3779b97f4a7c15);
		hashes[i] = number << shift >> SKIPPED | UINT64_C(0x15) << (64 - SKIPPED);
	}
}

static void
test_count(const char *name, uint64_t different_of_a_thousand, unsigned shift, bool is_random)
{
	uint64_t	failed = 0;
	Random		random = {different_of_a_thousand + shift};

	for (size_t i = 0; i < SIZES; i++)
	{
		size_t		count = sizes[i];
		size_t		found,
					few_found,
					counted,
					counted_by_few;

		make(count, different_of_a_thousand * (count / 1000 + 1), shift, &random);
		counted = count_by_marks(count, filter_mark_bits(count), &found);
		/* With the fewest bits nearly every hash is a candidate, and the count is still exact. */
		counted_by_few = count_by_marks(count, 6, &few_found);
		if (is_random && count >= 1000 && found > count / 8)
			wrong(&failed, "%u of %u hashes are candidates", (unsigned) found, (unsigned) count);
		(void) memcpy(candidates, hashes, count * sizeof(uint64_t));
		if (filter_sort_unique(candidates, scratch, count) != counted || counted_by_few != counted)
			wrong(&failed, "%u of %u hashes are distinct", (unsigned) counted, (unsigned) count);
	}
	none_wrong(failed, "distinct hashes: %s", name);
}

int
main(void)
{
	test_count("all different", 0, 0, true);
	test_count("some twice", 5000, 0, false);
	test_count("few different", 10, 0, false);
	test_count("the same in all bits that choose a position", 0, 40, false);
	return done_testing();
}
