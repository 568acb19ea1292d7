/*
 * TAP output of unit tests: each ok() or is() prints one test point, done_testing() the plan.
 * Details of a failure go to standard error, which the harness shows.
 *
 * A loop over thousands of cases is one point: count errors with wrong(), which prints the first few, and give the
 * count to none_wrong().
 */
#ifndef UNIT_TAP_H
#define UNIT_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define TAP_PRINTF(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
#else
#define TAP_PRINTF(format_at, values_at)
#endif

#define TAP_MAX_PRINTED 10

static int	tap_points;
static int	tap_failures;

static inline void
tap_print(FILE *to, const char *before, const char *format, va_list values)
{
	fputs(before, to);
	vfprintf(to, format, values);
	fputc('\n', to);
}

static inline void diag(const char *format,...) TAP_PRINTF(1, 2);
static inline void
diag(const char *format,...)
{
	va_list		values;

	va_start(values, format);
	tap_print(stderr, "# ", format, values);
	va_end(values);
}

static inline bool
tap_point(bool passed, const char *format, va_list values)
{
	char		before[40];

	tap_points++;
	if (!passed)
		tap_failures++;
	snprintf(before, sizeof(before), "%sok %d - ", passed ? "" : "not ", tap_points);
	tap_print(stdout, before, format, values);
	fflush(stdout);
	return passed;
}

static inline bool ok(bool passed, const char *format,...) TAP_PRINTF(2, 3);
static inline bool
ok(bool passed, const char *format,...)
{
	va_list		values;

	va_start(values, format);
	tap_point(passed, format, values);
	va_end(values);
	return passed;
}

static inline bool is(uint64_t got, uint64_t expected, const char *format,...) TAP_PRINTF(3, 4);
static inline bool
is(uint64_t got, uint64_t expected, const char *format,...)
{
	va_list		values;

	va_start(values, format);
	tap_point(got == expected, format, values);
	va_end(values);
	if (got != expected)
		diag("got %" PRIu64 " (0x%" PRIx64 "), expected %" PRIu64 " (0x%" PRIx64 ")", got, got, expected, expected);
	return got == expected;
}

/* Count a wrong case of a loop, and print it if it is one of the first. */
static inline void wrong(uint64_t *count, const char *format,...) TAP_PRINTF(2, 3);
static inline void
wrong(uint64_t *count, const char *format,...)
{
	va_list		values;

	if (++*count > TAP_MAX_PRINTED)
		return;
	va_start(values, format);
	tap_print(stderr, "# ", format, values);
	va_end(values);
}

static inline bool none_wrong(uint64_t count, const char *format,...) TAP_PRINTF(2, 3);
static inline bool
none_wrong(uint64_t count, const char *format,...)
{
	va_list		values;

	va_start(values, format);
	tap_point(count == 0, format, values);
	va_end(values);
	if (count != 0)
		diag("wrong in %" PRIu64 " cases", count);
	return count == 0;
}

/* A test point that cannot run on this machine. */
static inline void
skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_points, name, why);
	fflush(stdout);
}

static inline void
bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(EXIT_FAILURE);
}

/*
 * The number of repetitions of a test with random cases: fewer with CUCKOO_FILTER_QUICK=1, for emulated CPUs and
 * instrumented programs.
 */
static inline uint64_t
repeats(uint64_t often)
{
	static int	quick = -1;

	if (quick < 0)
	{
		const char *wanted = getenv("CUCKOO_FILTER_QUICK");

		quick = wanted != NULL && wanted[0] == '1';
	}
	return quick ? (often + 15) / 16 : often;
}

/* Print the plan. main ends by returning the result. */
static inline int
done_testing(void)
{
	printf("1..%d\n", tap_points);
	return tap_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Allocate exactly this much memory, so that sanitizers detect accesses outside; bails out if there is none. */
static inline void *
zeroed_memory(uint64_t bytes)
{
	void	   *memory = bytes <= SIZE_MAX ? calloc(1, bytes > 0 ? (size_t) bytes : 1) : NULL;

	if (memory == NULL)
		bail_out("out of memory");
	return memory;
}

/* The double with these bits. */
static inline double
double_of(uint64_t pattern)
{
	double		value;

	memcpy(&value, &pattern, sizeof(value));
	return value;
}

#endif
