/*
 * Images from outside: an image that was written opens again unchanged, and damaged bytes are either rejected, with a
 * reason, or are a filter on which every operation runs and accesses only the image.
 *
 * Each damaged image is in memory of exactly its size, so that a build with -fsanitize=address (or valgrind) detects
 * any access outside, including reads; the plain build detects writes next to it.
 */
#include <string.h>

#include "chosen_hashes.h"
#include "core/bytes.h"
#include "core/cuckoo_stash.h"
#include "core/hash.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

#define GUARD_BYTES	64
#define GUARD		0xa5

/*
 * Images to start from: of both types, without layers, with one and with several, with and without values and a name.
 */

#define IMAGES 17

static OwnedFilter images[IMAGES];
static const char *image_names[IMAGES];
static int	images_made;

static void
keep_image(const char *name, OwnedFilter *owned)
{
	if (images_made == IMAGES)
		bail_out("more images than expected");
	images[images_made] = *owned;
	image_names[images_made] = name;
	images_made++;
}

static void
make_image(const char *name, FilterType type, uint64_t capacity, double rate, ValueKindCode kind, const char *kind_name,
		   int values)
{
	OwnedFilter owned = owned_filter_create(type, capacity, rate);

	if (kind != VALUE_KIND_NONE)
		owned_filter_set_kind(&owned, kind, kind_name);
	for (int i = 0; i < values; i++)
		if (owned_filter_add(&owned, filter_hash_integer(i), false) != FILTER_OK)
			bail_out("an image could not be filled");
	keep_image(name, &owned);
}

/* Two layers, and a copy of the same value in both. */
static void
make_image_of_copies(void)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, 5, 0.01);
	bool		changed;

	owned_filter_set_kind(&owned, VALUE_KIND_NAMED, "int4[]");
	(void) filter_add(&owned.filter, 42, false, &changed);
	if (owned_filter_grow(&owned, 0) != FILTER_OK)
		bail_out("an image could not be filled");
	(void) filter_add(&owned.filter, 42, false, &changed);
	for (int i = 0; i < 7; i++)
		(void) filter_add(&owned.filter, filter_hash_integer(i), true, &changed);
	keep_image("cuckoo, copies in two layers", &owned);
}

/* Filters that do not grow, with more values than their capacity or as many as fit. */
static void
make_image_of_fixed(const char *name, FilterType type)
{
	OwnedFilter owned = owned_filter_create(type, 40, 0.5);
	bool		changed;

	owned_filter_set_kind(&owned, VALUE_KIND_NAMED, "int4[]");
	filter_set_fixed(&owned.filter);
	for (int i = 0; i < 60; i++)
		(void) filter_add(&owned.filter, filter_hash_integer(i), false, &changed);
	keep_image(name, &owned);
}

/*
 * Copies and values that share their windows: a layer with counters and a stash that is not full, and one like it before and
 * after another one; or a set of them, or a filter that does not grow.
 */
static void
make_image_with_stash(const char *name, uint32_t layers, bool is_set, bool fixed)
{
	OwnedFilter owned = owned_filter_create(FILTER_CUCKOO, 80, 0.01);

	owned_filter_set_kind(&owned, VALUE_KIND_INTEGER, "");
	if (fixed)
		filter_set_fixed(&owned.filter);
	for (uint32_t layer = 0; layer < layers; layer++)
	{
		CuckooLayer newest;
		uint64_t	chosen[8];
		Random		random = {layer + 1};
		size_t		count;

		if (layer > 0 && owned_filter_grow(&owned, layer == 1 ? 0 : 70) != FILTER_OK)
			bail_out("an image could not be filled");
		newest = filter_cuckoo_layer(&owned.filter, layer);
		count = layer == 1 ? 0 : choose_neighbours(&newest, &random, chosen, 8);
		for (int i = 0; i < 20 + 2 * (int) count; i++)
			if (owned_filter_add(&owned, i < 20 ? filter_hash_integer(i / 4 + 10 * (int) layer) : chosen[i / 2 - 10], false) != FILTER_OK)
				bail_out("an image could not be filled");
		newest = filter_cuckoo_layer(&owned.filter, layer);
		if (owned.filter.header.layers != layer + 1 || (layer != 1 && (!newest.counted || cuckoo_stash_used(&newest) == 0 ||
															   cuckoo_stash_used(&newest) == newest.stash_capacity)))
			bail_out("an image has no stash, or a full one, or no counters");
	}
	if (is_set && owned_filter_become_set(&owned) != FILTER_OK)
		bail_out("an image is no set");
	keep_image(name, &owned);
}

