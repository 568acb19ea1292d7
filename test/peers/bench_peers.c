/*
 * bench_peers VALUES REPETITIONS: nanoseconds per operation of our filters and of those of other libraries, for sets
 * of VALUES values, in the lines of test/bench/measure.h. In every repetition each operation is measured for all
 * contenders of a kind, one after another.
 */
#include <string.h>

#include "contender.h"
#include "measure.h"
#include "members.h"

#define LOOKUPS			(4 * 1024 * 1024)
#define DELETIONS		LOOKUPS		/* the first ones wait for a filter that the others have displaced from the cache */
#define MIN_VALUES		4000000		/* small sets are built repeatedly, for at least this many values in total */
#define MAX_CONTENDERS	32

/* Loads of a cuckoo filter's slots. */
#define HALF			0.5
#define NEARLY_FULL		0.93
#define FULLER			0.95

typedef struct Entry
{
	const Contender *contender;
	uint64_t	capacity;		/* the capacity to request so that the values fit */
	void	   *set;
} Entry;

typedef struct Bench
{
	uint64_t	values;
	unsigned	repetition;
	uint64_t   *members;		/* more than `values`, for the peers with larger tables */
	uint64_t   *copy;			/* an array that `build` may change */
	uint64_t   *scratch;
	uint64_t   *absent;
	uint64_t   *present;
	Entry		entries[MAX_CONTENDERS];
	size_t		count;
} Bench;

static const Contender *const libraries[] = {
	our_contenders,
#ifdef WITH_ROCKSDB
	rocksdb_contenders,
#endif
#ifdef WITH_ROCKSDB_AVX2
	rocksdb_avx2_contenders,
#endif
#ifdef WITH_FASTFILTER
	fastfilter_contenders,
#endif
#ifdef WITH_CUCKOOFILTER
	cuckoofilter_contenders,
#endif
#ifdef WITH_REDISBLOOM
	redisbloom_contenders,
#endif
#ifdef WITH_VACUUM
	vacuum_contenders,
#endif
};

static void
print(const Bench *bench, const Entry *entry, const char *operation, double value)
{
	print_measurement(operation, entry->contender->name, (double) bench->values, bench->repetition, value);
}

/* Read hashes before they are measured: otherwise the first contender has to wait for them, and the others have not. */
static void
cache_hashes(const uint64_t *hashes, size_t count)
{
	volatile uint64_t read = 0;

	for (size_t i = 0; i < count; i++)
		read = hashes[i];
	(void) read;
}

/* Fill the entry's empty set; false if the values do not fit. *nanoseconds is set to the time that took. */
static bool
build(const Bench *bench, const Entry *entry, double *nanoseconds)
{
	const Contender *contender = entry->contender;
	double		start;
	bool		fit;

	memcpy(bench->copy, bench->members, bench->values * sizeof(uint64_t));
	start = processor_ns();
	if (contender->build != NULL)
		fit = contender->build(entry->set, bench->copy, bench->scratch, bench->values);
	else
		fit = contender->add(entry->set, bench->copy, bench->values) == bench->values;
	*nanoseconds = processor_ns() - start;
	return fit;
}

static void
create(Entry *entry)
{
	entry->set = entry->contender->create(entry->capacity);
}

static void
destroy(Entry *entry)
{
	entry->contender->destroy(entry->set);
	entry->set = NULL;
}

/* Find out how large each filter must be for the values to fit. */
static void
find_capacity(const Bench *bench, Entry *entry)
{
	for (entry->capacity = bench->values;; entry->capacity += entry->capacity / 50 + 1)
	{
		double		nanoseconds;
		bool		fit;

		create(entry);
		fit = build(bench, entry, &nanoseconds);
		destroy(entry);
		if (fit)
			return;
	}
}

