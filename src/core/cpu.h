/*
 * What the CPU can do that its architecture alone does not promise.
 */
#ifndef FILTER_CPU_H
#define FILTER_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* A lookup of a hash in a layer of either type, by code for this CPU. */
typedef bool (*LayerLookup) (const void *layer, uint64_t hash);

/* With FILTER_NO_VECTORS (make VECTORS=0), only the plain C is compiled, which other CPUs run. */
#if defined(__x86_64__) && !defined(FILTER_NO_VECTORS)
#define FILTER_DETECTS_CPU 1

/* They are set before main, or when the library is loaded. */
extern bool filter_cpu_has_avx2;

/* BMI and BMI2 shift by any number of bits in one instruction. Every CPU that has them can also count bits (popcnt). */
extern bool filter_cpu_has_bmi;
#define FILTER_WITH_BMI __attribute__((target("bmi,bmi2,popcnt")))
#else
#define FILTER_DETECTS_CPU 0
#endif

#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(FILTER_NO_VECTORS)
#define FILTER_HAS_NEON 1
#else
#define FILTER_HAS_NEON 0
#endif

/*
 * FILTER_FOR_CPU defines a function that calls an inline one with the arguments in `call`. Where the CPU is detected, the
 * inline function is compiled twice, for any CPU and with FILTER_WITH_BMI, and each call chooses. FILTER_VARIANTS defines
 * these static functions alone; FILTER_BEST calls the one for this CPU, or is its address if `call` is empty. linkage: static
 * or extern.
 */
#if FILTER_DETECTS_CPU
#define FILTER_VARIANTS(type, name, inline_name, parameters, call) \
	FILTER_WITH_BMI static type name##_by_bmi parameters { return inline_name call; } \
	FILTER_NOINLINE static type name##_by_any parameters { return inline_name call; }
#define FILTER_BEST(name, call) (filter_cpu_has_bmi ? name##_by_bmi call : name##_by_any call)
#else
#define FILTER_VARIANTS(type, name, inline_name, parameters, call) \
	static type name##_by_any parameters { return inline_name call; }
#define FILTER_BEST(name, call) name##_by_any call
#endif
#define FILTER_FOR_CPU(linkage, type, name, inline_name, parameters, call) \
	FILTER_VARIANTS(type, name, inline_name, parameters, call) \
	linkage type name parameters { return FILTER_BEST(name, call); }

/* The number of bits set in `bytes` bytes, a multiple of 8. Does not pause. */
extern uint64_t filter_count_bits(const uint8_t *bits, uint64_t bytes);

#endif
