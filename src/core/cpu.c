/*
 * The features of the CPU are found out when the library is loaded, so that no call has to. Counting bits takes fewer
 * instructions where the CPU has popcnt.
 */
#include "core/cpu.h"

#include "core/arithmetic.h"
#include "core/bytes.h"

FILTER_ALWAYS_INLINE uint64_t
count_bits(const uint8_t *bits, uint64_t bytes)
{
	uint64_t	count = 0;

	for (uint64_t i = 0; i < bytes; i += 8)
		count += filter_popcount_64(load_le64(bits + i));
	return count;
}

#if FILTER_DETECTS_CPU

bool		filter_cpu_has_avx2 = false;
bool		filter_cpu_has_bmi = false;

__attribute__((constructor)) static void
detect(void)
{
	filter_cpu_has_avx2 = __builtin_cpu_supports("avx2") != 0;
	filter_cpu_has_bmi = __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
		__builtin_cpu_supports("popcnt") != 0;
}

#endif

FILTER_FOR_CPU(extern, uint64_t, filter_count_bits, count_bits, (const uint8_t *bits, uint64_t bytes), (bits, bytes))
