/*
 * Hashes that an attacker chooses for a cuckoo layer: they share their windows.
 */
#ifndef UNIT_CHOSEN_HASHES_H
#define UNIT_CHOSEN_HASHES_H

#include <string.h>

#include "core/cuckoo_inline.h"
#include "random.h"

#define MAX_CHOSEN 9

/* Hashes with the given high half that share both windows of a layer, at most MAX_CHOSEN of them. */
static inline size_t
choose_hashes(const CuckooLayer *layer, uint64_t high, Random *random, uint64_t chosen[MAX_CHOSEN])
{
	static uint16_t fingerprints[65536];	/* of each upper window */
	uint32_t	end = layer->slot_bits > 16 ? 65536 : UINT32_C(1) << (layer->slot_bits - 1);
	uint32_t	shift = 33 - layer->slot_bits;
	uint32_t	lower = cuckoo_position(layer, high << 32).window[0];
	uint32_t	best = 0;
	size_t		count = 0;

	memset(fingerprints, 0, sizeof(fingerprints));
	for (uint32_t fingerprint = 1; fingerprint < end; fingerprint++)
		fingerprints[cuckoo_other_window(layer, lower, fingerprint)]++;
	for (uint32_t window = 0; window < layer->windows; window++)
		if (fingerprints[window] > fingerprints[best])
			best = window;
	for (uint32_t fingerprint = 1; fingerprint < end; fingerprint++)
		if (cuckoo_other_window(layer, lower, fingerprint) == best)
			for (int i = 0; i < 3 && count < MAX_CHOSEN; i++)
				chosen[count++] = high << 32 | (uint64_t) fingerprint << shift | random_below(random, UINT64_C(1) << shift);
	return count;
}

/*
 * Distinct hashes of one page, so many in so few windows of both halves that half of them can have no slot; at most `most`. The
 * sum of a value's windows depends on its fingerprint alone. So some neighbouring lower windows, and all fingerprints of
 * some neighbouring sums, have upper windows that are neighbours, too.
 */
static inline size_t
choose_neighbours(const CuckooLayer *layer, Random *random, uint64_t *chosen, size_t most)
{
	uint32_t	fingerprints = layer->slot_bits > 17 ? 65536 : UINT32_C(1) << (layer->slot_bits - 1);
	uint32_t	shift = 33 - layer->slot_bits;
	uint64_t	wanted = 1 + 6 * (uint64_t) layer->windows / fingerprints;
	uint32_t	neighbours = wanted < layer->windows ? (uint32_t) wanted : layer->windows;
	uint32_t	first = (uint32_t) random_below(random, layer->windows - neighbours + 1);
	uint32_t	first_sum = (uint32_t) random_below(random, layer->windows);
	uint64_t	page = random_below(random, layer->pages);
	double		windows = (double) layer->pages * layer->windows;
	size_t		count = 0;

	for (uint32_t window = first; window < first + neighbours; window++)
		/* Not 1, which is twice as frequent in random hashes. */
		for (uint32_t fingerprint = 2; fingerprint < fingerprints && count < most; fingerprint++)
		{
			uint32_t	sum = cuckoo_other_window(layer, 0, fingerprint);
			double		at = ((double) page * layer->windows + window + 0.5) / windows;

			if ((sum + layer->windows - first_sum) % layer->windows < neighbours)
				chosen[count++] = (uint64_t) (at * 4294967296.0) << 32 | (uint64_t) fingerprint << shift |
					random_below(random, UINT64_C(1) << shift);
		}
	return count;
}

#endif
