/*
 * bench_build VALUES REPETITIONS [SLOW_REPETITIONS]: nanoseconds per value to build sets of VALUES values. Memory is
 * allocated and zeroed before the clock starts. At 100 million values some baselines take minutes, so they may have
 * fewer repetitions.
 */
#include <string.h>

#include "core/hash_sort.h"
#include "hash_set.h"
#include "measure.h"
#include "members.h"
#include "one_page_cuckoo.h"
#include "plain_cuckoo.h"
#include "random_access.h"
#include "textbook_bloom.h"

#define MIN_VALUES		2000000	/* small sets are built repeatedly, for at least this many values in total */
#define SMALL_BLOOM		1000000
#define BLOOM_RATE		0.01
#define CUCKOO_RATE		0.001

typedef struct Bench
{
	uint64_t	values;
	uint64_t   *members;		/* sorted */
	uint64_t   *unsorted;
	uint64_t   *scratch;
	OwnedFilter bloom;
	OwnedFilter cuckoo;
	uint64_t	small_values;	/* a Bloom filter that fits the cache */
	uint64_t   *small_members;
	OwnedFilter small_bloom;
	TextbookBloom textbook;
	PlainCuckoo plain;
	OnePageCuckoo one_page;
	HashSet		hash_set;
	uint64_t   *words;			/* as many bytes as the cuckoo filter */
	uint64_t	word_count;
} Bench;

/* Clear a set, and build it; returns the nanoseconds that building took. */
typedef double (*Build) (Bench *bench);

static void
clear_filter(OwnedFilter *owned)
{
	memset(owned->image + owned->filter.header.layer[0].offset, 0, owned->filter.header.layer[0].bytes);
	owned->filter.remaining = 0;
}

static double
build_filter(OwnedFilter *owned, const uint64_t *hashes, uint64_t count)
{
	double		start;

	clear_filter(owned);
	start = processor_ns();
	if (filter_build(&owned->filter, hashes, count) != FILTER_OK)
		bail_out("values that fitted before do not fit");
	return processor_ns() - start;
}

static double
build_bloom(Bench *bench)
{
	return build_filter(&bench->bloom, bench->members, bench->values);
}

static double
build_cuckoo(Bench *bench)
{
	return build_filter(&bench->cuckoo, bench->members, bench->values);
}

static double
build_small_bloom(Bench *bench)
{
	return build_filter(&bench->small_bloom, bench->small_members, bench->small_values);
}

/* Add hashes in random order, as from a table, in runs. */
static double
add_to_bloom(Bench *bench)
{
	uint64_t	hashes[1024];
	double		start;

	clear_filter(&bench->bloom);
	start = processor_ns();
	for (uint64_t from = 0; from < bench->values;)
	{
		size_t		count = 0,
					done;
		bool		changed = false;

		while (count < sizeof(hashes) / sizeof(hashes[0]) && from < bench->values)
			hashes[count++] = hash_of_index(from++);
		if (filter_add_all(&bench->bloom.filter, hashes, count, false, &done, &changed) != FILTER_OK)
			return processor_ns() - start;	/* by its estimate, full one or two values too early */
	}
	return processor_ns() - start;
}

static double
sort_members(Bench *bench)
{
	double		start;

	for (uint64_t i = 0; i < bench->values; i++)
		bench->unsorted[i] = hash_of_index(i);
	start = processor_ns();
	(void) filter_sort_unique(bench->unsorted, bench->scratch, bench->values);
	return processor_ns() - start;
}

static double
build_textbook(Bench *bench)
{
	double		start;

	memset(bench->textbook.words, 0, textbook_bloom_bytes(&bench->textbook));
	start = processor_ns();
	for (uint64_t i = 0; i < bench->values; i++)
		textbook_bloom_add(&bench->textbook, hash_of_index(i));
	return processor_ns() - start;
}

static double
build_plain(Bench *bench)
{
	double		start;

	memset(bench->plain.slots, 0, plain_cuckoo_bytes(&bench->plain));
	start = processor_ns();
	for (uint64_t i = 0; i < bench->values; i++)
		if (!plain_cuckoo_add(&bench->plain, hash_of_index(i)))
			bail_out("the plain cuckoo filter is full");
	return processor_ns() - start;
}

static double
build_one_page(Bench *bench)
{
	double		start;

	memset(bench->one_page.slots, 0, one_page_cuckoo_bytes(&bench->one_page));
	start = processor_ns();
	for (uint64_t i = 0; i < bench->values; i++)
		if (!one_page_cuckoo_add(&bench->one_page, hash_of_index(i)))
			bail_out("the cuckoo table of one page is full");
	return processor_ns() - start;
}