/* Afterwards the sets are filled. */
static void
measure_build(const Bench *bench, Entry *entry)
{
	double		sum = 0.0;
	uint64_t	built = 0;

	for (;;)
	{
		double		nanoseconds;

		create(entry);
		if (!build(bench, entry, &nanoseconds))
			bail_out("values that fitted before do not fit");
		sum += nanoseconds;
		built += bench->values;
		if (built >= MIN_VALUES)
			break;
		destroy(entry);
	}
	print(bench, entry, "build", sum / (double) built);
	if (bench->repetition == 1)
		print(bench, entry, "bits per value", (double) entry->contender->bytes(entry->set) * 8.0 / (double) bench->values);
}

/* A library without batched functions is measured one by one. */
static void
measure_lookups(const Bench *bench, const Entry *entry, const char *operation, const uint64_t *hashes, bool present,
				bool batched)
{
	const Contender *contender = entry->contender;
	double		start;
	size_t		found;

	cache_hashes(hashes, LOOKUPS);
	start = processor_ns();
	if (batched && contender->count_batched != NULL)
		found = contender->count_batched(entry->set, hashes, LOOKUPS, present);
	else
		found = contender->count(entry->set, hashes, LOOKUPS);
	print(bench, entry, operation, (processor_ns() - start) / LOOKUPS);
	if (present && found != LOOKUPS)
		bail_out(contender->name);
	if (!present && !batched && bench->repetition == 1)
		print(bench, entry, "false positives", (double) found / LOOKUPS);
}

/* Delete half of the values, or fewer if there are many, one by one or batched: first one half, then the other. */
static void
measure_delete(const Bench *bench, const Entry *entry, const char *operation, bool batched)
{
	const Contender *contender = entry->contender;
	size_t		count = bench->values / 2 < DELETIONS ? bench->values / 2 : DELETIONS;
	const uint64_t *hashes = bench->members + (batched ? count : 0);
	double		start;
	size_t		removed;

	cache_hashes(hashes, count);
	start = processor_ns();
	if (batched && contender->remove_batched != NULL)
		removed = contender->remove_batched(entry->set, hashes, count);
	else
		removed = contender->remove(entry->set, hashes, count);
	print(bench, entry, operation, (processor_ns() - start) / (double) count);
	if (removed < count)
		bail_out(entry->contender->name);
}

static uint64_t
slots_at(const Entry *entry, double load)
{
	return (uint64_t) (load * (double) entry->contender->slots(entry->set));
}

/* Add to an empty filter: to half its slots if it has a number of these, and otherwise half the values. */
static void
measure_add(const Bench *bench, Entry *entry, const char *operation, bool batched)
{
	const Contender *contender = entry->contender;
	size_t		(*add) (void *, const uint64_t *, size_t) = contender->add;
	double		sum = 0.0;
	uint64_t	added = 0;

	if (batched && contender->add_batched != NULL)
		add = contender->add_batched;
	while (added < MIN_VALUES / 2)
	{
		uint64_t	count;
		double		start;

		create(entry);
		count = contender->slots != NULL ? slots_at(entry, HALF) : bench->values / 2;
		cache_hashes(bench->members, count);
		start = processor_ns();
		if (add(entry->set, bench->members, count) != count)
			bail_out(contender->name);
		sum += processor_ns() - start;
		added += count;
		destroy(entry);
	}
	print(bench, entry, operation, sum / (double) added);
}

static void
measure_add_to_full(const Bench *bench, Entry *entry)
{
	const Contender *contender = entry->contender;
	uint64_t	before,
				count,
				added;
	double		start;

	if (contender->slots == NULL)
		return;
	create(entry);
	before = slots_at(entry, NEARLY_FULL);
	count = slots_at(entry, FULLER) - before;
	if (contender->add(entry->set, bench->members, before) == before)
	{
		start = processor_ns();
		added = contender->add(entry->set, bench->members + before, count);
		print(bench, entry, "add, load 0.93 to 0.95", (processor_ns() - start) / (double) (added > 0 ? added : 1));
		if (bench->repetition == 1 && added < count)
			print(bench, entry, "full at load", (double) (before + added) / (double) contender->slots(entry->set));
	}
	destroy(entry);
}

