/*
 * Operations on a Bloom layer by hashes. Each chooses, in its call, the code for the layer and the CPU: plain C, or for
 * the common block vector instructions: AVX-512 or AVX2 where the CPU has them, and NEON, which every aarch64 has; with
 * AVX2 and AVX-512, for additions too. The bits are those of core/bloom.h, so the results are the same.
 *
 * By vectors, all eight bits of a word are computed and tested at once: the eight products of a word in one vector, and
 * for each of them the 32-bit word of the block that its bit lies in (as RocksDB's FastLocalBloom does it for AVX2). With
 * AVX-512, which selects words of the whole block at once, a lookup takes 0.83 to 0.88 of the time; building a filter of
 * 1 million values takes 0.83, and of 10 million 0.96.
 */
#ifndef FILTER_BLOOM_KERNELS_H
#define FILTER_BLOOM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bloom.h"
#include "core/cpu.h"

/* Set the bits of a hash; return whether any of them was clear. */
extern bool bloom_add(const BloomLayer *layer, uint64_t hash);

/* The same for many hashes; returns how many of them set a bit that was clear. Prefetches. */
extern size_t bloom_add_all(const BloomLayer *layer, const uint64_t *hashes, size_t count);

/* The function for bloom_contains in a layer of this geometry, one hash at a time. */
extern LayerLookup bloom_lookup(const BloomLayer *layer);

/* The index of the first hash for which bloom_contains is not `wanted`; count if there is none. Prefetches. */
extern size_t bloom_contains_run(const BloomLayer *layer, const uint64_t *hashes, size_t count, bool wanted);

/*
 * Write the indexes of the hashes that the layer contains, in ascending order; returns their number. `index` has room
 * for `count`. Prefetches, but does not pause. No branch depends on which hashes are contained, since that could not be
 * predicted where both answers are frequent.
 */
extern size_t bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);

#endif