static double
build_hash_set(Bench *bench)
{
	double		start;

	memset(bench->hash_set.hashes, 0, bench->hash_set.slots * sizeof(uint64_t));
	start = processor_ns();
	for (uint64_t i = 0; i < bench->values; i++)
		hash_set_add(&bench->hash_set, hash_of_index(i));
	return processor_ns() - start;
}

static double
modify_words(Bench *bench)
{
	double		start;

	memset(bench->words, 0, bench->word_count * sizeof(uint64_t));
	start = processor_ns();
	random_modify(bench->words, bench->word_count, 0, bench->values);
	return processor_ns() - start;
}

static void
measure(Bench *bench, const char *name, Build build, uint64_t values, unsigned repetition)
{
	double		nanoseconds = 0.0;
	uint64_t	built = 0;

	do
	{
		nanoseconds += build(bench);
		built += values;
	} while (built < MIN_VALUES);
	print_measurement("build", name, (double) bench->values, repetition, nanoseconds / (double) built);
}

int
main(int argc, char **argv)
{
	Bench		bench;
	unsigned	repetitions,
				slow_repetitions;

	if (argc < 3 || argc > 4)
	{
		fprintf(stderr, "usage: bench_build VALUES REPETITIONS [SLOW_REPETITIONS]\n");
		return EXIT_FAILURE;
	}
	memset(&bench, 0, sizeof(bench));
	bench.values = number_argument(argv[1]);
	repetitions = (unsigned) number_argument(argv[2]);
	slow_repetitions = argc > 3 ? (unsigned) number_argument(argv[3]) : repetitions;

	bench.members = sorted_members(bench.values);
	bench.bloom = filter_of(FILTER_BLOOM, BLOOM_RATE, bench.members, bench.values);
	bench.cuckoo = filter_of(FILTER_CUCKOO, CUCKOO_RATE, bench.members, bench.values);
	bench.small_values = bench.values < SMALL_BLOOM ? bench.values : SMALL_BLOOM;
	bench.small_members = sorted_members(bench.small_values);
	bench.small_bloom = filter_of(FILTER_BLOOM, BLOOM_RATE, bench.small_members, bench.small_values);

	bench.textbook = textbook_bloom_size(bench.values, BLOOM_RATE);
	bench.textbook.words = zeroed_memory(textbook_bloom_bytes(&bench.textbook));
	bench.plain = plain_cuckoo_size(bench.values);
	bench.plain.slots = zeroed_memory(plain_cuckoo_bytes(&bench.plain));
	bench.one_page.windows = (uint64_t) bench.cuckoo.filter.header.layer[0].count * (bench.cuckoo.filter.header.layer[0].size + 1) - 1;
	bench.one_page.slot_bits = bench.cuckoo.filter.header.layer[0].width;
	bench.one_page.slots = zeroed_memory(one_page_cuckoo_bytes(&bench.one_page));
	bench.hash_set = hash_set_size(bench.values);
	bench.hash_set.hashes = zeroed_memory(bench.hash_set.slots * sizeof(uint64_t));
	bench.word_count = bench.cuckoo.image_bytes / sizeof(uint64_t);
	bench.words = zeroed_memory(bench.word_count * sizeof(uint64_t));

	for (unsigned repetition = 1; repetition <= repetitions; repetition++)
	{
		measure(&bench, "Bloom, 1%", build_bloom, bench.values, repetition);
		measure(&bench, "Bloom, 1%, of 1 million", build_small_bloom, bench.small_values, repetition);
		measure(&bench, "Bloom, 1%, unsorted", add_to_bloom, bench.values, repetition);
		measure(&bench, "random modify", modify_words, bench.values, repetition);
		measure(&bench, "cuckoo, 0.1%", build_cuckoo, bench.values, repetition);
		if (repetition > slow_repetitions)
			continue;
		measure(&bench, "one page, plain walk", build_one_page, bench.values, repetition);
		measure(&bench, "plain cuckoo, 12 bits", build_plain, bench.values, repetition);
		measure(&bench, "textbook Bloom, 1%", build_textbook, bench.values, repetition);
		measure(&bench, "hash set", build_hash_set, bench.values, repetition);
	}

	/* Sorting needs two large arrays, and the hash set is no longer needed. */
	free(bench.hash_set.hashes);
	bench.unsorted = zeroed_memory(bench.values * sizeof(uint64_t));
	bench.scratch = zeroed_memory(bench.values * sizeof(uint64_t));
	for (unsigned repetition = 1; repetition <= slow_repetitions; repetition++)
		measure(&bench, "sort", sort_members, bench.values, repetition);

	free(bench.unsorted);
	free(bench.scratch);
	free(bench.words);
	free(bench.one_page.slots);
	free(bench.plain.slots);
	free(bench.textbook.words);
	free(bench.members);
	free(bench.small_members);
	owned_filter_free(&bench.bloom);
	owned_filter_free(&bench.cuckoo);
	owned_filter_free(&bench.small_bloom);
	return EXIT_SUCCESS;
}