static void
measure_kind(Bench *bench, ContenderKind kind)
{
	Entry	   *entries = bench->entries,
			   *end = entries + bench->count;

#define FOR_EACH(statement) \
	for (Entry *entry = entries; entry < end; entry++) \
		if (entry->contender->kind == kind) \
			statement

	FOR_EACH(measure_build(bench, entry));
	FOR_EACH(measure_lookups(bench, entry, "lookup, absent", bench->absent, false, false));
	FOR_EACH(measure_lookups(bench, entry, "lookup, absent, batched", bench->absent, false, true));
	FOR_EACH(measure_lookups(bench, entry, "lookup, present", bench->present, true, false));
	FOR_EACH(measure_lookups(bench, entry, "lookup, present, batched", bench->present, true, true));
	if (kind == CONTENDER_CUCKOO)
	{
		FOR_EACH(measure_delete(bench, entry, "delete", false));
		FOR_EACH(measure_delete(bench, entry, "delete, batched", true));
	}
	FOR_EACH(destroy(entry));
	FOR_EACH(measure_add(bench, entry, "add, to half load", false));
	FOR_EACH(measure_add(bench, entry, "add, to half load, batched", true));
	if (kind == CONTENDER_CUCKOO)
		FOR_EACH(measure_add_to_full(bench, entry));
}

static void
begin(Bench *bench)
{
	uint64_t	most = bench->values;

	for (size_t library = 0; library < sizeof(libraries) / sizeof(libraries[0]); library++)
		for (const Contender *contender = libraries[library]; contender->name != NULL; contender++)
		{
			Entry	   *entry = &bench->entries[bench->count++];

			if (bench->count > MAX_CONTENDERS)
				bail_out("more contenders than expected");
			entry->contender = contender;
			if (contender->slots != NULL)
			{
				/* A margin for the capacity that find_capacity may add. */
				entry->capacity = bench->values + bench->values / 5;
				create(entry);
				if (slots_at(entry, FULLER) > most)
					most = slots_at(entry, FULLER);
				destroy(entry);
			}
		}

	bench->members = zeroed_memory(most * sizeof(uint64_t));
	for (uint64_t i = 0; i < most; i++)
		bench->members[i] = hash_of_index(i);
	bench->copy = zeroed_memory(bench->values * sizeof(uint64_t));
	bench->scratch = zeroed_memory(bench->values * sizeof(uint64_t));
	bench->absent = zeroed_memory(LOOKUPS * sizeof(uint64_t));
	bench->present = zeroed_memory(LOOKUPS * sizeof(uint64_t));
	for (uint64_t i = 0; i < LOOKUPS; i++)
	{
		bench->absent[i] = hash_of_index(most + i);
		bench->present[i] = hash_of_index(multiply_high(hash_of_index(most + LOOKUPS + i), bench->values));
	}
	for (size_t i = 0; i < bench->count; i++)
		find_capacity(bench, &bench->entries[i]);
}

int
main(int argc, char **argv)
{
	Bench		bench;
	unsigned	repetitions;

	if (argc != 3)
	{
		fprintf(stderr, "usage: bench_peers VALUES REPETITIONS\n");
		return EXIT_FAILURE;
	}
	memset(&bench, 0, sizeof(bench));
	bench.values = number_argument(argv[1]);
	repetitions = (unsigned) number_argument(argv[2]);
	begin(&bench);

	for (bench.repetition = 1; bench.repetition <= repetitions; bench.repetition++)
	{
		measure_kind(&bench, CONTENDER_BLOOM);
		measure_kind(&bench, CONTENDER_CUCKOO);
	}

	free(bench.members);
	free(bench.copy);
	free(bench.scratch);
	free(bench.absent);
	free(bench.present);
	return EXIT_SUCCESS;
}