static void
make_images(void)
{
	make_image("bloom, no layers", FILTER_BLOOM, 0, 0.01, VALUE_KIND_NONE, "", 0);
	make_image("bloom, empty", FILTER_BLOOM, 10, 0.01, VALUE_KIND_NONE, "", 0);
	make_image("bloom, one block", FILTER_BLOOM, 10, 0.001, VALUE_KIND_INTEGER, "", 10);
	make_image("bloom, many blocks", FILTER_BLOOM, 2000, 0.1, VALUE_KIND_TEXT, "", 900);
	make_image("bloom, five layers", FILTER_BLOOM, 3, 0.05, VALUE_KIND_NAMED, "citext", 70);
	make_image("cuckoo, no layers", FILTER_CUCKOO, 0, 0.5, VALUE_KIND_NONE, "", 0);
	make_image("cuckoo, empty", FILTER_CUCKOO, 1, 1e-7, VALUE_KIND_UUID, "", 0);
	make_image("cuckoo, one layer", FILTER_CUCKOO, 30, 0.01, VALUE_KIND_NAMED, "x", 25);
	make_image("cuckoo, narrow slots", FILTER_CUCKOO, 50, 0.5, VALUE_KIND_ENUM, "", 50);
	make_image("cuckoo, several layers", FILTER_CUCKOO, 3, 0.001, VALUE_KIND_FLOAT, "", 60);
	make_image_of_copies();
	make_image_of_fixed("bloom, does not grow", FILTER_BLOOM);
	make_image_of_fixed("cuckoo, does not grow", FILTER_CUCKOO);
	make_image_with_stash("cuckoo, counters and a stash, does not grow", 1, false, true);
	make_image_with_stash("cuckoo, counters and stashes in several layers", 3, false, false);
	make_image_with_stash("cuckoo, a set with a stash", 1, true, false);
	make_image_with_stash("cuckoo, a set with stashes in several layers", 3, true, false);
	if (images_made != IMAGES)
		bail_out("fewer images than expected");
}

/*
 * Every operation, on a filter of which only the header has been checked.
 */

/* Hashes to look up and add, including extreme values. */
static uint64_t probes[40];

static void
make_probes(void)
{
	Random		random = {1};
	static const uint64_t edges[] = {0, UINT64_MAX, UINT64_C(0xffffffff00000000), UINT64_C(0x00000000ffffffff)};

	random_fill(&random, probes, sizeof(probes) / sizeof(probes[0]));
	memcpy(probes, edges, sizeof(edges));
	for (int i = 0; i < 10; i++)
		probes[10 + i] = filter_hash_integer(i);
}

#define PROBES (sizeof(probes) / sizeof(probes[0]))

static void
read_everything(const FilterView *filter, uint64_t image_bytes)
{
	const char *reason = NULL;
	double		sum = 0.0;

	for (size_t i = 0; i < PROBES; i++)
	{
		bool		contains = filter_contains(filter, probes[i]);

		check_ranges(filter, image_bytes, probes[i]);
		if (filter->header.type == FILTER_CUCKOO && (filter_count(filter, probes[i]) > 0) != contains)
			bail_out("a value is counted and not contained, or contained and not counted");
		sum += contains;
	}
	sum += (double) filter_contains_run(filter, probes, PROBES, true);
	sum += (double) filter_contains_run(filter, probes, PROBES, false);
	sum += filter_cardinality(filter) + filter_rate_now(filter) + (double) filter_capacity(&filter->header);
	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		sum += filter_layer_fill(filter, layer) + filter_layer_is_empty(filter, layer);
		if (filter->header.type == FILTER_CUCKOO)
		{
			CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

			sum += (double) copies_in_layer(&cuckoo) + (double) further_entries_in_layer(&cuckoo);
		}
	}
	if (filter_check_content(filter, &reason) != FILTER_OK && reason == NULL)
		bail_out("an image was rejected without a reason");
	/* Use the sum, so that the compiler cannot drop the computation. */
	if (sum == -1.0)
		diag("a sum of -1");
}

/* Plan another layer and more room; no memory is allocated, since a damaged capacity may require any amount. */
static void
plan_growth(const FilterView *filter)
{
	FilterHeader next = filter->header;
	double		bytes;

	if (next.layers > 0)
	{
		FilterHeader larger;

		for (size_t i = 0; i < PROBES; i += 13)
			if (filter_plan_growth(filter, probes[i], &larger, &bytes) == FILTER_OK)
				(void) filter_lay_out(&larger, &bytes);
	}
	(void) filter_append_layer(&next, 0, &bytes);
	if (next.layers > 0)
	{
		(void) filter_lay_out(&next, &bytes);
		if (next.type == FILTER_CUCKOO && filter_enlarge_newest(&next, &bytes) == FILTER_OK)
			(void) filter_lay_out(&next, &bytes);
	}
}

static void
change_everything(FilterView *filter)
{
	bool		changed = false;
	size_t		done;
	int			failures = 0;

	/* A failed search for a free slot takes long, so once is enough. */
	for (size_t i = 0; i < PROBES && failures == 0; i++)
		failures += filter_add(filter, probes[i], i % 3 == 0, &changed) != FILTER_OK;
	(void) filter_add_all(filter, probes, PROBES, false, &done, &changed);
	(void) filter_add_all(filter, probes, PROBES, true, &done, &changed);
	if (filter->header.type == FILTER_CUCKOO)
	{
		for (size_t i = 0; i < PROBES && !filter->header.is_set; i++)
			(void) filter_remove(filter, probes[i]);
		if (!filter->header.is_set)
			(void) filter_remove_all(filter, probes, PROBES);
		if (filter->header.layers > 0)
			(void) filter_build(filter, probes, PROBES);
		filter_compact(filter);
		for (uint32_t layer = 0; layer < filter->header.layers; layer++)
		{
			CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

			cuckoo_merge_copies(&cuckoo);
		}
	}
	else
		(void) filter_intersect(filter, filter);
	for (uint32_t layer = 0; layer < filter->header.layers && (filter->header.type == FILTER_BLOOM || filter->header.is_set); layer++)
	{
		FilterView	copy = owned_filter_copy_content(filter);

		(void) filter_unite_layer(filter, &copy, layer);
		free(copy.image);
	}
}

