/*
 * How large a cuckoo layer must be: geometry from capacity and rate, and the rate a geometry gives.
 */
#ifndef FILTER_CUCKOO_SIZING_H
#define FILTER_CUCKOO_SIZING_H

#include <stdint.h>

#include "core/status.h"

typedef struct CuckooGeometry
{
	uint32_t	pages;
	uint32_t	windows;
	uint32_t	slot_bits;
} CuckooGeometry;

/*
 * The expected false positive rate of a layer that holds so many entries: a lookup looks for its fingerprint among the
 * entries of two windows, each of which has entries / (2 * pages * windows) of them on average and four at most together.
 */
extern double cuckoo_rate(const CuckooGeometry *geometry, double entries);

/*
 * The smallest geometry that takes capacity entries (1 or more) at or below the rate (above 0, below 1). A rate below
 * what the widest slot gives (about 9e-10) gets the widest slot. FILTER_TOO_LARGE when it would have more pages than a
 * layer can; *bytes tells the size in either case.
 */
extern FilterStatus cuckoo_choose_geometry(uint64_t capacity, double rate, CuckooGeometry *geometry, double *bytes);

/* The geometry with about a fiftieth more windows, and at least one: the next to try when a value found no place. */
extern FilterStatus cuckoo_enlarge_geometry(CuckooGeometry *geometry, double *bytes);

/*
 * The geometry for twice the capacity of another, whose windows are a whole multiple of that one's, so that its entries
 * can be folded into it one day.
 */
extern FilterStatus cuckoo_double_geometry(const CuckooGeometry *from, uint64_t capacity, double rate,
										   CuckooGeometry *geometry, double *bytes);

#endif
