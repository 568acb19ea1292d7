/*
 * bench_space VALUES: bits per value of filters of VALUES values, by false positive rate.
 */
#include <math.h>

#include "measure.h"
#include "owned_filter.h"
#include "textbook_bloom.h"

#define BUCKET_LOAD 0.95		/* of a cuckoo filter with buckets of four, at best */

static void
print_filter(const char *name, FilterType type, uint64_t values, double rate)
{
	FilterView	filter;
	double		bytes;

	/* The filter may be too large for an image: only its size matters. */
	if (filter_init(&filter.header, type, rate) != FILTER_OK)
		bail_out("a rate out of range");
	(void) filter_append_layer(&filter.header, values, &bytes);
	print_measurement("bits by rate", name, rate, 1, bytes * 8.0 / (double) values);
}

int
main(int argc, char **argv)
{
	uint64_t	values;

	if (argc != 2)
	{
		fprintf(stderr, "usage: bench_space VALUES\n");
		return EXIT_FAILURE;
	}
	values = number_argument(argv[1]);

	for (int step = 2; step <= 24; step++)
	{
		double		rate = pow(10.0, -step / 4.0);
		TextbookBloom textbook = textbook_bloom_size(values, rate);
		double		fingerprint = ceil(log2(2 * 4 * BUCKET_LOAD / rate));

		print_filter("Bloom", FILTER_BLOOM, values, rate);
		print_filter("cuckoo", FILTER_CUCKOO, values, rate);
		print_measurement("bits by rate", "textbook Bloom", rate, 1, (double) textbook.bits / (double) values);
		/* With a power of two of buckets, the filter is full or only half full, depending on the number of values. */
		print_measurement("bits by rate", "plain cuckoo, at best", rate, 1, fingerprint / BUCKET_LOAD);
		print_measurement("bits by rate", "plain cuckoo, at worst", rate, 1, 2 * fingerprint / BUCKET_LOAD);
		print_measurement("bits by rate", "least possible", rate, 1, -log2(rate));
	}
	return EXIT_SUCCESS;
}
