/*
 * bench_copies: what copies of values, and values that were chosen to collide, cost in a cuckoo filter. Each line is the
 * ratio to a filter of as many random values, each added once, in the same run: of the bytes, and of the times of an addition, of
 * a lookup of an absent value and of a removal; and the false positives as a multiple of the requested rate.
 */
#include <string.h>

#include "chosen_hashes.h"
#include "measure.h"
#include "owned_filter.h"

#define PROBES		2000000
#define ROUNDS		5

static const uint64_t capacities[] = {1000, 100000, 1000000};
static const double rates[] = {0.01, 1e-4, 1e-6};

typedef struct Times
{
	double		bytes;
	double		add;
	double		lookup;
	double		removal;
	double		positives;		/* of absent values, as a fraction */
} Times;

/* Add the values, each `copies` times, look up absent ones, and remove one copy of each. The least time of all rounds. */
static void
measure(uint64_t capacity, double rate, const uint64_t *hashes, uint64_t values, unsigned copies, Times *least)
{
	Random		random = {~values};
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, rate);
	double		start = processor_ns();
	double		add,
				lookup,
				removal;
	uint64_t	found = 0;

	for (unsigned copy = 0; copy < copies; copy++)
		if (owned_filter_add_all(&owned, hashes, (size_t) values, false) != FILTER_OK)
			bail_out("values cannot be added");
	add = processor_ns() - start;
	start = processor_ns();
	for (uint32_t i = 0; i < PROBES; i++)
		found += filter_contains(&owned.filter, random_next(&random));
	lookup = processor_ns() - start;
	least->bytes = (double) owned.image_bytes;
	least->positives = (double) found / PROBES;
	start = processor_ns();
	(void) filter_remove_all(&owned.filter, hashes, (size_t) values);
	removal = processor_ns() - start;
	if (least->add == 0.0 || add / ((double) copies * (double) values) < least->add)
		least->add = add / ((double) copies * (double) values);
	if (least->lookup == 0.0 || lookup < least->lookup)
		least->lookup = lookup;
	if (least->removal == 0.0 || removal < least->removal)
		least->removal = removal;
	owned_filter_free(&owned);
}

static void
compare(const char *name, uint64_t capacity, double rate, const uint64_t *hashes, uint64_t values, unsigned copies)
{
	uint64_t   *random_hashes = zeroed_memory(values * sizeof(uint64_t));
	Random		random = {capacity};
	Times		once = {0},
				other = {0};

	random_fill(&random, random_hashes, (size_t) values);
	for (int round = 0; round < ROUNDS; round++)
	{
		measure(capacity, rate, random_hashes, values, 1, &once);
		measure(capacity, rate, hashes != NULL ? hashes : random_hashes, values, copies, &other);
	}
	printf("%-10s capacity %8" PRIu64 ", rate %6g: bytes %.2f, addition %.2f, lookup %.2f, removal %.2f, rate %.2f\n", name,
		   capacity, rate, other.bytes / once.bytes, other.add / once.add, other.lookup / once.lookup,
		   other.removal / once.removal, other.positives / rate);
	free(random_hashes);
}

/* As many hashes as half of the capacity, in groups that share both windows. */
static void
compare_chosen(uint64_t capacity, double rate)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, rate);
	CuckooLayer layer = filter_cuckoo_layer(&owned.filter, 0);
	uint64_t	values = capacity / 2;
	uint64_t   *hashes = zeroed_memory(values * sizeof(uint64_t));
	Random		random = {1};

	for (uint64_t i = 0; i < values;)
	{
		uint64_t	chosen[MAX_CHOSEN];
		size_t		count = choose_hashes(&layer, random_next(&random) >> 32, &random, chosen);

		for (size_t j = 0; j < count && i < values; j++)
			hashes[i++] = chosen[j];
	}
	compare("chosen", capacity, rate, hashes, values, 1);
	free(hashes);
	owned_filter_free(&owned);
}

int
main(void)
{
	static const unsigned copies[] = {2, 4, 15};

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
		for (size_t j = 0; j < sizeof(rates) / sizeof(rates[0]); j++)
		{
			for (size_t k = 0; k < sizeof(copies) / sizeof(copies[0]); k++)
			{
				char		name[20];

				snprintf(name, sizeof(name), "%u copies", copies[k]);
				compare(name, capacities[i], rates[j], NULL, capacities[i], copies[k]);
			}
			compare_chosen(capacities[i], rates[j]);
		}
	return EXIT_SUCCESS;
}
