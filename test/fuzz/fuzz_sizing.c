/*
 * Sizes for any capacity and rate. The result is always an error, or a geometry that is valid, sufficient and of the
 * reported size. Input: records of a byte for the type and options, eight for the capacity, eight for the rate.
 */
#include "fuzz.h"

#include "core/bloom.h"
#include "core/cuckoo.h"
#include "core/filter.h"

#include <float.h>
#include <math.h>

/* The floating-point error of sums and inversions. */
#define SLACK (1.0 + 1e-9)

/* The rate of a full cuckoo layer with the widest slots. */
#define WIDEST_SLOT_RATE 9.4e-10

static double
layer_rate(const FilterView *filter, uint32_t layer)
{
	const FilterLayer *from = &filter->header.layer[layer];

	if (filter->header.type == FILTER_BLOOM)
	{
		BloomLayer	geometry = {from->count, from->size, from->width, NULL};

		return bloom_rate(&geometry, (double) from->capacity);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		return cuckoo_rate(&cuckoo, fmin((double) from->capacity, (double) cuckoo_slots(&cuckoo)));
	}
}

static void
check_layer(const FilterView *filter, uint32_t layer, double bytes)
{
	const FilterLayer *made = &filter->header.layer[layer];
	double		expected;
	double		rate = filter->header.rate * filter_layer_rate_fraction(layer);

	if (filter->header.type == FILTER_BLOOM)
	{
		BloomLayer	bloom = filter_bloom_layer(filter, layer);

		if (!bloom_geometry_is_valid(made->count, made->size, made->width))
			broken("%u blocks of %u bits, %u probes", made->count, made->size, made->width);
		expected = (double) bloom_bytes(&bloom);
	}
	else
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		if (!cuckoo_geometry_is_valid(made->count, made->size, made->width))
			broken("%u pages of %u windows, %u bits", made->count, made->size, made->width);
		/*
		 * A first layer has slots for its capacity. Any other has twice the windows of the one before, and therefore
		 * fewer than twice its slots: if the first was made for two or three values, layers are full before they reach
		 * their capacity.
		 */
		if ((double) cuckoo_slots(&cuckoo) * (layer == 0 ? 1.0 : 1.6) < (double) made->capacity)
			broken("%.0f slots for %.0f entries", (double) cuckoo_slots(&cuckoo), (double) made->capacity);
		expected = (double) cuckoo_bytes(&cuckoo);
	}
	if (bytes != expected)
		broken("a layer of %.0f bytes is reported to have %.0f", expected, bytes);
	/* With the widest slots, no lower rate is possible. */
	if (made->width == CUCKOO_MAX_SLOT_BITS && filter->header.type == FILTER_CUCKOO)
		rate = fmax(rate, WIDEST_SLOT_RATE);
	if (layer_rate(filter, layer) > rate * SLACK)
		broken("layer %u has a rate of %g, not %g", layer, layer_rate(filter, layer), rate);
}

/* A first layer, made larger several times. */
static void
check_enlarged(const FilterView *filter, double bytes)
{
	FilterView	larger = *filter;

	for (int pass = 0; pass < 8; pass++)
	{
		double		had = bytes;

		if (filter_enlarge_newest(&larger.header, &bytes) != FILTER_OK)
			return;
		if (!(bytes > had))
			broken("%.0f bytes are enlarged to %.0f", had, bytes);
		check_layer(&larger, 0, bytes);
	}
}

