/*
 * Functions that the programs share: the clock, and the line that each measurement prints,
 *
 *     topic <tab> contender <tab> x <tab> repetition <tab> value
 *
 * where x is the position on the horizontal axis of a plot. In every repetition all contenders run one after another,
 * so that report.pl can take the ratio of two within a repetition: a machine that is slow for a while slows both.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double
processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static inline void
print_measurement(const char *topic, const char *contender, double x, unsigned repetition, double value)
{
	printf("%s\t%s\t%.10g\t%u\t%.6g\n", topic, contender, x, repetition, value);
	fflush(stdout);
}

/* The number in an argument; exits if it is not one above zero. */
static inline uint64_t
number_argument(const char *text)
{
	char	   *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (*text == '\0' || *end != '\0' || number == 0)
	{
		fprintf(stderr, "not a number above zero: %s\n", text);
		exit(EXIT_FAILURE);
	}
	return number;
}

#endif
