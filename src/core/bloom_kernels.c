/*
 * Each operation chooses, when it is called, the code for the layer and the CPU: plain C or, for the common block, vector
 * instructions. These are AVX2 (for additions, too) where the CPU has it, and NEON, which every aarch64 has. The bits are
 * those of core/bloom_inline.h, so the results are the same.
 *
 * With vectors, all eight bits of a word are computed and tested at once: one vector holds the eight products of a word,
 * another for each product the 32-bit word of the block that its bit lies in (as in RocksDB's FastLocalBloom for AVX2).
 */
#include "core/bloom_inline.h"

#if FILTER_DETECTS_CPU
#include <immintrin.h>
#elif FILTER_HAS_NEON
#include <arm_neon.h>
#endif

/* the probes at a rate of 1% */
#define USUAL_PROBES 6

/*
 * Set a bit; bit 0 of the result is its old value. Words would be slower than bytes: the next bit is often in the same word,
 * whose load would have to wait for this store, but seldom in the same byte.
 */
FILTER_ALWAYS_INLINE unsigned
set_bit(uint8_t *block, uint32_t word, uint32_t index, uint32_t block_bits)
{
	uint32_t	bit = bloom_bit_of_word(word, index, block_bits);
	unsigned	before = block[bit / 8];

	block[bit / 8] = (uint8_t) (before | 1U << bit % 8);
	return before >> bit % 8;
}

/* Set the bits of a hash; return whether one of them was clear. */
FILTER_ALWAYS_INLINE bool
block_add_by_any(const BloomLayer *layer, uint8_t *block, uint64_t hash)
{
	uint32_t	block_bits = layer->block_bits;
	uint32_t	probes = layer->probes;
	uint32_t	word = bloom_next_word(&hash);
	unsigned	set = 1;
	bool		is_half_used = false;

	for (; probes >= BLOOM_PROBES_AT_ONCE; probes -= BLOOM_PROBES_AT_ONCE)
	{
		set &= set_bit(block, word, 0, block_bits);
		set &= set_bit(block, word, 1, block_bits);
		set &= set_bit(block, word, 2, block_bits);
		set &= set_bit(block, word, 3, block_bits);
		word = is_half_used ? bloom_next_word(&hash) : word * bloom_bit_step_power[BLOOM_PROBES_AT_ONCE];
		is_half_used = !is_half_used;
	}
	if ((probes & 2) != 0)
	{
		set &= set_bit(block, word, 0, block_bits);
		set &= set_bit(block, word, 1, block_bits);
	}
	if ((probes & 1) != 0)
		set &= set_bit(block, word, probes - 1, block_bits);
	return (set & 1) == 0;
}

FILTER_ALWAYS_INLINE bool
block_contains_by_any(const BloomLayer *layer, const uint8_t *block, uint64_t hash)
{
	return bloom_block_contains(layer, block, hash);
}

#define KERNEL_TARGET
#define KERNEL(name) name##_by_any
#define KERNEL_VECTORS 0
#define KERNEL_ADDS 1
#include "core/bloom_kernel_template.h"

#if FILTER_DETECTS_CPU

#define WITH_VECTORS __attribute__((target("avx2")))

/* Lanes have a 1 for each of the first `bits` bits of a word, or in all lanes if there are more bits. */
typedef __m256i Lanes;

WITH_VECTORS static inline Lanes
first_lanes(uint32_t bits)
{
	__m256i		index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

	return _mm256_srli_epi32(_mm256_cmpgt_epi32(_mm256_set1_epi32((int) bits), index), 31);
}

/* Whether the bits of a word that the lanes select are set. */
WITH_VECTORS static inline bool
bits_of_word_are_set_by_avx2(const uint8_t *block, uint32_t word, Lanes lanes)
{
	__m256i		product = _mm256_mullo_epi32(_mm256_set1_epi32((int) word),
											 _mm256_loadu_si256((const __m256i *) bloom_bit_step_power));
	/* The top 9 bits of a product number a bit of the block: 4 for its 32-bit word, 5 for the bit in that. */
	__m256i		index = _mm256_srli_epi32(product, 28);
	__m256i		low = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *) block), index);
	__m256i		high = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *) (block + 32)), index);
	__m256i		found = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
															 _mm256_castsi256_ps(product)));
	__m256i		bit = _mm256_srli_epi32(_mm256_slli_epi32(product, 4), 27);

	return _mm256_testc_si256(found, _mm256_sllv_epi32(lanes, bit)) != 0;
}

/*
 * A row of zeros with one bit set in its middle, for each bit of a byte. The 64 bytes that begin `byte` bytes before
 * the middle are a block in which this bit of that byte is set.
 */
#define MIDDLE (BLOOM_BLOCK_BITS / 8 - 1)
#define ROW_SHIFT 7

static const uint8_t rows_of_zeros[8][1 << ROW_SHIFT] __attribute__((aligned(64))) = {
	{[MIDDLE] = 1}, {[MIDDLE] = 2}, {[MIDDLE] = 4}, {[MIDDLE] = 8},
	{[MIDDLE] = 16}, {[MIDDLE] = 32}, {[MIDDLE] = 64}, {[MIDDLE] = 128}
};