/* Run all operations, in memory of exactly the image's size and between guards; false if a guard was overwritten. */
static bool
use_image(const uint8_t *bytes, uint64_t length)
{
	uint8_t    *exact = zeroed_memory(length);
	uint8_t    *guarded = zeroed_memory(length + 2 * GUARD_BYTES);
	const char *reason;
	FilterView	filter;
	bool		intact = true;

	if (length > 0)
		memcpy(exact, bytes, (size_t) length);
	memset(guarded, GUARD, (size_t) length + 2 * GUARD_BYTES);
	if (length > 0)
		memcpy(guarded + GUARD_BYTES, bytes, (size_t) length);

	if (filter_open(&filter, exact, length, &reason) == FILTER_OK)
	{
		read_everything(&filter, length);
		plan_growth(&filter);
		change_everything(&filter);
		read_everything(&filter, length);
		if (filter_open(&filter, exact, length, &reason) != FILTER_OK)
			bail_out("an image no longer opens after it was used");
	}
	if (filter_open(&filter, guarded + GUARD_BYTES, length, &reason) == FILTER_OK)
		change_everything(&filter);
	for (int i = 0; i < GUARD_BYTES; i++)
		intact &= guarded[i] == GUARD && guarded[GUARD_BYTES + length + (uint64_t) i] == GUARD;
	free(exact);
	free(guarded);
	return intact;
}

typedef struct Damage
{
	uint64_t	refused;
	uint64_t	opened;
	uint64_t	unexplained;	/* rejected without a reason */
	uint64_t	outside;		/* something outside the image was written */
	uint64_t	unlike;			/* the header alone had another result */
} Damage;

/*
 * Open the header alone, in memory of its size: the result must be that for the whole image, unless a stash, which the header does
 * not show, is not complete.
 */
static bool
header_opens_alike(const uint8_t *bytes, uint64_t length, FilterStatus expected)
{
	uint64_t	head_length = length < FILTER_MAX_HEADER_BYTES ? length : FILTER_MAX_HEADER_BYTES;
	uint8_t    *head = zeroed_memory(head_length);
	const char *reason = NULL;
	FilterHeader header;
	FilterStatus status;

	if (head_length > 0)
		memcpy(head, bytes, (size_t) head_length);
	status = filter_open_header(&header, head, head_length, length, &reason);
	free(head);
	if (status == FILTER_OK && header.has_stash)
		return true;
	return status == expected && (status == FILTER_OK || reason != NULL);
}

/* Try to open damaged bytes; returns whether that succeeds. If so, uses them, unless they are one variation of many. */
static bool
offer(const uint8_t *bytes, uint64_t length, bool use, Damage *damage)
{
	uint8_t    *exact = zeroed_memory(length);
	const char *reason = NULL;
	FilterView	filter;
	FilterStatus status;

	if (length > 0)
		memcpy(exact, bytes, (size_t) length);
	status = filter_open(&filter, exact, length, &reason);
	free(exact);
	if (!header_opens_alike(bytes, length, status))
		damage->unlike++;
	if (status != FILTER_OK)
	{
		damage->refused++;
		if (status != FILTER_BAD_IMAGE || reason == NULL || reason[0] == '\0')
			damage->unexplained++;
		return false;
	}
	damage->opened++;
	if (use && !use_image(bytes, length))
		damage->outside++;
	return true;
}

static void
report(const Damage *damage, const char *what)
{
	none_wrong(damage->outside, "%s: nothing outside the image is written", what);
	none_wrong(damage->unexplained, "%s: a reason is given", what);
	none_wrong(damage->unlike, "%s: the header alone has the same result as the image", what);
}

/*
 * The tests.
 */

static bool
same_layer(const FilterLayer *a, const FilterLayer *b)
{
	return a->capacity == b->capacity && filter_same_geometry(a, b) && a->counted == b->counted &&
		a->stash_capacity == b->stash_capacity && a->offset == b->offset && a->bytes == b->bytes;
}

