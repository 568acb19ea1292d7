/*
 * Adding entries to a cuckoo layer. If both windows of a value are full, other entries have to move.
 */
#ifndef FILTER_CUCKOO_ADD_H
#define FILTER_CUCKOO_ADD_H

#include <stddef.h>
#include <stdint.h>

#include "core/cuckoo.h"
#include "core/status.h"

/*
 * The limit of a search for a slot, in the windows it visits. At a load of 0.935 a search visits 50 windows on average;
 * a limit of 512 leaves 600 of ten million values without a place, and this one none (test/bench/bench_load).
 */
#define CUCKOO_MAX_STEPS		4096

/* The limit where a wildcard can be used instead: it bounds the time that chosen values take. */
#define CUCKOO_FEW_STEPS		256

/*
 * Add one entry at a place. If necessary, entries are moved to their other windows, or dropped if they are covered. A
 * sticky class needs no change. FILTER_FULL if a search of at most max_steps (2 .. CUCKOO_MAX_STEPS) finds no place;
 * the layer is then unchanged.
 */
extern FilterStatus cuckoo_add(const CuckooLayer *layer, const CuckooPlace *place, uint32_t max_steps);

/*
 * Add many entries, given their hashes in ascending order. The result does not depend on how they are divided among
 * calls, provided that all hashes whose leading CUCKOO_RUN_BITS agree are passed in one. FILTER_FULL if one finds no
 * place, after which some of the others have been added; but with `cover`, wildcards cover these, and the layer may
 * become crowded. Pauses.
 */
#define CUCKOO_RUN_BITS			6

extern FilterStatus cuckoo_add_in_order(CuckooLayer *layer, const uint64_t *hashes, size_t count, bool cover);

#endif
