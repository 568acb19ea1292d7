/*
 * bench_read MEGABYTES REPETITIONS: nanoseconds per dependent read, which waits for the one before it, in memory of
 * MEGABYTES. This is the memory latency in a scan that probes a filter of that size: a probe of a Bloom filter reads
 * one cache line, and two rows of a scan are too far apart for a CPU to process both at once.
 */
#include <string.h>

#include "measure.h"
#include "random.h"

#define LINE_WORDS	8			/* words in a line of the cache */
#define READS		1000000

int
main(int argc, char **argv)
{
	uint64_t	megabytes,
				repetitions,
				lines;
	uint64_t   *words;
	Random		random = {1};

	if (argc != 3)
	{
		fprintf(stderr, "usage: bench_read MEGABYTES REPETITIONS\n");
		return EXIT_FAILURE;
	}
	megabytes = number_argument(argv[1]);
	repetitions = number_argument(argv[2]);
	lines = megabytes * 1000000 / (LINE_WORDS * sizeof(uint64_t));
	words = calloc(lines * LINE_WORDS, sizeof(uint64_t));
	if (words == NULL)
	{
		fprintf(stderr, "out of memory\n");
		return EXIT_FAILURE;
	}

	/* One cycle through all lines in random order (Sattolo 1986): each holds the number of the next. */
	for (uint64_t i = 0; i < lines; i++)
		words[i * LINE_WORDS] = i;
	for (uint64_t i = lines - 1; i > 0; i--)
	{
		uint64_t	j = random_below(&random, i);
		uint64_t	swap = words[i * LINE_WORDS];

		words[i * LINE_WORDS] = words[j * LINE_WORDS];
		words[j * LINE_WORDS] = swap;
	}

	for (unsigned repetition = 1; repetition <= repetitions; repetition++)
	{
		uint64_t	line = 0;
		double		start = processor_ns();

		for (unsigned i = 0; i < READS; i++)
			line = words[line * LINE_WORDS];
		/* line < lines, but the compiler does not know that, and so cannot drop the reads. */
		print_measurement("read", "one read", (double) megabytes, repetition,
						  (processor_ns() - start + (line == lines)) / READS);
	}
	free(words);
	return EXIT_SUCCESS;
}