/* A written image opens unchanged, and is written again unchanged. */
static void
test_round_trip(void)
{
	for (int i = 0; i < IMAGES; i++)
	{
		const FilterView *made = &images[i].filter;
		const char *reason = "";
		FilterView	opened;
		uint8_t    *again = zeroed_memory(images[i].image_bytes);
		bool		same;
		double		bytes;

		if (filter_open(&opened, images[i].image, images[i].image_bytes, &reason) != FILTER_OK ||
			filter_check_content(&opened, &reason) != FILTER_OK)
		{
			ok(false, "%s: opens", image_names[i]);
			diag("%s", reason);
			free(again);
			continue;
		}
		same = opened.header.type == made->header.type && value_kinds_equal(&opened.header.kind, &made->header.kind) && opened.header.kind.sources == made->header.kind.sources && opened.header.rate == made->header.rate &&
			opened.header.layers == made->header.layers && opened.image == images[i].image &&
			opened.header.is_set == made->header.is_set && opened.header.has_stash == made->header.has_stash && opened.header.fixed == made->header.fixed && opened.remaining == 0;
		for (uint32_t layer = 0; layer < made->header.layers; layer++)
			same &= same_layer(&opened.header.layer[layer], &made->header.layer[layer]);
		ok(same, "%s: opens as it was written", image_names[i]);

		if (filter_lay_out(&opened.header, &bytes) != FILTER_OK || bytes != (double) images[i].image_bytes)
			bail_out("an opened filter has another size");
		filter_write_header(&opened, again);
		for (uint32_t layer = 0; layer < made->header.layers; layer++)
			filter_copy_layer(&opened, layer, made, layer);
		ok(memcmp(again, images[i].image, (size_t) images[i].image_bytes) == 0, "%s: is written again byte for byte",
		   image_names[i]);
		free(again);
	}
}

static uint64_t
header_length(const OwnedFilter *owned)
{
	return filter_header_bytes(&owned->filter.header);
}

/* The longest possible header; and an incomplete header is rejected. */
static void
test_header_alone(void)
{
	OwnedFilter largest = owned_filter_create(FILTER_CUCKOO, 1, 0.01);
	char		name[VALUE_KIND_MAX_NAME_BYTES + 1];
	uint64_t	failed = 0;
	const char *reason;
	FilterView	filter;

	memset(name, '~', VALUE_KIND_MAX_NAME_BYTES);
	name[VALUE_KIND_MAX_NAME_BYTES] = '\0';
	owned_filter_set_kind(&largest, VALUE_KIND_NAMED, name);
	while (largest.filter.header.layers < FILTER_MAX_LAYERS)
		if (owned_filter_grow(&largest, 1) != FILTER_OK)
			bail_out("no layer for one value");
	is(header_length(&largest), FILTER_MAX_HEADER_BYTES, "the longest name and most layers make the longest header");
	is(header_length(&largest), largest.filter.header.layer[0].offset, "the first layer follows the header");
	ok(filter_open(&filter, largest.image, largest.image_bytes, &reason) == FILTER_OK, "it opens");

	for (uint64_t length = 0; length <= header_length(&largest); length++)
	{
		uint8_t    *head = zeroed_memory(length);
		FilterStatus status;

		memcpy(head, largest.image, (size_t) length);
		status = filter_open_header(&filter.header, head, length, largest.image_bytes, &reason);
		if (status != (length < header_length(&largest) ? FILTER_BAD_IMAGE : FILTER_OK))
			wrong(&failed, "%u bytes", (unsigned) length);
		free(head);
	}
	none_wrong(failed, "a header opens if it is complete");
	owned_filter_free(&largest);
}

/* Replace every byte of every header by every other value. Those with one or all bits flipped are used if they open. */
static void
test_header_bytes(void)
{
	for (int i = 0; i < IMAGES; i++)
	{
		Damage		damage = {0, 0, 0, 0, 0};
		uint8_t    *bytes = images[i].image;

		for (uint64_t at = 0; at < header_length(&images[i]); at++)
		{
			uint8_t		was = bytes[at];

			for (unsigned other = 1; other < 256; other++)
			{
				bool		use = other == 255 || (other & (other - 1)) == 0;

				if (!use && other > repeats(256))
					continue;

				bytes[at] = (uint8_t) (was ^ other);
				(void) offer(bytes, images[i].image_bytes, use, &damage);
			}
			bytes[at] = was;
		}
		report(&damage, image_names[i]);
	}
}

/* Several random bytes of the header at once. */
static void
test_header_combinations(void)
{
	Damage		damage = {0, 0, 0, 0, 0};
	Random		random = {2};

	for (int pass = 0; pass < (int) repeats(20000); pass++)
	{
		const OwnedFilter *from = &images[random_below(&random, IMAGES)];
		uint8_t    *bytes = from->image;
		uint8_t		was[128 + 64 * 8];
		uint64_t	length = header_length(from);

		if (length > sizeof(was))
			bail_out("a longer header than expected");
		memcpy(was, bytes, (size_t) length);
		for (uint64_t change = random_below(&random, 5) + 1; change > 0; change--)
		{
			/* After the magic number, and mostly small numbers, which pass more of the checks. */
			uint64_t	at = 5 + random_below(&random, length - 5);

			bytes[at] = (uint8_t) (random_below(&random, 4) == 0 ? random_next(&random) : random_below(&random, 33));
		}
		(void) offer(bytes, from->image_bytes, pass % 4 == 0, &damage);
		memcpy(bytes, was, (size_t) length);
	}
	report(&damage, "several bytes of a header");
	ok(damage.refused > repeats(1000) && damage.opened > repeats(1000), "several bytes of a header: many are rejected, many open");
}