/* A layer of that capacity, and additional ones until a limit is reached. */
static void
check_filter(FilterType type, uint64_t capacity, double rate)
{
	FilterView	filter;
	FilterStatus status = filter_init(&filter.header, type, rate);
	double		sum = 0.0;
	double		bytes,
				image_bytes;

	if ((status == FILTER_OK) != (rate >= FILTER_MIN_RATE && rate <= FILTER_MAX_RATE) ||
		(status != FILTER_OK && status != FILTER_BAD_RATE))
		broken("a rate of %g results in status %d", rate, (int) status);
	if (status != FILTER_OK)
		return;
	for (;;)
	{
		uint32_t	layers = filter.header.layers;

		status = filter_append_layer(&filter.header, layers == 0 ? capacity : 0, &bytes);
		if (status != FILTER_OK)
			break;
		if (filter.header.layers != layers + 1)
			broken("a layer is appended, and the filter has %u", filter.header.layers);
		if (layers == 0 && filter.header.layer[0].capacity != (capacity > 0 ? capacity : FILTER_DEFAULT_CAPACITY))
			broken("a layer of another capacity");
		check_layer(&filter, layers, bytes);
		if (layers == 0 && type == FILTER_CUCKOO)
			check_enlarged(&filter, bytes);
		sum += layer_rate(&filter, layers);
		if (layers > 0 && type == FILTER_CUCKOO)
		{
			CuckooLayer older = filter_cuckoo_layer(&filter, layers - 1);
			CuckooLayer newer = filter_cuckoo_layer(&filter, layers);

			if (!cuckoo_can_fold(&older, &newer) && newer.slot_bits >= older.slot_bits)
				broken("layer %u does not refine the one before", layers);
		}
		if (filter_lay_out(&filter.header, &image_bytes) == FILTER_OK
			? image_bytes > FILTER_MAX_IMAGE_BYTES || image_bytes < bytes : image_bytes <= FILTER_MAX_IMAGE_BYTES)
			broken("an image of %.0f bytes", image_bytes);
	}
	if (!(bytes >= 0.0))
		broken("%g bytes", bytes);
	if (status == FILTER_TOO_LARGE ? bytes <= FILTER_MAX_IMAGE_BYTES : status != FILTER_TOO_MANY_LAYERS)
		broken("%.0f bytes result in status %d", bytes, (int) status);
	if (sum > 1.4 * rate * SLACK)
		broken("rates sum to %g, for %g", sum, rate);
}

/* Choosing a geometry works for any rate above 0 and below 1. */
static void
check_geometry(FilterType type, uint64_t capacity, double rate)
{
	double		bytes = -1.0;

	/* Except subnormal numbers, a fraction of which may be 0. */
	if (!(rate >= DBL_MIN && rate < 1.0) || capacity == 0)
		return;
	if (type == FILTER_BLOOM)
	{
		BloomLayer	geometry = {0, 0, 0, NULL};

		if (bloom_choose_geometry(capacity, rate, &geometry, &bytes) == FILTER_OK &&
			!bloom_geometry_is_valid(geometry.blocks, geometry.block_bits, geometry.probes))
			broken("%u blocks of %u bits, %u probes", geometry.blocks, geometry.block_bits, geometry.probes);
		if (!(bytes > 0.0))
			broken("%g bytes", bytes);
		if (geometry.blocks > 0 && !(bloom_rate(&geometry, (double) capacity) <= 1.0))
			broken("a rate of %g", bloom_rate(&geometry, (double) capacity));
	}
	else
	{
		CuckooLayer geometry = {0};
		FilterStatus status = cuckoo_choose_geometry(capacity, rate, &geometry, &bytes);

		if (!(bytes > 0.0))
			broken("%g bytes", bytes);
		if (status != FILTER_OK)
			return;
		if (!cuckoo_geometry_is_valid(geometry.pages, geometry.windows, geometry.slot_bits))
			broken("%u pages of %u windows, %u bits", geometry.pages, geometry.windows, geometry.slot_bits);
		if (bytes != (double) cuckoo_bytes(&geometry))
			broken("%.0f bytes are reported as %.0f", (double) cuckoo_bytes(&geometry), bytes);
		if (!(cuckoo_rate(&geometry, (double) capacity) <= 1.0))
			broken("a rate of %g", cuckoo_rate(&geometry, (double) capacity));
	}
}

void
fuzz_sizing(const uint8_t *bytes, size_t length)
{
	Input		input = {bytes, length};

	for (int records = 0; records < 4 && input.left > 0; records++)
	{
		uint32_t	what = (uint32_t) input_number(&input, 1);
		FilterType	type = what & 1 ? FILTER_BLOOM : FILTER_CUCKOO;
		uint64_t	capacity = input_number(&input, 8);
		double		rate = double_of(input_number(&input, 8));

		/* Any pattern of bits, or numbers within the range. */
		if (what & 2)
			capacity >>= what >> 2;
		if (what & 128)
			rate = FILTER_MIN_RATE * pow(FILTER_MAX_RATE / FILTER_MIN_RATE, fabs(fmod(rate, 1.0)));
		check_filter(type, capacity, rate);
		check_geometry(type, capacity, rate);
	}
}
