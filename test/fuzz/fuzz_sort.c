/*
 * Sorting hashes, compared with qsort. Input: two bytes for the count, which may reach the sizes that are sorted part by
 * part; one for the pattern; one for the steps between numbers; then the numbers. If there are too few, the last one is
 * repeated with changes.
 */
#include "fuzz.h"

#include "core/hash_sort.h"

static int
compare(const void *a, const void *b)
{
	uint64_t	left = *(const uint64_t *) a;
	uint64_t	right = *(const uint64_t *) b;

	return left < right ? -1 : left > right;
}

static size_t
unique_by_qsort(uint64_t *numbers, size_t count)
{
	size_t		kept = 0;

	qsort(numbers, count, sizeof(uint64_t), compare);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || numbers[i] != numbers[i - 1])
			numbers[kept++] = numbers[i];
	return kept;
}

static uint64_t *
copy_numbers(const uint64_t *numbers, size_t count)
{
	uint64_t   *copy = zeroed_memory(count * sizeof(uint64_t));

	if (count > 0)
		memcpy(copy, numbers, count * sizeof(uint64_t));
	return copy;
}

static void
check_same(const uint64_t *got, size_t count, const uint64_t *expected, size_t expected_count, const char *what)
{
	if (count != expected_count || (count > 0 && memcmp(got, expected, count * sizeof(uint64_t)) != 0))
		broken("%s: %u numbers, expected %u", what, (unsigned) count, (unsigned) expected_count);
}

void
fuzz_sort(const uint8_t *bytes, size_t length)
{
	Input		input = {bytes, length};
	size_t		count = (size_t) input_number(&input, 2);
	unsigned	pattern = (unsigned) input_number(&input, 1);
	unsigned	step = (unsigned) input_number(&input, 1);
	uint64_t   *numbers,
			   *expected,
			   *sorted,
			   *scratch;
	size_t		kept;

	/* Mostly small arrays; the largest are slightly too large to be sorted in cache. */
	if (pattern % 16 != 0)
		count %= 700;
	else
		count += 1000;
	numbers = zeroed_memory(count * sizeof(uint64_t));
	for (size_t i = 0; i < count; i++)
	{
		if (input.left > 0)
			numbers[i] = input_number(&input, 1 + pattern / 16 % 8) << 8 * (pattern / 128 * (7 - pattern / 16 % 8));
		else if (i > 0)
			numbers[i] = numbers[i - 1] * (pattern & 4 ? UINT64_C(0x9e3779b97f4a7c15) : 1) +
				(pattern & 8 ? (uint64_t) step << 40 : 1);
	}

	expected = copy_numbers(numbers, count);
	kept = unique_by_qsort(expected, count);
	sorted = copy_numbers(numbers, count);
	scratch = zeroed_memory(count * sizeof(uint64_t));
	check_same(sorted, filter_sort_unique(sorted, scratch, count), expected, kept, "sort");
	free(scratch);
	free(sorted);
	free(expected);
	free(numbers);
}