/* Every shorter and some longer lengths; none may open, but for a stash at the end of another room for its classes. */
static void
test_lengths(void)
{
	for (int i = 0; i < IMAGES; i++)
	{
		Damage		damage = {0, 0, 0, 0, 0};
		uint64_t	length = images[i].image_bytes;
		uint8_t    *longer = zeroed_memory(length + 100);
		const FilterView *filter = &images[i].filter;
		uint32_t	capacity = filter->header.layers == 0 ? 0 : filter->header.layer[filter->header.layers - 1].stash_capacity;
		uint32_t	used = 0;

		memcpy(longer, images[i].image, (size_t) length);
		for (uint64_t cut = 0; cut < length; cut++)
			(void) offer(longer, cut, true, &damage);
		for (uint64_t more = 1; more <= 100; more++)
			(void) offer(longer, length + more, true, &damage);
		if (capacity > 0)
		{
			CuckooLayer cuckoo = filter_cuckoo_layer(filter, filter->header.layers - 1);

			used = cuckoo_stash_used(&cuckoo);
		}
		is(damage.opened, capacity == 0 ? 0 : capacity - (used > 0 ? used : 1) + 100 / 8,
		   "%s: opens at its own length only", image_names[i]);
		none_wrong(damage.unexplained + damage.unlike, "%s: a reason is given, also for the header alone",
				   image_names[i]);
		free(longer);
	}
}

/* Replace some or all bits of the layers by random ones. The header is valid, so all of these images open. */
static void
test_bodies(void)
{
	Damage		damage = {0, 0, 0, 0, 0};
	Random		random = {3};
	uint64_t	failed = 0;

	for (int pass = 0; pass < (int) repeats(20000); pass++)
	{
		const OwnedFilter *from = &images[random_below(&random, IMAGES)];
		uint64_t	start = header_length(from);
		uint64_t	length = from->image_bytes;
		uint8_t    *bytes = zeroed_memory(length);

		memcpy(bytes, from->image, (size_t) length);
		if (start < length)
		{
			bool		whole = random_below(&random, 4) == 0;
			uint64_t	changes = whole ? length - start : random_below(&random, 20) + 1;

			for (uint64_t i = 0; i < changes; i++)
			{
				uint64_t	at = whole ? start + i : start + random_below(&random, length - start);

				bytes[at] = (uint8_t) random_next(&random);
			}
		}
		/* Damage can make a stash claim more classes than it has room for. */
		if (!offer(bytes, length, true, &damage) && !from->filter.header.has_stash)
			failed++;
		free(bytes);
	}
	none_wrong(failed, "damaged layers: the header still opens");
	report(&damage, "damaged layers");
}

/* An image with one invalid field is rejected for the right reason. */
static void
check_reason(OwnedFilter *from, uint64_t at, unsigned bytes, uint64_t value, const char *expected)
{
	uint8_t		was[8];
	const char *reason = "it is accepted";
	FilterView	filter;

	memcpy(was, from->image + at, bytes);
	for (unsigned i = 0; i < bytes; i++)
		from->image[at + i] = (uint8_t) (value >> (8 * i));
	if (filter_open(&filter, from->image, from->image_bytes, &reason) == FILTER_OK)
		reason = "it is accepted";
	memcpy(from->image + at, was, bytes);
	if (!ok(strcmp(reason, expected) == 0, "%s, if byte %u is 0x%" PRIx64, expected, (unsigned) at, value))
		diag("but: %s", reason);
}

static uint64_t
pattern_of(double value)
{
	uint64_t	pattern;

	memcpy(&pattern, &value, sizeof(pattern));
	return pattern;
}

