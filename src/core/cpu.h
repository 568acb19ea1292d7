/*
 * What the CPU can do that its architecture alone does not promise.
 */
#ifndef FILTER_CPU_H
#define FILTER_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* With FILTER_NO_VECTORS (make VECTORS=0), only the plain C is compiled, which other CPUs run. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(FILTER_NO_VECTORS)
#define FILTER_DETECTS_CPU 1

/* And the instruction that counts bits, which every such CPU has. Set before main, or when the library is loaded. */
extern bool filter_cpu_has_avx2;

/* Of AVX-512, the foundation and the instructions on shorter vectors. */
extern bool filter_cpu_has_avx512;

/* BMI and BMI2: the instructions that shift by any number of bits in one step, among others. */
extern bool filter_cpu_has_bmi;
#define FILTER_WITH_BMI __attribute__((target("bmi,bmi2")))
#else
#define FILTER_DETECTS_CPU 0
#endif

/*
 * FILTER_VARIANTS defines static functions that call an inline one with the arguments in `call`; FILTER_BEST_VARIANT is
 * the address of the one for this CPU. Where the CPU is detected, the inline function is compiled twice: for any CPU, and
 * with FILTER_WITH_BMI. FILTER_FOR_CPU also defines a function that calls the best one. linkage: static or extern.
 */
#if FILTER_DETECTS_CPU
#define FILTER_VARIANTS(type, name, inline_name, parameters, call) \
	FILTER_WITH_BMI static type name##_by_bmi parameters { return inline_name call; } \
	FILTER_NOINLINE static type name##_by_any parameters { return inline_name call; }
#define FILTER_BEST_VARIANT(name) (filter_cpu_has_bmi ? name##_by_bmi : name##_by_any)
#define FILTER_FOR_CPU(linkage, type, name, inline_name, parameters, call) \
	FILTER_VARIANTS(type, name, inline_name, parameters, call) \
	linkage type name parameters { return filter_cpu_has_bmi ? name##_by_bmi call : name##_by_any call; }
#else
#define FILTER_VARIANTS(type, name, inline_name, parameters, call) \
	static type name##_by_any parameters { return inline_name call; }
#define FILTER_BEST_VARIANT(name) name##_by_any
#define FILTER_FOR_CPU(linkage, type, name, inline_name, parameters, call) \
	linkage type name parameters { return inline_name call; }
#endif

/* Bits set in a number of bytes that is a multiple of 8. Does not pause. */
extern uint64_t filter_count_bits(const uint8_t *bits, uint64_t bytes);

#endif
