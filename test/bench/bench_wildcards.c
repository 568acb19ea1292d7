/*
 * bench_wildcards: the effect of the rule for growing and covering in src/core/cuckoo_filter.c on cuckoo filters of
 * random values with copies, and of chosen values. Prints the size in multiples of the first layer's, the fraction of
 * windows covered, false positives, and the time per addition.
 */
#include <string.h>

#include "chosen_hashes.h"
#include "measure.h"
#include "owned_filter.h"

#define CHOSEN 20000
#define PROBES 1000000

static const uint64_t capacities[] = {1000, 10000, 100000, 1000000};
static const double rates[] = {0.01, 1e-4, 1e-6};

static OwnedFilter
create(uint64_t capacity, double rate)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, rate);

	owned_filter_set_kind(&owned, VALUE_KIND_INTEGER, "");
	return owned;
}

static void
add(OwnedFilter *owned, uint64_t hash)
{
	if (owned_filter_add(owned, hash, false) != FILTER_OK)
		bail_out("a value cannot be added");
}

static void
print_filter(const char *values, const OwnedFilter *owned, uint64_t capacity, double rate, double additions, double ns)
{
	Random		random = {1};
	double		slots = 0.0,
				first_slots = 0.0,
				windows = 0.0,
				covered = 0.0;
	uint32_t	found = 0;

	for (uint32_t layer = owned->filter.layers; layer-- > 0;)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(&owned->filter, layer);

		first_slots = (double) cuckoo_slots(&cuckoo);
		slots += first_slots;
		windows += (double) cuckoo.pages * cuckoo.windows;
		covered += (double) cuckoo_windows_covered(&cuckoo);
	}
	for (uint32_t i = 0; i < PROBES; i++)
		found += filter_contains(&owned->filter, random_next(&random));
	printf("%-10s %8.0f %6g %8.0f additions: %2u layers, %5.1f times the slots, %3.0f slots per addition, "
		   "%.4f%% covered, rate %.6f, %5.0f ns\n", values, (double) capacity, rate, additions, owned->filter.layers,
		   slots / first_slots, slots / additions, 100.0 * covered / windows, (double) found / PROBES, ns / additions);
}

/* As many additions as the capacity: of values with this number of copies each. */
static void
measure_copies(uint64_t capacity, double rate, unsigned copies)
{
	Random		random = {capacity};
	OwnedFilter owned = create(capacity, rate);
	uint64_t	values = capacity / copies;
	double		start = processor_ns();
	char		name[20];

	for (uint64_t i = 0; i < values; i++)
	{
		uint64_t	hash = random_next(&random);

		for (unsigned copy = 0; copy < copies; copy++)
			add(&owned, hash);
	}
	snprintf(name, sizeof(name), "%u copies", copies);
	print_filter(name, &owned, capacity, rate, (double) values * copies, processor_ns() - start);
	owned_filter_free(&owned);
}

/* Groups of values that share their windows in the layer that is the newest at the time. */
static void
measure_chosen(uint64_t capacity, double rate)
{
	Random		random = {capacity};
	OwnedFilter owned = create(capacity, rate);
	double		ns = 0.0;
	size_t		additions = 0;

	while (additions < CHOSEN)
	{
		CuckooLayer newest = filter_cuckoo_layer(&owned.filter, owned.filter.layers - 1);
		uint64_t	chosen[MAX_CHOSEN];
		size_t		count = choose_hashes(&newest, random_next(&random) >> 32, &random, chosen);
		double		start = processor_ns();

		for (size_t i = 0; i < count; i++)
			add(&owned, chosen[i]);
		ns += processor_ns() - start;
		additions += count;
	}
	print_filter("chosen", &owned, capacity, rate, (double) additions, ns);
	owned_filter_free(&owned);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++)
		for (size_t j = 0; j < sizeof(rates) / sizeof(rates[0]); j++)
		{
			for (unsigned copies = 1; copies <= 4; copies++)
				measure_copies(capacities[i], rates[j], copies);
			measure_chosen(capacities[i], rates[j]);
		}
	return EXIT_SUCCESS;
}