static void
test_reasons(void)
{
	OwnedFilter *bloom = &images[2];
	OwnedFilter *many = &images[3];
	OwnedFilter *cuckoo = &images[7];	/* its name takes 8 bytes before the descriptor */

	check_reason(bloom, 0, 1, 'C', "it does not begin with the magic number of a filter");
	check_reason(bloom, 3, 1, 'L', "it does not begin with the magic number of a filter");
	check_reason(bloom, 4, 1, 0, "its format version is unknown to this release");
	check_reason(bloom, 4, 1, 2, "its format version is unknown to this release");
	check_reason(bloom, 5, 1, 0, "its filter type is unknown");
	check_reason(bloom, 5, 1, 3, "its filter type is unknown");
	check_reason(bloom, 6, 1, 0, "its hash function is unknown to this release");
	check_reason(bloom, 6, 1, 2, "its hash function is unknown to this release");
	check_reason(bloom, 7, 1, 33, "it has too many layers");
	check_reason(bloom, 7, 1, 255, "it has too many layers");
	check_reason(bloom, 7, 1, 32, "it ends early");
	check_reason(bloom, 8, 8, pattern_of(0.0), "its false positive rate is out of range");
	check_reason(bloom, 8, 8, pattern_of(0.6), "its false positive rate is out of range");
	check_reason(bloom, 8, 8, pattern_of(-0.01), "its false positive rate is out of range");
	check_reason(bloom, 8, 8, UINT64_C(0x7ff8000000000000), "its false positive rate is out of range");
	check_reason(bloom, 16, 1, VALUE_KIND_LAST + 1, "its value kind is unknown");
	check_reason(bloom, 16, 1, 255, "its value kind is unknown");
	check_reason(bloom, 16, 1, VALUE_KIND_NAMED, "the name of its value kind has an invalid length");
	check_reason(bloom, 17, 1, 1, "it has unknown flags");
	check_reason(bloom, 17, 1, 3, "it has unknown flags");
	check_reason(bloom, 17, 1, 4, "it has unknown flags");
	check_reason(cuckoo, 17, 1, 6, "it has unknown flags");
	check_reason(&images[0], 17, 1, 2, "it does not grow, but does not have exactly one layer");
	check_reason(&images[9], 17, 1, 3, "it does not grow, but does not have exactly one layer");
	check_reason(cuckoo, 17, 1, 0x80, "it has unknown flags");
	check_reason(bloom, 18, 2, 1, "the name of its value kind has an invalid length");
	check_reason(cuckoo, 18, 2, 0, "the name of its value kind has an invalid length");
	check_reason(cuckoo, 18, 2, 256, "the name of its value kind has an invalid length");
	check_reason(cuckoo, 18, 2, 65535, "the name of its value kind has an invalid length");
	check_reason(bloom, 20, 1, 1, "it records source types that its value kind does not include");
	check_reason(bloom, 21, 1, 1, "its reserved bytes are not zero");
	check_reason(bloom, 20, 4, UINT32_C(0x80000000), "its reserved bytes are not zero");
	check_reason(cuckoo, 24, 1, 31, "the name of its value kind contains a character that is not printable ASCII");
	check_reason(cuckoo, 24, 1, 127, "the name of its value kind contains a character that is not printable ASCII");
	check_reason(cuckoo, 24, 1, 0xc3, "the name of its value kind contains a character that is not printable ASCII");
	check_reason(cuckoo, 25, 1, 'y', "its reserved bytes are not zero");
	check_reason(cuckoo, 31, 1, 1, "its reserved bytes are not zero");
	check_reason(bloom, 24, 8, 0, "the capacity of a layer is out of range");
	check_reason(bloom, 24, 8, UINT64_C(1) << 63, "the capacity of a layer is out of range");
	check_reason(bloom, 32, 4, 0, "the geometry of a layer is invalid");
	check_reason(bloom, 36, 2, 0, "the geometry of a layer is invalid");
	check_reason(bloom, 36, 2, 100, "the geometry of a layer is invalid");
	check_reason(bloom, 36, 2, 8256, "the geometry of a layer is invalid");
	check_reason(bloom, 38, 1, 0, "the geometry of a layer is invalid");
	check_reason(bloom, 38, 1, 33, "the geometry of a layer is invalid");
	check_reason(bloom, 39, 1, 1, "a layer has unknown flags");
	check_reason(bloom, 39, 1, 2, "a layer has unknown flags");
	check_reason(bloom, 39, 1, 0x80, "a layer has unknown flags");
	check_reason(cuckoo, 47, 1, 4, "a layer has unknown flags");
	check_reason(cuckoo, 47, 1, 0x80, "a layer has unknown flags");
	check_reason(cuckoo, 47, 1, 1, "it ends early");
	check_reason(cuckoo, 47, 1, 2, "the stash of a layer has an invalid length");
	check_reason(cuckoo, 47, 1, 3, "the stash of a layer has an invalid length");
	check_reason(&images[9], 39, 1, 1, "the offset of a layer is wrong");
	check_reason(&images[9], 39, 1, 2, "the stash of a layer has an invalid length");
	check_reason(bloom, 40, 8, 0, "the offset of a layer is wrong");
	check_reason(bloom, 40, 8, 49, "the offset of a layer is wrong");
	check_reason(bloom, 40, 8, UINT64_MAX, "the offset of a layer is wrong");
	check_reason(many, 32, 4, 1, "it has extra bytes at the end");
	check_reason(many, 32, 4, 100000, "it ends early");
	check_reason(many, 32, 4, UINT32_MAX, "it is larger than a filter can be");
	check_reason(cuckoo, 40, 4, 0, "the geometry of a layer is invalid");
	check_reason(cuckoo, 40, 4, UINT32_MAX, "it is larger than a filter can be");
	check_reason(cuckoo, 44, 2, 32768, "the geometry of a layer is invalid");
	check_reason(cuckoo, 46, 1, 5, "the geometry of a layer is invalid");
	check_reason(cuckoo, 46, 1, 29, "the geometry of a layer is invalid");
	check_reason(cuckoo, 46, 1, 31, "the geometry of a layer is invalid");
	check_reason(cuckoo, 46, 1, 33, "the geometry of a layer is invalid");
}

