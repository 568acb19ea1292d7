/*
 * Hashes that an attacker chooses for a cuckoo layer: they share their windows.
 */
#ifndef UNIT_CHOSEN_HASHES_H
#define UNIT_CHOSEN_HASHES_H

#include <string.h>

#include "core/cuckoo.h"
#include "random.h"

#define MAX_CHOSEN 9

/* Hashes with the given high half that share both windows of a layer, at most MAX_CHOSEN of them. */
static inline size_t
choose_hashes(const CuckooLayer *layer, uint64_t high, Random *random, uint64_t chosen[MAX_CHOSEN])
{
	static uint16_t fingerprints[65536];	/* of each upper window */
	uint32_t	end = layer->slot_bits > 16 ? 65536 : UINT32_C(1) << (layer->slot_bits - 1);
	uint32_t	shift = 33 - layer->slot_bits;
	uint32_t	lower = cuckoo_place(layer, high << 32).window[0];
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

#endif
