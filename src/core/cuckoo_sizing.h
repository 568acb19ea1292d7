/*
 * How large a cuckoo layer must be: the geometry for a capacity and rate, and the rate of a geometry.
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
 * The expected false positive rate of a layer that holds `entries` entries. A lookup compares its fingerprint with
 * the entries of two windows: entries / (2 * pages * windows) of them per window on average, and at most four in
 * both.
 */
extern double cuckoo_rate(const CuckooGeometry *geometry, double entries);

/*
 * The smallest geometry that holds capacity entries (1 or more) at or below the rate (above 0, below 1). A rate below
 * that of the widest slot (about 9e-10) results in the widest slot. FILTER_TOO_LARGE if it needs more pages than a
 * layer can have; *bytes is set to the size in either case.
 */
extern FilterStatus cuckoo_choose_geometry(uint64_t capacity, double rate, CuckooGeometry *geometry, double *bytes);

/* The geometry with about 2% more windows, and at least one more: the next to try if a value found no place. */
extern FilterStatus cuckoo_enlarge_geometry(CuckooGeometry *geometry, double *bytes);

/*
 * The geometry for twice the capacity of `from`. Its windows are a whole multiple of those of `from`, so that its
 * entries can later be folded into that layer.
 */
extern FilterStatus cuckoo_double_geometry(const CuckooGeometry *from, uint64_t capacity, double rate,
										   CuckooGeometry *geometry, double *bytes);

#endif