/* Lengths of a stash, which follow from the end of its layer. */
static void
test_stash_lengths(void)
{
	const FilterLayer *layer = &images[14].filter.header.layer[0];
	OwnedFilter *one = &images[13];
	OwnedFilter *many = &images[14];
	OwnedFilter *set = &images[15];
	CuckooLayer cuckoo = filter_cuckoo_layer(&one->filter, 0);
	uint64_t	without = one->filter.header.layer[0].offset + cuckoo_counted_bytes(&cuckoo);
	uint64_t	offset = many->filter.header.layer[1].offset;
	uint64_t	capacity = one->filter.header.layer[0].stash_capacity;
	uint64_t	failed = 0;

	/* The only layer. */
	for (uint64_t length = without; length <= one->image_bytes + 24; length++)
	{
		uint8_t    *bytes = zeroed_memory(length);
		const char *reason = "";
		const char *expected = length <= without + 8 ? "the stash of a layer has an invalid length" :
			(length - without) % 8 != 0 ? "it has extra bytes at the end" :
			(length - without) / 8 - 1 < cuckoo_stash_used(&cuckoo) ? "it ends early" : "";
		FilterView	filter;

		memcpy(bytes, one->image, (size_t) (length < one->image_bytes ? length : one->image_bytes));
		if (filter_open(&filter, bytes, length, &reason) == FILTER_OK &&
			(filter.header.layer[0].stash_capacity != (length - without) / 8 - 1 || !filter.header.has_stash || !filter.header.layer[0].counted))
			wrong(&failed, "a stash of %u words in %u bytes", filter.header.layer[0].stash_capacity, (unsigned) (length - without));
		if (strcmp(reason, expected) != 0)
			wrong(&failed, "%u bytes after the counters: \"%s\", not \"%s\"", (unsigned) (length - without), reason, expected);
		free(bytes);
	}
	none_wrong(failed, "the room of a stash follows from the length of the image");
	ok(one->image_bytes == without + 8 * (1 + capacity), "a stash has a word for each class, and one more");

	/* Another layer after it. */
	check_reason(many, 24 + 24 + 16, 8, offset - 8 * (uint64_t) layer->stash_capacity,
				 "the stash of a layer has an invalid length");
	check_reason(many, 24 + 24 + 16, 8, 0, "the stash of a layer has an invalid length");
	check_reason(many, 24 + 24 + 16, 8, UINT64_MAX, "the stash of a layer has an invalid length");
	check_reason(many, 24 + 24 + 16, 8, UINT64_C(1) << 62, "the stash of a layer has an invalid length");
	check_reason(many, 24 + 24 + 16, 8, UINT64_C(1) << 35, "it is larger than a filter can be");
	check_reason(many, 24 + 24 + 16, 8, offset - 1, "the offset of a layer is wrong");
	check_reason(many, 24 + 24 + 16, 8, offset + 1, "the offset of a layer is wrong");
	check_reason(many, 24 + 15, 1, 1, "the offset of a layer is wrong");
	check_reason(many, 24 + 15, 1, 0, "the offset of a layer is wrong");

	/* A set counts nothing. */
	check_reason(set, 24 + 15, 1, 3, "it counts no copies, but a layer has counters");
	check_reason(set, 24 + 15, 1, 1, "it counts no copies, but a layer has counters");
	check_reason(one, 17, 1, 3, "it counts no copies, but a layer has counters");
	check_reason(many, 17, 1, 1, "it counts no copies, but a layer has counters");
}

/* Errors that only a check of the bits detects. */
static void
test_content(void)
{
	OwnedFilter empty = owned_filter_create(FILTER_BLOOM, 10, 0.01);
	OwnedFilter cuckoo = owned_filter_create(FILTER_CUCKOO, 10, 0.001);
	CuckooLayer first;
	uint64_t	failed = 0;
	const char *reason = "";

	empty.image[empty.image_bytes - 1] = 1;
	ok(filter_check_content(&empty.filter, &reason) == FILTER_BAD_IMAGE &&
	   strcmp(reason, "it holds values but no kind of value") == 0, "content: values without a kind are rejected");

	owned_filter_set_kind(&cuckoo, VALUE_KIND_INTEGER, "");
	first = filter_cuckoo_layer(&cuckoo.filter, 0);
	for (uint64_t slot = 0; slot < cuckoo_slots(&first); slot++)
		for (uint64_t entry = 1; entry <= 3; entry++)
		{
			uint64_t	in_half = slot % (first.windows + 1);
			bool		valid = entry > 1 && (entry == 2 ? in_half < first.windows : in_half > 0);
			uint64_t	bit = slot * first.slot_bits;
			uint64_t	bits = load_le64(first.slots + bit / 8);

			store_le64(first.slots + bit / 8, bits | entry << bit % 8);
			reason = "a layer holds an invalid entry";
			if ((filter_check_content(&cuckoo.filter, &reason) == FILTER_OK) != valid ||
				strcmp(reason, "a layer holds an invalid entry") != 0)
				wrong(&failed, "entry %u in slot %u", (unsigned) entry, (unsigned) slot);
			store_le64(first.slots + bit / 8, bits);
		}
	none_wrong(failed, "content: entries without a fingerprint, and of windows that do not exist, are rejected");
	cuckoo.image[cuckoo.image_bytes - 1] = 1;
	ok(filter_check_content(&cuckoo.filter, &reason) == FILTER_BAD_IMAGE, "content: a bit in the tail is rejected");

	/* A counter, and the last word of a stash. */
	for (int i = 13; i < 17; i++)
	{
		OwnedFilter copy = owned_filter_copy(&images[i]);
		const FilterLayer *last = &copy.filter.header.layer[copy.filter.header.layers - 1];
		CuckooLayer layer = filter_cuckoo_layer(&copy.filter, copy.filter.header.layers - 1);
		uint8_t    *used = copy.image + last->offset + cuckoo_counted_bytes(&layer);
		bool		rejected;
		uint64_t	slot = 0;

		while (cuckoo_load_entry(&layer, slot) != 0)
			slot++;
		if (layer.counted)
			cuckoo_set_counter(&layer, slot, 1);
		rejected = !layer.counted || filter_check_content(&copy.filter, &reason) == FILTER_BAD_IMAGE;
		if (layer.counted)
			cuckoo_set_counter(&layer, slot, 0);
		rejected &= filter_check_content(&copy.filter, &reason) == FILTER_OK;
		copy.image[copy.image_bytes - 1] = 1;
		rejected &= filter_check_content(&copy.filter, &reason) == FILTER_BAD_IMAGE;
		copy.image[copy.image_bytes - 1] = 0;
		used[8] |= 1;
		rejected &= (filter_check_content(&copy.filter, &reason) == FILTER_BAD_IMAGE) == copy.filter.header.is_set;
		ok(rejected, "content: %s: a counter of an empty slot, an unused word, and a count in a set are rejected", image_names[i]);
		owned_filter_free(&copy);
	}
	owned_filter_free(&empty);
	owned_filter_free(&cuckoo);
}

