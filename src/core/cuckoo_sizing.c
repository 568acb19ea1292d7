/*
 * How many slots of how many bits a cuckoo filter needs for a number of values and a rate. The rate follows from the width of
 * the fingerprint and the load. The load that can be reached is measured, since no formula is known for overlapping windows.
 */
#include "core/cuckoo.h"

#include <math.h>

/*
 * The expected number of values without a slot that limits the load of narrow slots. With F fingerprints, too many values can
 * share a window: four values of one class and three of another need seven slots, and have six. If l = 2 load / F is the
 * average number of values per class, and n / load that of windows, there are n / load * F^2 * l^7 / (4! 3!) such cases. There
 * are rarer ones of the same kind, and fingerprint 1 is twice as likely, so at most 3 n load^6 / F^5 values find no slot
 * (test/bench/bench_load.c measures fewer). Narrow slots are therefore for small layers: those of 6 bits for up to 360,000
 * values, those of 7 for up to 11 million.
 */
#define MAX_EXPECTED_FAILURES	0.01

static double
highest_load_of_width(uint32_t slot_bits, double capacity)
{
	double		fingerprints = ldexp(1.0, (int) slot_bits - 1) - 1.0;

	return pow(MAX_EXPECTED_FAILURES * pow(fingerprints, 5.0) / (3.0 * capacity), 1.0 / 6.0);
}

/*
 * The highest load at which insertion reliably finds a slot for every value: at most 1 layer in 100 of 40 or more values
 * fails. test/bench/bench_load.c measures this for every slot width, up to 100 million values.
 *
 * Two windows of two slots fill to 0.965 in the limit (Walzer, "Load Thresholds for Cuckoo Hashing with Overlapping Blocks",
 * 2018). What n random values reach varies around that in proportion to 1 / sqrt(n); with 1.1 / sqrt(n), at most 1 in 2,000
 * layers fails. Fewer than 40 values have so few slots that a load below 0.8 would make little difference: 1 in 130 layers
 * of 11 values fails. At a load of 0.935 an addition is still fast, unlike at 0.96, and there is room for the pages with more
 * values than others (the standard deviation of their loads is 0.004).
 */
static double
highest_load(uint32_t slot_bits, double capacity)
{
	double		fill = fmin(0.935, fmax(0.80, 0.965 - 1.1 / sqrt(capacity)));

	return fmin(fill, highest_load_of_width(slot_bits, capacity));
}

/* The probability that two fingerprints are equal. A fingerprint of 0 is replaced by 1, so 1 is twice as likely. */
static double
same_fingerprint(uint32_t slot_bits)
{
	double		one = ldexp(1.0, 1 - (int) slot_bits);

	return one * (1.0 + 2.0 * one);
}

double
cuckoo_rate(const CuckooLayer *layer, double entries)
{
	double		met = entries / ((double) layer->pages * layer->windows);
	double		match = fmin(1.0, met / 4.0) * same_fingerprint(layer->slot_bits);

	return -expm1(4.0 * log1p(-match));
}

/*
 * The number of entries, in the four slots of a lookup, at which slots of a width have a rate. For random values it is the
 * inverse of cuckoo_rate. Values can be chosen so that no two are of one class, and one in every window has fingerprint 1,
 * which counts twice. The rate of chosen values may be MAX_CHOSEN_RATIO times as high.
 */
#define MAX_CHOSEN_RATIO	1.5

static double
entries_met_at_rate(uint32_t slot_bits, double rate)
{
	double		random = -4.0 * expm1(log1p(-rate) / 4.0) / same_fingerprint(slot_bits);
	double		chosen = MAX_CHOSEN_RATIO * rate * ldexp(1.0, (int) slot_bits - 1);

	/* If there are fewer entries than windows, all can have fingerprint 1. */
	return fmin(random, fmax(chosen - 1.0, chosen / 2.0));
}

/* Set the geometry; FILTER_TOO_LARGE if a layer cannot have so many pages. */
static FilterStatus
set_geometry(CuckooLayer *layer, double pages, uint32_t windows, uint32_t slot_bits, double *bytes)
{
	*bytes = ceil(pages * 2.0 * (windows + 1.0) * slot_bits / 8.0) + CUCKOO_TAIL_BYTES;
	if (pages > UINT32_MAX)
		return FILTER_TOO_LARGE;
	*layer = cuckoo_layer((uint32_t) pages, windows, slot_bits, false, 0, NULL);
	return FILTER_OK;
}

/* The geometry has the fewest bits over all slot widths: wider slots, or narrower ones at a lower load. */
FilterStatus
cuckoo_choose_geometry(uint64_t capacity, double rate, CuckooLayer *layer, double *bytes)
{
	double		entries = (double) capacity;
	double		fewest = INFINITY;
	double		best_pages = 1.0;
	uint32_t	best_windows = 1;
	uint32_t	best_bits = CUCKOO_MAX_SLOT_BITS;

	for (uint32_t slot_bits = CUCKOO_MIN_SLOT_BITS; slot_bits <= CUCKOO_MAX_SLOT_BITS; slot_bits++)
	{
		/* The widest slot is used at full load even if the requested rate is lower: nothing better is available. */
		double		met = slot_bits == CUCKOO_MAX_SLOT_BITS ? 4.0 : entries_met_at_rate(slot_bits, rate);
		double		slots = fmax(entries / highest_load(slot_bits, entries), 2.0 * entries / met);
		/* A page of the maximum size has one window fewer than half its slots. */
		double		most = CUCKOO_PAGE_SLOTS / 2 - 1;
		double		cut = fmax(ceil(slots / CUCKOO_PAGE_SLOTS), ceil(entries / met / most));
		double		windows = fmax(ceil(slots / cut / 2.0) - 1.0, ceil(entries / cut / met));

		/* Rounding may make the quotients slightly too large, but a page has no more windows than this. */
		windows = fmin(fmax(windows, 1.0), most);
		if (cuckoo_geometry_is_valid(1, 1, slot_bits) && cut * (windows + 1.0) * slot_bits < fewest)
		{
			fewest = cut * (windows + 1.0) * slot_bits;
			best_pages = cut;
			best_windows = (uint32_t) windows;
			best_bits = slot_bits;
		}
	}
	return set_geometry(layer, best_pages, best_windows, best_bits, bytes);
}

FilterStatus
cuckoo_double_geometry(const CuckooLayer *from, uint64_t capacity, double rate, CuckooLayer *layer, double *bytes)
{
	double		entries = (double) capacity;
	double		pages = from->pages;
	uint32_t	windows = from->windows;
	uint32_t	slot_bits = CUCKOO_MIN_SLOT_BITS;

	if (from->pages == 1 && 2 * windows <= CUCKOO_PAGE_SLOTS / 2 - 1)
		windows *= 2;
	else
		pages *= 2.0;

	/* The number of windows is given; the slot width follows from the load and the entries that a lookup compares. */
	for (; slot_bits < CUCKOO_MAX_SLOT_BITS; slot_bits++)
		if (cuckoo_geometry_is_valid(1, 1, slot_bits) &&
			entries_met_at_rate(slot_bits, rate) >= entries / (pages * windows) &&
			highest_load_of_width(slot_bits, entries) >= entries / (pages * 2.0 * (windows + 1.0)))
			break;
	return set_geometry(layer, pages, windows, slot_bits, bytes);
}