/* For each bit of a word, where its block begins in rows_of_zeros. */
WITH_VECTORS static inline __m256i
starts_of_blocks_with_bit(uint32_t word)
{
	__m256i		product = _mm256_mullo_epi32(_mm256_set1_epi32((int) word),
											 _mm256_loadu_si256((const __m256i *) bloom_bit_step_power));
	/* The top 9 bits of a product number a bit of the block: 6 for its byte, 3 for the bit in that. */
	__m256i		row = _mm256_and_si256(_mm256_srli_epi32(product, 23 - ROW_SHIFT), _mm256_set1_epi32(7 << ROW_SHIFT));
	__m256i		before = _mm256_xor_si256(_mm256_srli_epi32(product, 26), _mm256_set1_epi32(MIDDLE));

	return _mm256_or_si256(row, before);
}

/*
 * All bits are collected in registers and written at once, since the load of a word has to wait for a store to it just before.
 */
WITH_VECTORS FILTER_ALWAYS_INLINE bool
block_add_by_avx2(const BloomLayer *layer, uint8_t *block, uint64_t hash)
{
	__m256i_u  *half = (__m256i_u *) block;
	__m256i		new_low = half[0];
	__m256i		new_high = half[1];
	__m256i		added;
	uint32_t	probes = layer->probes;

	while (probes > 0)
	{
		uint32_t	bits = probes < BLOOM_PROBES_PER_WORD ? probes : BLOOM_PROBES_PER_WORD;
		uint32_t	start[BLOOM_PROBES_PER_WORD] __attribute__((aligned(32)));

		_mm256_store_si256((__m256i *) start, starts_of_blocks_with_bit(bloom_next_word(&hash)));
		for (uint32_t i = 0; i < bits; i++)
		{
			const __m256i_u *one_bit = (const __m256i_u *) (&rows_of_zeros[0][0] + start[i]);

			new_low |= one_bit[0];
			new_high |= one_bit[1];
		}
		probes -= bits;
	}
	added = (half[0] ^ new_low) | (half[1] ^ new_high);
	half[0] = new_low;
	half[1] = new_high;
	return _mm256_testz_si256(added, added) == 0;
}

#define KERNEL_TARGET WITH_VECTORS
#define KERNEL(name) name##_by_avx2
#define KERNEL_VECTORS 1
#define KERNEL_ADDS 1
#include "core/bloom_kernel_template.h"

#elif FILTER_HAS_NEON

typedef uint8x8_t Lanes;

static inline Lanes
first_lanes(uint32_t bits)
{
	static const uint8_t index[BLOOM_PROBES_PER_WORD] = {0, 1, 2, 3, 4, 5, 6, 7};

	return vshr_n_u8(vcgt_u8(vdup_n_u8((uint8_t) bits), vld1_u8(index)), 7);
}

static inline bool
bits_of_word_are_set_by_neon(const uint8_t *block, uint32_t word, Lanes lanes)
{
	uint32x4_t	low = vmulq_n_u32(vld1q_u32(bloom_bit_step_power), word);
	uint32x4_t	high = vmulq_n_u32(vld1q_u32(bloom_bit_step_power + 4), word);
	/* The top 9 bits of a product number a bit of the block: 6 for its byte, 3 for the bit in that. */
	uint16x8_t	index = vcombine_u16(vshrn_n_u32(low, 16), vshrn_n_u32(high, 16));
	uint8x8_t	byte = vshrn_n_u16(index, 8);
	uint8x8_t	bit = vand_u8(vshrn_n_u16(index, 7), vdup_n_u8(7));
	uint8x16x4_t table = {{vld1q_u8(block), vld1q_u8(block + 16), vld1q_u8(block + 32), vld1q_u8(block + 48)}};
	uint8x8_t	found = vqtbl4_u8(table, vshr_n_u8(byte, 2));
	uint8x8_t	wanted = vshl_u8(lanes, vreinterpret_s8_u8(bit));

	return vget_lane_u64(vreinterpret_u64_u8(vbic_u8(wanted, found)), 0) == 0;
}

#define KERNEL_TARGET
#define KERNEL(name) name##_by_neon
#define KERNEL_VECTORS 1
#define KERNEL_ADDS 0
#include "core/bloom_kernel_template.h"

#endif

/*
 * BEST_LOOKUP and BEST_ADDITION call the function with this name for a layer and this CPU with the arguments in `call`, or are
 * its address if `call` is empty.
 */
#if FILTER_DETECTS_CPU
#define BEST_LOOKUP(layer, name, call) \
	((layer)->block_bits != BLOOM_BLOCK_BITS || !filter_cpu_has_avx2 ? name##_by_any call : name##_by_avx2 call)
#define BEST_ADDITION(layer, name, call) BEST_LOOKUP(layer, name, call)
#elif FILTER_HAS_NEON
#define BEST_LOOKUP(layer, name, call) \
	((layer)->block_bits != BLOOM_BLOCK_BITS ? name##_by_any call : name##_by_neon call)
#define BEST_ADDITION(layer, name, call) name##_by_any call
#else
#define BEST_LOOKUP(layer, name, call) ((void) (layer), name##_by_any call)
#define BEST_ADDITION(layer, name, call) name##_by_any call
#endif

bool
bloom_add(const BloomLayer *layer, uint64_t hash)
{
	return BEST_ADDITION(layer, add, (layer, hash));
}

size_t
bloom_add_all(const BloomLayer *layer, const uint64_t *hashes, size_t count)
{
	return BEST_ADDITION(layer, add_all, (layer, hashes, count));
}

LayerLookup
bloom_lookup(const BloomLayer *layer)
{
	return BEST_LOOKUP(layer, contains,);
}

size_t
bloom_contained(const BloomLayer *layer, const uint64_t *hashes, size_t count, uint32_t *index)
{
	return BEST_LOOKUP(layer, contained, (layer, hashes, count, index));
}