static void
test_same_kind(void)
{
	const ValueKind none = {.code = VALUE_KIND_NONE};
	const ValueKind integer = {.code = VALUE_KIND_INTEGER};
	const ValueKind text = {.code = VALUE_KIND_TEXT, .sources = VALUE_FROM_TEXT};
	const ValueKind named = {.code = VALUE_KIND_TEXT, .sources = VALUE_FROM_NAME};
	const ValueKind any_text = {.code = VALUE_KIND_TEXT};
	const ValueKind array = {.code = VALUE_KIND_NAMED, .name = "int4[]", .name_length = 6};
	const ValueKind same_array = {.code = VALUE_KIND_NAMED, .name = "int4[] and more", .name_length = 6};
	const ValueKind other_array = {.code = VALUE_KIND_NAMED, .name = "int8[]", .name_length = 6};
	const ValueKind longer_name = {.code = VALUE_KIND_NAMED, .name = "int4[]x", .name_length = 7};
	const ValueKind collated = {.code = VALUE_KIND_NAMED, .name = "text collate x", .name_length = 14};
	const ValueKind texts = {.code = VALUE_KIND_NAMED, .name = "text[]", .name_length = 6};

	ok(value_kinds_fit(&none, &none) && value_kinds_fit(&none, &array) && value_kinds_fit(&text, &none),
	   "kinds: a filter without a kind fits any");
	ok(value_kinds_fit(&integer, &integer) && !value_kinds_fit(&integer, &text) && !value_kinds_fit(&array, &text),
	   "kinds: others fit only the same kind");
	ok(value_kinds_fit(&array, &same_array) && !value_kinds_fit(&array, &other_array) &&
	   !value_kinds_fit(&array, &longer_name), "kinds: named kinds fit the same name");
	ok(value_kinds_equal(&text, &named) && !value_kinds_equal(&none, &text), "kinds: sources make no difference");
	ok(value_kinds_united_sources(&text, &named) == (VALUE_FROM_TEXT | VALUE_FROM_NAME) &&
	   value_kinds_united_sources(&text, &any_text) == 0 && value_kinds_united_sources(&any_text, &named) == 0 &&
	   value_kinds_united_sources(&none, &named) == VALUE_FROM_NAME &&
	   value_kinds_united_sources(&text, &none) == VALUE_FROM_TEXT, "kinds: united sources");
	ok(value_kind_possible_sources(&collated) == (VALUE_FROM_TEXT | VALUE_FROM_NAME) && value_kind_possible_sources(&texts) == 0 &&
	   value_kind_possible_sources(&integer) == 0, "kinds: only text and floats have sources");
}

/* Laying out returns the size of a filter that is too large. */
static void
test_size_limit(void)
{
	FilterHeader filter;
	double		bytes;

	(void) filter_init(&filter, FILTER_BLOOM, 0.01);
	filter.layers = 1;
	filter.layer[0] = (FilterLayer) {.capacity = 1, .count = (FILTER_MAX_IMAGE_BYTES - 48) / 64, .size = 512, .width = 1};
	ok(filter_lay_out(&filter, &bytes) == FILTER_OK && bytes <= FILTER_MAX_IMAGE_BYTES &&
	   bytes > FILTER_MAX_IMAGE_BYTES - 64, "lay out: up to the limit");
	filter.layer[0].count++;
	ok(filter_lay_out(&filter, &bytes) == FILTER_TOO_LARGE && bytes > FILTER_MAX_IMAGE_BYTES, "lay out: not above it");

	(void) filter_init(&filter, FILTER_CUCKOO, 0.01);
	filter.layers = FILTER_MAX_LAYERS;
	for (int i = 0; i < FILTER_MAX_LAYERS; i++)
		filter.layer[i] = (FilterLayer) {.capacity = 1, .count = UINT32_MAX, .size = 32767, .width = 32};
	ok(filter_lay_out(&filter, &bytes) == FILTER_TOO_LARGE && bytes > 3.6e16 && bytes < 3.7e16,
	   "lay out: 32 layers of the largest geometry do not overflow");
}

int
main(void)
{
	make_images();
	make_probes();
	test_round_trip();
	test_header_alone();
	test_reasons();
	test_stash_lengths();
	test_header_bytes();
	test_header_combinations();
	test_lengths();
	test_bodies();
	test_content();
	test_same_kind();
	test_size_limit();
	for (int i = 0; i < IMAGES; i++)
		owned_filter_free(&images[i]);
	return done_testing();
}
