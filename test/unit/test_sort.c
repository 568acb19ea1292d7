/*
 * Sorting hashes, compared with qsort.
 */
#include <string.h>

#include "core/hash_sort.h"
#include "random.h"
#include "tap.h"

#define MOST 200000

typedef enum Shape
{
	SHAPE_RANDOM,
	SHAPE_ASCENDING,
	SHAPE_DESCENDING,
	SHAPE_EQUAL,
	SHAPE_FEW_DISTINCT,
	SHAPE_ONE_HIGH_BYTE,		/* all differ, but not in their leading byte */
	SHAPE_HIGH_BYTE_ONLY,
	SHAPE_LOW_BYTE_ONLY,
	SHAPE_MIDDLE_BYTES,
	SHAPE_BOTH_ENDS,			/* all differ, but only in the first bit and the last bytes */
	SHAPE_EXTREMES,
	SHAPE_ONE_REPEATED,
	SHAPES
} Shape;

static const char *const shape_names[SHAPES] = {
	"random", "ascending", "descending", "all equal", "few distinct", "one leading byte", "differing in the leading byte",
	"differing in the last byte", "differing in the middle", "differing at both ends", "0 and the largest", "one of them twice"
};

/* Around every size at which the sort changes its method, and large enough for a second level of parts. */
static const size_t sizes[] = {
	0, 1, 2, 3, 10, 12, 13, 16, 17, 50, 127, 128, 129, 255, 256, 257, 1000, 4095, 4096, 4097, 16384, 16385, 20000, 100000,
	131071, 131072, 131073, MOST
};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static uint64_t made[MOST];
static uint64_t sorted[MOST];
static uint64_t expected[MOST];
static uint64_t scratch[MOST];

static void
make(Shape shape, size_t count, Random *random)
{
	for (size_t i = 0; i < count; i++)
	{
		uint64_t	number = random_next(random);

		switch (shape)
		{
			case SHAPE_ASCENDING:
				number = i * UINT64_C(12345678901);
				break;
			case SHAPE_DESCENDING:
				number = UINT64_MAX - i * UINT64_C(12345678901);
				break;
			case SHAPE_EQUAL:
				number = UINT64_C(0x0123456789abcdef);
				break;
			case SHAPE_FEW_DISTINCT:
				number = number % 7 * UINT64_C(0x1111111111111111);
				break;
			case SHAPE_ONE_HIGH_BYTE:
				number = number >> 8 | UINT64_C(0xa5) << 56;
				break;
			case SHAPE_HIGH_BYTE_ONLY:
				number = number << 56 | 0x1234;
				break;
			case SHAPE_BOTH_ENDS:
				number = number << 63 | number >> 32;
				break;
			case SHAPE_LOW_BYTE_ONLY:
				number = (number & 0xff) | UINT64_C(0xfedcba9876543200);
				break;
			case SHAPE_MIDDLE_BYTES:
				number = number & UINT64_C(0x0000ffffff000000);
				break;
			case SHAPE_EXTREMES:
				number = number & 1 ? UINT64_MAX : 0;
				break;
			case SHAPE_ONE_REPEATED:
				if (i > 0 && i == count / 3)
					number = made[i / 2];
				break;
			default:
				break;
		}
		made[i] = number;
	}
}

static int
compare(const void *a, const void *b)
{
	uint64_t	left = *(const uint64_t *) a;
	uint64_t	right = *(const uint64_t *) b;

	return (left > right) - (left < right);
}

/* Sort and remove duplicates in the simplest way. */
static size_t
expect(uint64_t *hashes, size_t count)
{
	size_t		kept = 0;

	qsort(hashes, count, sizeof(uint64_t), compare);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || hashes[i] != hashes[i - 1])
			expected[kept++] = hashes[i];
	return kept;
}

static bool
same(const uint64_t *a, const uint64_t *b, size_t count)
{
	return count == 0 || memcmp(a, b, count * sizeof(uint64_t)) == 0;
}

static void
test_sort(Shape shape)
{
	uint64_t	failed = 0;
	Random		random = {(uint64_t) shape};

	for (size_t i = 0; i < SIZES; i++)
	{
		size_t		count = sizes[i];
		size_t		kept,
					expected_kept;

		make(shape, count, &random);
		memcpy(sorted, made, sizeof(made));
		expected_kept = expect(made, count);
		memset(scratch, 0xee, sizeof(scratch));
		kept = filter_sort_unique(sorted, scratch, count);
		if (kept != expected_kept || !same(sorted, expected, kept))
			wrong(&failed, "%s, %u hashes", shape_names[shape], (unsigned) count);
	}
	none_wrong(failed, "sort: %s", shape_names[shape]);
}

/* Hashes after the given count must not change. */
static void
test_sort_stays_inside(void)
{
	uint64_t	failed = 0;
	Random		random = {100};

	for (size_t i = 0; i < SIZES && sizes[i] < MOST; i++)
	{
		make(SHAPE_RANDOM, sizes[i], &random);
		made[sizes[i]] = 42;
		scratch[sizes[i]] = 43;
		(void) filter_sort_unique(made, scratch, sizes[i]);
		if (made[sizes[i]] != 42 || scratch[sizes[i]] != 43)
			wrong(&failed, "%u hashes", (unsigned) sizes[i]);
	}
	none_wrong(failed, "sort: nothing after the hashes changes");
}

/* Ascending runs of random lengths, with hashes that are in several runs, as workers send them that removed duplicates. */
static void
test_runs(void)
{
	uint64_t	failed = 0;
	Random		random = {200};

	for (size_t runs = 1; runs <= 20; runs++)
		for (size_t i = 0; i < SIZES; i++)
		{
			size_t		count = sizes[i];
			size_t		expected_kept;
			uint64_t	hash = 0;

			for (size_t j = 0; j < count; j++)
			{
				hash += random_next(&random) % 4;
				if (random_next(&random) % count < runs)
					hash = random_next(&random) % 16;
				made[j] = hash;
			}
			expected_kept = expect(made, count);
			if (filter_sort_unique(made, scratch, count) != expected_kept || !same(made, expected, expected_kept))
				wrong(&failed, "%u runs, %u hashes", (unsigned) runs, (unsigned) count);
		}
	none_wrong(failed, "sort: runs");
}

int
main(void)
{
	for (int shape = 0; shape < SHAPES; shape++)
		test_sort((Shape) shape);
	test_sort_stays_inside();
	test_runs();
	return done_testing();
}
