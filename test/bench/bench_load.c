/*
 * bench_load: how often random values do not all fit in the cuckoo layer that is planned for them, and the time per value,
 * for every slot width and for 10 to 100 million values. highest_load in src/core/cuckoo_sizing.c is based on this.
 *
 * The rate for a width is what its slots have at a load of 0.8. Where the table has a wider slot, that one was better:
 * narrow slots reach a low load only, in large layers.
 */
#include <math.h>
#include <string.h>

#include "core/cuckoo_inline.h"
#include "measure.h"
#include "random.h"
#include "tap.h"

#define MAX_BUILDS		10000
#define ADDITIONS		5e6		/* in all builds of a layer, and at least one */

static void
measure(double values, uint32_t for_bits, Random *random)
{
	CuckooLayer layer = cuckoo_layer(1, CUCKOO_PAGE_SLOTS / 2 - 1, for_bits, false, 0, NULL);
	double		rate = cuckoo_rate(&layer, 0.8 * CUCKOO_PAGE_SLOTS);
	double		bytes;
	double		start;
	int			builds = (int) fmin(MAX_BUILDS, fmax(1.0, ADDITIONS / values));
	int			failed = 0;

	if (cuckoo_choose_geometry((uint64_t) values, rate, &layer, &bytes) != FILTER_OK)
		bail_out("no geometry for a layer of moderate size");
	layer.slots = zeroed_memory((size_t) bytes);
	start = processor_ns();
	for (int build = 0; build < builds; build++)
	{
		FilterStatus status = FILTER_OK;

		memset(layer.slots, 0, (size_t) bytes);
		for (double i = 0.0; i < values && status == FILTER_OK; i += 1.0)
		{
			CuckooPosition position = cuckoo_position(&layer, random_next(random));

			status = cuckoo_add(&layer, &position);
		}
		failed += status != FILTER_OK;
	}
	printf("rate %-8.2g %9.0f values: %2u bits, load %.3f, %5.1f bits per value; %3d of %5d builds failed, %4.0f ns per value\n",
		   rate, values, layer.slot_bits, values / (double) cuckoo_slots(&layer), bytes * 8.0 / values, failed, builds,
		   (processor_ns() - start) / values / builds);
	fflush(stdout);
	free(layer.slots);
}

int
main(void)
{
	Random		random = {1};

	for (uint32_t bits = CUCKOO_MIN_SLOT_BITS; bits <= CUCKOO_MAX_SLOT_BITS; bits++)
		if (cuckoo_geometry_is_valid(1, 1, bits))
			for (double values = 10.0; values <= 1e8; values *= 10.0)
				measure(values, bits, &random);
	return EXIT_SUCCESS;
}
