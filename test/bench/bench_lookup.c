/*
 * bench_lookup VALUES REPETITIONS: nanoseconds per lookup in sets of VALUES values, bits per value, and the measured
 * false positive rates.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "hash_set.h"
#include "measure.h"
#include "members.h"
#include "plain_cuckoo.h"
#include "random_access.h"
#include "textbook_bloom.h"

#define LOOKUPS			(4 * 1024 * 1024)
#define BLOOM_RATE		0.01
#define CUCKOO_RATE		0.001

/* The number of the hashes that a set contains. The caller states whether to expect most of them, or few. */
typedef size_t (*CountFound) (const void *set, const uint64_t *hashes, size_t count, bool most);

typedef struct Contender
{
	const char *name;
	CountFound	count_found;
	const void *set;
	bool		is_exact;
} Contender;

typedef struct Words
{
	const uint64_t *words;
	uint64_t	count;
} Words;

static uint64_t words_sum;

/* Adds to a variable that is used later, so that the compiler cannot drop the reads. */
static size_t
read_words(const void *set, const uint64_t *hashes, size_t count, bool most)
{
	const Words *words = set;

	words_sum += random_read(words->words, words->count, hashes, count);
	return most ? count : 0;
}

typedef size_t (*ContainsRun) (const void *set, const uint64_t *hashes, size_t count, bool wanted);

static inline size_t
count_in_runs(ContainsRun run, const void *set, const uint64_t *hashes, size_t count, bool most)
{
	size_t		other = 0;

	for (size_t at = 0; at < count; at++)
	{
		at += run(set, hashes + at, count - at, most);
		other += at < count;
	}
	return most ? count - other : other;
}

static size_t
filter_in_runs(const void *set, const uint64_t *hashes, size_t count, bool most)
{
	uint32_t	index[4096];
	size_t		found = 0;

	(void) most;
	for (size_t i = 0; i < count; i += 4096)
		found += filter_contained(set, hashes + i, count - i < 4096 ? count - i : 4096, index);
	return found;
}

static size_t
run_of_plain_cuckoo(const void *set, const uint64_t *hashes, size_t count, bool wanted)
{
	return plain_cuckoo_contains_run(set, hashes, count, wanted);
}

static size_t
plain_cuckoo_in_runs(const void *set, const uint64_t *hashes, size_t count, bool most)
{
	return count_in_runs(run_of_plain_cuckoo, set, hashes, count, most);
}

#define COUNT_ONE_BY_ONE(name, contains) \
	static size_t \
	name(const void *set, const uint64_t *hashes, size_t count, bool most) \
	{ \
		size_t		found = 0; \
		\
		(void) most; \
		for (size_t i = 0; i < count; i++) \
			found += contains(set, hashes[i]); \
		return found; \
	}

COUNT_ONE_BY_ONE(filter_one_by_one, filter_contains)
COUNT_ONE_BY_ONE(plain_cuckoo_one_by_one, plain_cuckoo_contains)
COUNT_ONE_BY_ONE(textbook_bloom_one_by_one, textbook_bloom_contains)
COUNT_ONE_BY_ONE(hash_set_one_by_one, hash_set_contains)

static void
measure(const char *topic, const Contender *contenders, size_t contender_count, const uint64_t *hashes, bool present,
		uint64_t values, unsigned repetitions)
{
	for (unsigned repetition = 0; repetition <= repetitions; repetition++)
		for (size_t i = 0; i < contender_count; i++)
		{
			const Contender *contender = &contenders[i];
			double		start = processor_ns();
			size_t		found = contender->count_found(contender->set, hashes, LOOKUPS, present);
			double		nanoseconds = processor_ns() - start;

			if (present ? found != LOOKUPS : contender->is_exact && found != 0)
				bail_out(contender->name);
			/* The first repetition fills the caches. */
			if (repetition > 0)
				print_measurement(topic, contender->name, (double) values, repetition, nanoseconds / LOOKUPS);
			else if (!present && !contender->is_exact)
				print_measurement("false positives", contender->name, (double) values, 1, (double) found / LOOKUPS);
		}
}

