/*
 * bench_load: how often random values do not all fit in a cuckoo layer, by their number and the load, and the time per
 * value. The first line for a number is for the layer that cuckoo_choose_geometry chooses at a rate of 0.1%, the others
 * are for layers of given loads. highest_load in src/core/cuckoo_sizing.c is based on this.
 */
#include <math.h>
#include <string.h>

#include "core/cuckoo.h"
#include "measure.h"
#include "random.h"
#include "tap.h"

#define RATE			0.001
#define MAX_VALUES		10000000
#define MAX_BUILDS		10000
#define MIN_BUILDS		10
#define ADDITIONS		1e7		/* in all builds of a layer, within these limits */

static void
measure(const char *what, const CuckooGeometry *geometry, uint64_t values, Random *random)
{
	CuckooLayer layer = cuckoo_layer(geometry->pages, geometry->windows, geometry->slot_bits, false, NULL);
	int			builds = (int) fmin(MAX_BUILDS, fmax(MIN_BUILDS, ADDITIONS / (double) values));
	int			failed = 0;
	double		ns = 0.0;

	layer.slots = zeroed_memory(cuckoo_bytes(&layer));
	for (int build = 0; build < builds; build++)
	{
		FilterStatus status = FILTER_OK;
		double		start;

		memset(layer.slots, 0, (size_t) cuckoo_bytes(&layer));
		start = processor_ns();
		for (uint64_t i = 0; i < values && status == FILTER_OK; i++)
		{
			CuckooPlace place = cuckoo_place(&layer, random_next(random));

			status = cuckoo_add(&layer, &place, CUCKOO_MAX_STEPS);
		}
		ns += processor_ns() - start;
		failed += status != FILTER_OK;
	}
	printf("%9.0f values, %-6s load %.4f: %5d of %5d builds failed (%.4f), %4.0f ns per value\n", (double) values, what,
		   (double) values / (double) cuckoo_slots(&layer), failed, builds, (double) failed / builds,
		   ns / (double) values / builds);
	fflush(stdout);
	free(layer.slots);
}

int
main(void)
{
	Random		random = {1};

	for (uint64_t values = 1; values <= MAX_VALUES; values += values / 2 + 1)
	{
		CuckooGeometry geometry;
		double		bytes;

		if (cuckoo_choose_geometry(values, RATE, &geometry, &bytes) != FILTER_OK)
			bail_out("no geometry for a layer of moderate size");
		measure("chosen", &geometry, values, &random);
		for (int percent = 80; percent <= 96; percent += 2)
		{
			double		slots = (double) values * 100.0 / percent;

			geometry.pages = (uint32_t) ceil(slots / CUCKOO_PAGE_SLOTS);
			geometry.windows = (uint32_t) ceil(slots / geometry.pages / 2.0) - 1;
			if (cuckoo_geometry_is_valid(geometry.pages, geometry.windows, geometry.slot_bits))
				measure("", &geometry, values, &random);
		}
	}
	return EXIT_SUCCESS;
}
