/*
 * Lookups in the common Bloom block with vector instructions: AVX-512 or AVX2 where the CPU has them, and NEON, which
 * every aarch64 has; with AVX2 and AVX-512, additions too. The bits are those of core/bloom.h, so the results are the same.
 *
 * All eight bits of a word are computed and tested at once: the eight products of a word in one vector, and for each
 * of them the 32-bit word of the block that its bit lies in (as RocksDB's FastLocalBloom does it for AVX2). With AVX-512,
 * which selects words of the whole block at once, a lookup takes 0.83 to 0.88 of the time; building a filter of 1 million
 * values takes 0.83, and of 10 million 0.96.
 */
#ifndef FILTER_BLOOM_VECTOR_H
#define FILTER_BLOOM_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bloom.h"
#include "core/cpu.h"
#include "core/prepared.h"

/* With FILTER_NO_VECTORS, only the plain C is compiled. */
#define BLOOM_VECTORS_X86 FILTER_DETECTS_CPU
#if defined(__GNUC__) && defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(FILTER_NO_VECTORS)
#define BLOOM_VECTORS_ARM 1
#else
#define BLOOM_VECTORS_ARM 0
#endif

/*
 * Whether the functions below can be called for a layer: those for lookups, those for additions, and the one for lookups
 * in a layer of a single block. They exist only if this can be true. The constants are macros, so that no compiler refers to
 * a function that does not.
 */
#if BLOOM_VECTORS_X86
#define bloom_can_use_vectors(layer)	(filter_cpu_has_avx2 && (layer)->block_bits == BLOOM_BLOCK_BITS)
#define bloom_can_add_by_vectors(layer) bloom_can_use_vectors(layer)
#define bloom_can_use_vectors_in_block(layer)	(filter_cpu_has_avx2 && (layer)->blocks == 1)
#elif BLOOM_VECTORS_ARM
#define bloom_can_use_vectors(layer)	((layer)->block_bits == BLOOM_BLOCK_BITS)
#define bloom_can_add_by_vectors(layer) false
#define bloom_can_use_vectors_in_block(layer)	false
#else
#define bloom_can_use_vectors(layer)	false
#define bloom_can_add_by_vectors(layer) false
#define bloom_can_use_vectors_in_block(layer)	false
#endif

/* Set the function of a prepared filter that looks up a value. The layer is set. */
extern void bloom_vector_prepare(PreparedFilter *prepared);

/* The same as contains_run in core/bloom_filter.c. Prefetches. */
extern size_t bloom_vector_contains_run(const BloomLayer *layer, const uint64_t *hashes, size_t count, bool wanted);

/* bloom_contained, and the same for a layer of a single block of any size. The first prefetches. */
extern size_t bloom_vector_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index);
extern size_t bloom_vector_contained_in_block(const BloomLayer *layer, const uint64_t *hashes, size_t count,
											  uint32_t *index);

/* bloom_add, given the block of the hash, and bloom_add_all. */
extern bool bloom_vector_add(uint8_t *block, uint32_t probes, uint64_t hash);
extern size_t bloom_vector_add_all(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint64_t *unchanged);

#endif
