/*
 * Prints what the drawings of docs/how_it_works.md show, by the code of src/core: one fact per line, as words.
 */
#include <stdio.h>

#include "core/bloom_inline.h"
#include "core/cuckoo_inline.h"
#include "core/hash.h"
#include "owned_filter.h"

/* Keys of the table vip, which the README creates. */
#define KEYS		2000
#define KEY(n)		(97 * (int64_t) (n))
#define RATE		0.01

static uint64_t
mixed_hash(int64_t value)
{
	return filter_mix(filter_hash_integer(value));
}

static void
print_bits(const char *name, const BloomLayer *layer, uint64_t hash)
{
	uint64_t	state = hash;
	uint32_t	word = 0;

	printf("%s", name);
	for (uint32_t probe = 0; probe < layer->probes; probe++)
	{
		if (probe % BLOOM_PROBES_PER_WORD == 0)
			word = bloom_next_word(&state);
		printf(" %u", bloom_bit_of_word(word, probe % BLOOM_PROBES_PER_WORD, layer->block_bits));
	}
	printf("\n");
}

/* A key's bits in its block, and those of an absent key of the same block, in the filter of all keys. */
static void
print_key(void)
{
	OwnedFilter owned = owned_filter_create(FILTER_BLOOM, KEYS, RATE);
	BloomLayer	layer;
	uint64_t	hash = mixed_hash(KEY(1));
	uint64_t	offset;
	int64_t		absent = 1;

	for (int64_t n = 1; n <= KEYS; n++)
		if (owned_filter_add(&owned, mixed_hash(KEY(n)), false) != FILTER_OK)
			bail_out("no value can be added");
	layer = filter_bloom_layer(&owned.filter, 0);
	offset = bloom_block_offset(&layer, hash);
	while (absent % KEY(1) == 0 || bloom_block_offset(&layer, mixed_hash(absent)) != offset ||
		   filter_contains(&owned.filter, mixed_hash(absent)))
		absent++;

	printf("bloom keys %d\nbloom bytes %u\nbloom blocks %u\nbloom block %u\n", KEYS, (unsigned) bloom_bytes(&layer),
		   layer.blocks, (unsigned) (offset / (layer.block_bits / 8)));
	printf("bloom key %d\nbloom hash %016llx\nbloom place %016llx\n", (int) KEY(1),
		   (unsigned long long) filter_hash_integer(KEY(1)), (unsigned long long) hash);
	printf("bloom set");
	for (uint32_t bit = 0; bit < layer.block_bits; bit++)
		if ((layer.bits[offset + bit / 8] >> bit % 8 & 1) != 0)
			printf(" %u", bit);
	printf("\nbloom absent %d\n", (int) absent);
	print_bits("bloom key_bits", &layer, hash);
	print_bits("bloom absent_bits", &layer, mixed_hash(absent));
	owned_filter_free(&owned);
}

static void
print_slots(const char *name, const CuckooLayer *layer)
{
	printf("cuckoo %s", name);
	for (uint64_t slot = 0; slot < cuckoo_slots(layer); slot++)
		printf(" %0*x/%u", (int) (layer->slot_bits + 2) / 4, cuckoo_load_entry(layer, slot) >> 1,
			   cuckoo_load_entry(layer, slot) & 1);
	printf("\n");
}

/*
 * Add keys to a small filter until one other entry has to move; print the slots before and after. False if the filter
 * is full before.
 */
static bool
print_kick(uint64_t capacity)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, capacity, RATE);
	CuckooLayer layer = filter_cuckoo_layer(&owned.filter, 0);
	bool		found = false;

	for (int64_t n = 1; n <= (int64_t) capacity && !found; n++)
	{
		CuckooPosition position = cuckoo_position(&layer, mixed_hash(KEY(n)));
		OwnedFilter copy = owned_filter_copy(&owned);
		CuckooLayer before = filter_cuckoo_layer(&copy.filter, 0);
		uint32_t	moved = 0;

		if (cuckoo_add(&layer, &position) != FILTER_OK)
			bail_out("a value finds no slot");
		for (uint64_t slot = 0; slot < cuckoo_slots(&layer); slot++)
			moved += cuckoo_load_entry(&before, slot) != 0 &&
				cuckoo_load_entry(&before, slot) != cuckoo_load_entry(&layer, slot);
		found = moved == 1;
		if (found)
		{
			printf("cuckoo key %d\ncuckoo entries %d\ncuckoo windows %u\ncuckoo slot_bits %u\n", (int) KEY(n), (int) n,
				   layer.windows, layer.slot_bits);
			printf("cuckoo place %u %u %x\n", position.window[0], position.window[1], position.fingerprint);
			print_slots("before", &before);
			print_slots("after", &layer);
		}
		owned_filter_free(&copy);
	}
	owned_filter_free(&owned);
	return found;
}

/* The layers of a filter that was created without a capacity, and one that was created for all values. */
#define GROWN_TO	15000

static void
print_layers(const char *name, uint64_t capacity)
{
	OwnedFilter owned = owned_filter_create(FILTER_BLOOM, capacity, RATE);
	double		sum = 0.0;

	for (int64_t n = 1; n <= GROWN_TO; n++)
		if (owned_filter_add(&owned, mixed_hash(n), false) != FILTER_OK)
			bail_out("no value can be added");
	for (uint32_t i = 0; i < owned.filter.header.layers; i++)
	{
		double		fraction = filter_layer_rate_fraction(i);

		sum += fraction;
		printf("layers %s %llu %llu %.4f\n", name, (unsigned long long) owned.filter.header.layer[i].capacity,
			   (unsigned long long) owned.filter.header.layer[i].bytes, 100.0 * RATE * fraction);
	}
	printf("layers %s_sum %d %llu %.4f %.4f\n", name, GROWN_TO, (unsigned long long) owned.image_bytes, 100.0 * RATE * sum,
		   100.0 * filter_rate_now(&owned.filter));
	owned_filter_free(&owned);
}

/* Bits per value of filters of 10 million values, for docs/performance/space.svg. */
#define SPACE_VALUES	10000000

static void
print_space(const char *name, FilterType type, double rate)
{
	FilterHeader filter;
	double		bytes;

	if (filter_init(&filter, type, rate) != FILTER_OK)
		bail_out("a rate out of range");
	(void) filter_append_layer(&filter, SPACE_VALUES, &bytes);
	printf("space %s %g %.2f\n", name, rate, bytes * 8.0 / SPACE_VALUES);
}

int
main(void)
{
	static const double mantissa[] = {1.0, 1.5, 2.0, 3.0, 5.0, 7.0};

	print_key();
	for (uint64_t capacity = 16; !print_kick(capacity);)
		capacity++;
	print_layers("grown", 0);
	print_layers("planned", GROWN_TO);
	for (double power = 1e-6; power < 0.5; power *= 10.0)
		for (size_t i = 0; i < sizeof(mantissa) / sizeof(*mantissa) && power * mantissa[i] < 0.31; i++)
		{
			print_space("bloom", FILTER_BLOOM, power * mantissa[i]);
			print_space("cuckoo", FILTER_CUCKOO, power * mantissa[i]);
		}
	return 0;
}
