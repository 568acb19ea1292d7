/*
 * Long operations pause as often as their length requires, and short ones never. A server needs this to cancel a
 * query that is inside the core.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/cuckoo.h"
#include "core/filter.h"
#include "core/hash.h"
#include "core/hash_sort.h"
#include "core/pause.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#define MANY		((size_t) 1 << 21)	/* hashes */
#define FEW			1000
#define LARGE		14000000	/* values of a filter of about 16 MB */
#define SMALL		10000

static unsigned long pauses;

static void
count_pause(void)
{
	pauses++;
}

/* Pauses since the last call. */
static unsigned long
taken(void)
{
	unsigned long count = pauses;

	pauses = 0;
	return count;
}

static void
check(const char *what, bool is_long, uint64_t work, uint64_t stride)
{
	unsigned long count = taken();

	/* A loop does not pause at its beginning, and an operation may consist of several loops. */
	if (is_long)
		ok(count + 4 >= work / stride && work / stride >= 10, "%s: %lu pauses in %" PRIu64 " steps", what, count, work);
	else
		ok(count == 0, "%s: none when it is short (%lu)", what, count);
}

static void
test_sorting(size_t count)
{
	uint64_t   *hashes = zeroed_memory(count * sizeof(uint64_t));
	uint64_t   *scratch = zeroed_memory(count * sizeof(uint64_t));
	size_t		end[1 << 6];
	bool		is_long = count == MANY;
	Random		random = {count};

	for (size_t i = 0; i < count; i++)
		hashes[i] = random_next(&random);
	hashes[1] = hashes[0];		/* so that repeats are dropped */
	filter_group_hashes(hashes, scratch, count, 6, end);
	check("grouping", is_long, 2 * count, FILTER_STRIDE_HASHES);
	/* Two passes over all for the leading digit, one that drops repeats, and 256 parts. */
	(void) filter_sort_unique(hashes, scratch, count);
	check("sorting", is_long, 3 * count + 256 * FILTER_STRIDE_HASHES, FILTER_STRIDE_HASHES);
	free(hashes);
	free(scratch);
}

static void
test_hashing(size_t length)
{
	uint8_t    *bytes = zeroed_memory(length);
	Random		random = {length};
	bool		is_long = length > (size_t) 10 << 20;

	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t) random_next(&random);
	is(filter_hash_bytes(bytes, length), XXH3_64bits(bytes, length), "%zu bytes: the hash is the same in strides", length);
	check("hashing", is_long, length, 1 << 20);
	free(bytes);
}

static void
test_filter(FilterType type, uint64_t capacity)
{
	OwnedFilter a = owned_filter_create(type, capacity, 0.01);
	OwnedFilter b = owned_filter_copy(&a);
	const char *reason;
	uint64_t	bytes = a.filter.header.layer[0].bytes;
	uint64_t	word_stride = FILTER_STRIDE_WORDS * 8;
	bool		is_long = capacity == LARGE;

	filter_copy_layer(&a.filter, 0, &b.filter, 0);
	check("copying a layer", is_long, bytes, word_stride);
	(void) filter_layer_is_empty(&a.filter, 0);
	check("looking for values", is_long, bytes, FILTER_STRIDE_WORDS);
	filter_clear_bytes(a.image + a.filter.header.layer[0].offset, (size_t) bytes);
	check("clearing a layer", is_long, bytes, word_stride);
	(void) filter_check_content(&a.filter, &reason);
	if (type == FILTER_BLOOM)
	{
		uint64_t	hashes[FEW];
		size_t		done;
		bool		changed;
		BloomLayer	layer = filter_bloom_layer(&a.filter, 0);

		check("checking", is_long, bytes, FILTER_STRIDE_WORDS);
		(void) filter_cardinality(&a.filter);
		check("counting", is_long, bytes, word_stride);
		/* It counts the bits that the union would have, and then sets them. */
		(void) filter_unite_layer(&a.filter, &b.filter, 0);
		check("union", is_long, 2 * bytes, word_stride);
		(void) filter_intersect(&a.filter, &b.filter);
		check("intersection", is_long, bytes, word_stride);
		(void) filter_rate_now(&a.filter);
		check("the rate", is_long, layer.blocks, FILTER_STRIDE_HASHES);
		for (size_t i = 0; i < FEW; i++)
			hashes[i] = i * UINT64_C(0x9e3779b97f4a7c15);
		(void) filter_add_all(&a.filter, hashes, FEW, false, &done, &changed);
		check("adding", is_long, bytes, word_stride);
	}
	else
	{
		CuckooLayer layer = filter_cuckoo_layer(&a.filter, 0);
		uint64_t	slots = cuckoo_slots(&layer);

		check("checking", is_long, slots + bytes, FILTER_STRIDE_WORDS);
		(void) filter_cardinality(&a.filter);
		check("counting", is_long, slots, FILTER_STRIDE_WORDS);
		/* Once a page. */
		cuckoo_move(&layer, &layer, true, 0);
		ok(taken() == layer.pages - 1, "moving entries");
		cuckoo_merge_copies(&layer);
		ok(taken() == layer.pages - 1, "merging copies");
	}
	owned_filter_free(&a);
	owned_filter_free(&b);
}

static void
test_hashes(FilterType type, size_t count)
{
	OwnedFilter built = owned_filter_create(type, 2 * count, 0.01);
	OwnedFilter added = owned_filter_copy(&built);
	uint64_t   *hashes = zeroed_memory(count * sizeof(uint64_t));
	Random		random = {count};
	bool		changed = false;
	bool		is_long = count > FEW;
	size_t		done;

	random_fill(&random, hashes, count);
	(void) filter_build(&built.filter, hashes, count);
	check("building", is_long, count, type == FILTER_BLOOM ? FILTER_STRIDE_HASHES : FILTER_STRIDE_ADDITIONS);
	(void) filter_add_all(&added.filter, hashes, count, false, &done, &changed);
	check("adding hashes", is_long, count, FILTER_STRIDE_ADDITIONS);
	is(filter_contains_run(&built.filter, hashes, count, true), (uint64_t) count, "all are found");
	check("probing", is_long, count, FILTER_STRIDE_HASHES);
	free(hashes);
	owned_filter_free(&built);
	owned_filter_free(&added);
}

int
main(void)
{
	filter_pause_hook = count_pause;
	test_sorting(MANY);
	test_sorting(FEW);
	test_hashing((size_t) 12 << 20);
	test_hashing(((size_t) 12 << 20) + 17);
	test_hashing(1 << 20);
	test_hashing(100);
	test_filter(FILTER_BLOOM, LARGE);
	test_filter(FILTER_BLOOM, SMALL);
	test_filter(FILTER_CUCKOO, LARGE);
	test_filter(FILTER_CUCKOO, SMALL);
	for (int type = FILTER_BLOOM; type <= FILTER_CUCKOO; type++)
	{
		test_hashes((FilterType) type, MANY / 4);
		test_hashes((FilterType) type, FEW);
	}

	/* Without a hook, the work continues. */
	filter_pause_hook = NULL;
	test_hashing(100);
	return done_testing();
}