static void
print_bits(const char *name, uint64_t bytes, uint64_t values)
{
	print_measurement("bits by size", name, (double) values, 1, (double) bytes * 8.0 / (double) values);
}

int
main(int argc, char **argv)
{
	uint64_t	values,
			   *members,
			   *absent,
			   *present;
	unsigned	repetitions;
	OwnedFilter bloom,
				cuckoo;
	TextbookBloom textbook;
	PlainCuckoo plain;
	HashSet		hash_set;
	Words		words;

	if (argc != 3)
	{
		fprintf(stderr, "usage: bench_lookup VALUES REPETITIONS\n");
		return EXIT_FAILURE;
	}
	values = number_argument(argv[1]);
	repetitions = (unsigned) number_argument(argv[2]);

	members = sorted_members(values);
	bloom = filter_of(FILTER_BLOOM, BLOOM_RATE, members, values);
	cuckoo = filter_of(FILTER_CUCKOO, CUCKOO_RATE, members, values);
	free(members);

	textbook = textbook_bloom_size(values, BLOOM_RATE);
	textbook.words = zeroed_memory(textbook_bloom_bytes(&textbook));
	plain = plain_cuckoo_size(values);
	plain.slots = zeroed_memory(plain_cuckoo_bytes(&plain));
	hash_set = hash_set_size(values);
	hash_set.hashes = zeroed_memory(hash_set.slots * sizeof(uint64_t));
	for (uint64_t i = 0; i < values; i++)
	{
		uint64_t	hash = hash_of_index(i);

		textbook_bloom_add(&textbook, hash);
		if (!plain_cuckoo_add(&plain, hash))
			bail_out("the plain cuckoo filter is full");
		hash_set_add(&hash_set, hash);
	}
	words.count = bloom.image_bytes / sizeof(uint64_t);
	words.words = (const uint64_t *) bloom.image;

	print_bits("Bloom, 1%", bloom.image_bytes, values);
	print_bits("cuckoo, 0.1%", cuckoo.image_bytes, values);
	print_bits("textbook Bloom, 1%", textbook_bloom_bytes(&textbook), values);
	print_bits("plain cuckoo, 12 bits", plain_cuckoo_bytes(&plain), values);
	print_bits("hash set", hash_set.slots * sizeof(uint64_t), values);

	absent = zeroed_memory(LOOKUPS * sizeof(uint64_t));
	present = zeroed_memory(LOOKUPS * sizeof(uint64_t));
	for (uint64_t i = 0; i < LOOKUPS; i++)
	{
		absent[i] = hash_of_index(values + i);
		present[i] = hash_of_index(multiply_high(hash_of_index(values + LOOKUPS + i), values));
	}

	{
		const Contender contenders[] = {
			{"random read", read_words, &words, true},
			{"Bloom, 1%, in runs", filter_in_runs, &bloom.filter, false},
			{"Bloom, 1%", filter_one_by_one, &bloom.filter, false},
			{"textbook Bloom, 1%", textbook_bloom_one_by_one, &textbook, false},
			{"cuckoo, 0.1%, in runs", filter_in_runs, &cuckoo.filter, false},
			{"plain cuckoo, 12 bits, in runs", plain_cuckoo_in_runs, &plain, false},
			{"cuckoo, 0.1%", filter_one_by_one, &cuckoo.filter, false},
			{"plain cuckoo, 12 bits", plain_cuckoo_one_by_one, &plain, false},
			{"hash set", hash_set_one_by_one, &hash_set, true},
		};
		size_t		count = sizeof(contenders) / sizeof(contenders[0]);

		measure("lookup of absent values", contenders, count, absent, false, values, repetitions);
		measure("lookup of present values", contenders, count, present, true, values, repetitions);
	}
	fprintf(stderr, "%s", words_sum == 0 ? "the words sum to zero\n" : "");

	free(absent);
	free(present);
	free(hash_set.hashes);
	free(plain.slots);
	free(textbook.words);
	owned_filter_free(&bloom);
	owned_filter_free(&cuckoo);
	return EXIT_SUCCESS;
}
