/*
 * Arbitrary bytes as an image. If they are rejected, there is a reason, which is the same for the header alone. If
 * they are accepted, every operation runs, in memory of exactly the image's size, so that the address sanitizer
 * detects any access outside.
 *
 * filter_open checks only the header, and the operations must be safe on any content. These invariants hold on any
 * content, too, but for stashes that are not sorted: a lookup by ranges has the same result as one in the image; after
 * an add the value is found, and others are unchanged; a removal takes one copy; a union contains what either did;
 * content that filter_check_content accepted is still accepted afterwards.
 */
#include "core/cuckoo_stash.h"
#include "fuzz.h"

#include <math.h>

#define PROBES 28
#define MAX_MERGED 24			/* layers */
#define MAX_FAILURES 2			/* a search that finds no slot takes long */

static OwnedFilter
copy_exactly(const uint8_t *bytes, size_t length)
{
	OwnedFilter owned = {.image = zeroed_memory(length), .image_bytes = length};
	const char *reason;

	if (length > 0)
		memcpy(owned.image, bytes, length);
	if (filter_open(&owned.filter, owned.image, length, &reason) != FILTER_OK)
		broken("an image opens once and not again: %s", reason);
	return owned;
}

/* Open the header in memory of its size: the result must be that for the whole image. */
static void
check_header_alone(const uint8_t *bytes, size_t length, size_t head_length, FilterStatus status, const char *why,
				   const FilterView *filter)
{
	uint8_t    *head = zeroed_memory(head_length);
	const char *reason = "";
	FilterView	header;

	if (head_length > 0)
		memcpy(head, bytes, head_length);
	/* Only the image shows that a stash uses more words than it has. */
	if (filter_open_header(&header.header, head, head_length, length, &reason) == FILTER_OK && header.header.has_stash &&
		status == FILTER_BAD_IMAGE && strcmp(why, "it ends early") == 0)
	{
		free(head);
		return;
	}
	reason = "";
	if (filter_open_header(&header.header, head, head_length, length, &reason) != status || strcmp(why, reason) != 0)
		broken("image: \"%s\", header: \"%s\"", why, reason);
	if (status == FILTER_OK)
	{
		if (header.header.type != filter->header.type || header.header.is_set != filter->header.is_set ||
			header.header.has_stash != filter->header.has_stash ||
			header.header.fixed != filter->header.fixed || !value_kinds_equal(&header.header.kind, &filter->header.kind) ||
			header.header.kind.sources != filter->header.kind.sources ||
			header.header.rate != filter->header.rate || header.header.layers != filter->header.layers)
			broken("the header alone is read differently");
		for (uint32_t i = 0; i < header.header.layers; i++)
			if (memcmp(&header.header.layer[i].capacity, &filter->header.layer[i].capacity, sizeof(uint64_t)) != 0 ||
				!filter_same_geometry(&header.header.layer[i], &filter->header.layer[i]) ||
				header.header.layer[i].counted != filter->header.layer[i].counted ||
				header.header.layer[i].stash_capacity != filter->header.layer[i].stash_capacity ||
				header.header.layer[i].offset != filter->header.layer[i].offset || header.header.layer[i].bytes != filter->header.layer[i].bytes)
				broken("layer %u of the header alone is read differently", i);
	}
	free(head);
}

/* A header has only one valid form, so writing it again must produce the same bytes. */
static void
check_canonical(const OwnedFilter *owned)
{
	FilterView	again = owned->filter;
	uint8_t    *image = zeroed_memory(owned->image_bytes);
	double		bytes;

	if (filter_lay_out(&again.header, &bytes) != FILTER_OK || bytes != (double) owned->image_bytes)
		broken("an image of %u bytes is laid out in %.0f", (unsigned) owned->image_bytes, bytes);
	filter_write_header(&again, image);
	if (memcmp(image, owned->image, (size_t) filter_header_bytes(&again.header)) != 0)
		broken("a header is not written as it was read");
	free(image);
}

/*
 * Hashes to probe: edge cases, random ones, and those of entries in the image.
 */

/* A hash whose position is that of an entry, or close to it. */
static uint64_t
hash_of_entry(const CuckooLayer *cuckoo, uint64_t number, uint32_t fingerprint)
{
	double		at = ((double) number + 0.5) / ((double) cuckoo->pages * cuckoo->windows);
	uint64_t	high = (uint64_t) (at * 4294967296.0);

	return high << 32 | (uint64_t) fingerprint << (33 - cuckoo->slot_bits);
}

static void
make_probes(const FilterView *filter, uint64_t probes[PROBES])
{
	static const uint64_t edges[] = {0, UINT64_MAX, UINT64_C(0xffffffff00000000), UINT64_C(0x00000000ffffffff)};
	Random		random = {filter->header.layers};
	size_t		at = 16;

	for (uint32_t i = 0; i < filter->header.layers; i++)
		random.state = random.state * 31 + filter->header.layer[i].count + filter->header.layer[i].size * UINT64_C(65537);
	random_fill(&random, probes, PROBES);
	memcpy(probes, edges, sizeof(edges));
	for (uint32_t i = 0; i < filter->header.layers && filter->header.type == FILTER_CUCKOO; i++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, i);
		uint64_t	windows = (uint64_t) cuckoo.pages * cuckoo.windows;

		if (cuckoo_stash_used(&cuckoo) > 0)
		{
			uint64_t	word = cuckoo_stash_get(&cuckoo, (uint32_t) random_below(&random, cuckoo_stash_used(&cuckoo)));

			probes[15 - i % 8] = hash_of_entry(&cuckoo, (word >> (cuckoo.slot_bits + 3)) % windows,
											   (uint32_t) (word >> 4 & cuckoo_slot_mask(&cuckoo) >> 1));
		}
		for (int pass = 0; pass < 40 && at < PROBES; pass++)
		{
			uint64_t	number = random_below(&random, windows);
			uint64_t	slot = number / cuckoo.windows * 2 * (cuckoo.windows + 1) + number % cuckoo.windows;
			uint64_t	bit = slot * cuckoo.slot_bits;
			uint64_t	word = 0;

			for (unsigned j = 0; j < 8; j++)
				word |= (uint64_t) cuckoo.slots[bit / 8 + j] << (8 * j);
			word = word >> (bit % 8) & ((UINT64_C(1) << cuckoo.slot_bits) - 1);
			if (word != 0)
			{
				/* The second slot of a window is also the first of the next one. */
				number -= (word & 1) != 0 && number % cuckoo.windows > 0;
				probes[at++] = hash_of_entry(&cuckoo, number, (uint32_t) (word >> 1));
			}
		}
	}
}

/* Whether stashes are as additions make them. Others are searched, but what is found changes with them. */
static bool
stashes_are_valid(const FilterView *filter)
{
	bool		valid = true;

	for (uint32_t layer = 0; layer < filter->header.layers && filter->header.has_stash; layer++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, layer);

		valid &= cuckoo_stash_is_valid(&cuckoo, filter->header.is_set);
	}
	return valid;
}

static void
check_figure(double figure, double max, const char *what)
{
	if (!(figure >= 0.0 && figure <= max))
		broken("%s is %g", what, figure);
}

static void
read_everything(const OwnedFilter *owned, const uint64_t probes[PROBES])
{
	const FilterView *filter = &owned->filter;
	size_t		first_found = PROBES,
				first_missing = PROBES;
	bool		empty = true;

	for (size_t i = PROBES; i-- > 0;)
	{
		bool		contains = filter_contains(filter, probes[i]);

		check_ranges(filter, owned->image_bytes, probes[i]);
		if (filter->header.type == FILTER_CUCKOO && (filter_count(filter, probes[i]) > 0) != contains)
			broken("a value is counted %u times, and contained: %d", filter_count(filter, probes[i]), contains);
		if (contains)
			first_found = i;
		else
			first_missing = i;
	}
	if (filter_contains_run(filter, probes, PROBES, true) != first_missing ||
		filter_contains_run(filter, probes, PROBES, false) != first_found)
		broken("a run of lookups differs from single lookups");

	check_figure(filter_cardinality(filter), INFINITY, "the cardinality");
	check_figure(filter_rate_now(filter), 1.0, "the rate now");
	check_figure((double) filter_capacity(&filter->header), (double) FILTER_MAX_CAPACITY, "the capacity");
	for (uint32_t layer = 0; layer < filter->header.layers; layer++)
	{
		check_figure(filter_layer_fill(filter, layer), 1.0, "a fill");
		empty &= filter_layer_is_empty(filter, layer);
	}
	if (empty && (first_found != PROBES || filter_cardinality(filter) != 0.0))
		broken("an empty filter holds something");
}

static unsigned
count_or_contains(const FilterView *filter, uint64_t hash)
{
	return filter->header.type == FILTER_CUCKOO ? filter_count(filter, hash) : filter_contains(filter, hash);
}

static void
count_all(const FilterView *filter, const uint64_t probes[PROBES], unsigned counts[PROBES])
{
	for (size_t i = 0; i < PROBES; i++)
		counts[i] = count_or_contains(filter, probes[i]);
}

/* Check that no count has become smaller. */
static void
check_kept(const FilterView *filter, const uint64_t probes[PROBES], const unsigned counts[PROBES], const char *after)
{
	for (size_t i = 0; i < PROBES; i++)
		if (count_or_contains(filter, probes[i]) < counts[i])
			broken("after %s: a count of %u became %u", after, counts[i], count_or_contains(filter, probes[i]));
}

static void
check_still_sound(const OwnedFilter *owned, bool sound, const char *after)
{
	const char *reason = "";
	FilterView	opened;

	if (filter_open(&opened, owned->image, owned->image_bytes, &reason) != FILTER_OK ||
		(sound && filter_check_content(&opened, &reason) != FILTER_OK))
		broken("after %s the image is refused: %s", after, reason);
}

static void
add_everything(const uint8_t *bytes, size_t length, const uint64_t probes[PROBES], bool sound)
{
	OwnedFilter owned = copy_exactly(bytes, length);
	FilterView *filter = &owned.filter;
	uint8_t    *before = zeroed_memory(length);
	unsigned	counts[PROBES];
	int			failures = 0;
	bool		valid = stashes_are_valid(filter);
	bool		changed;
	size_t		done;

	for (size_t i = 0; i < PROBES && failures < MAX_FAILURES; i++)
	{
		bool		unique = i % 3 == 0;
		FilterStatus status;

		memcpy(before, owned.image, length);
		count_all(filter, probes, counts);
		status = filter_add(filter, probes[i], unique, &changed);
		failures += status != FILTER_OK;
		if (status != FILTER_OK && status != FILTER_FULL)
			broken("an add returns status %d", (int) status);
		if (status != FILTER_OK && filter->header.fixed && filter->header.type == FILTER_BLOOM)
			broken("a Bloom filter that does not grow is full");
		if (changed == (memcmp(before, owned.image, length) == 0) || (changed && status != FILTER_OK))
			broken("an add reports that it changed %s", changed ? "something" : "nothing");
		if (valid && status == FILTER_OK && !filter_contains(filter, probes[i]))
			broken("an added value is not found");
		if (changed && filter->header.type == FILTER_CUCKOO && (unique || filter->header.is_set) && counts[i] != 0)
			broken("a value that was already there is added as unique");
		/* The counter of an empty slot can be anything in an unsound layer, and moves. */
		if (changed && sound && filter->header.type == FILTER_CUCKOO && count_or_contains(filter, probes[i]) != counts[i] + 1)
			broken("adding a copy to %u makes %u", counts[i], count_or_contains(filter, probes[i]));
		if (valid)
			check_kept(filter, probes, counts, "an add");
	}
	for (int unique = 0; unique <= 1; unique++)
	{
		FilterStatus status = filter_add_all(filter, probes, PROBES, unique, &done, &changed);

		if ((status == FILTER_OK) != (done == PROBES) || (valid && filter_contains_run(filter, probes, done, true) != done))
			broken("one of %u values added together is not found", (unsigned) done);
	}
	check_still_sound(&owned, sound, "adds");
	read_everything(&owned, probes);
	free(before);
	owned_filter_free(&owned);
}

static void
remove_everything(const uint8_t *bytes, size_t length, const uint64_t probes[PROBES], bool sound)
{
	OwnedFilter owned = copy_exactly(bytes, length);
	const FilterView *filter = &owned.filter;
	uint8_t    *before = zeroed_memory(length);
	bool		valid = stashes_are_valid(filter);

	for (size_t i = 0; i < PROBES; i++)
		for (int pass = 0; pass < 2; pass++)
		{
			unsigned	count = filter_count(filter, probes[i]);
			double		copies = filter_cardinality(filter);
			unsigned	after;
			bool		removed;

			memcpy(before, owned.image, length);
			removed = filter_remove(filter, probes[i]);
			if (removed == (memcmp(before, owned.image, length) == 0))
				broken("a removal reports that it changed %s", removed ? "something" : "nothing");
			after = filter_count(filter, probes[i]);
			/* In several layers there can be more copies than are counted. */
			if ((valid && after != count - removed && !(count == CUCKOO_MAX_COUNT && after == count && filter->header.layers > 1)) ||
				filter_cardinality(filter) != copies - removed || (removed && count == CUCKOO_PERMANENT))
				broken("a removal leaves %u of %u", after, count);
			if (filter->header.layers == 1 && !removed && count % CUCKOO_PERMANENT != 0)
				broken("one of %u cannot be removed", count);
		}
	check_still_sound(&owned, sound, "removals");
	read_everything(&owned, probes);
	free(before);
	owned_filter_free(&owned);
}

/* Merge every layer of the other filter, as a copy, into this one as a set, without making room. What stays is in the copy. */
static void
merge_everything(const OwnedFilter *from, const OwnedFilter *other, const uint64_t probes[PROBES], bool sound)
{
	OwnedFilter owned = owned_filter_copy(from);
	OwnedFilter source = owned_filter_copy(other);
	bool		valid = stashes_are_valid(&from->filter) && stashes_are_valid(&other->filter);

	if (owned.filter.header.type == FILTER_CUCKOO && owned_filter_become_set(&owned) != FILTER_OK)
		broken("a filter cannot become a set");
	for (uint32_t layer = 0; layer < source.filter.header.layers && layer < MAX_MERGED; layer++)
	{
		bool		merged = filter_unite_layer(&owned.filter, &source.filter, layer);

		if (merged && source.filter.header.type == FILTER_CUCKOO && sound && !filter_layer_is_empty(&source.filter, layer))
		{
			CuckooLayer left = filter_cuckoo_layer(&source.filter, layer);

			if (cuckoo_entries(&left) != 0)
				broken("layer %u is merged, and something is left", layer);
		}
		for (size_t i = 0; i < PROBES && valid; i++)
			if (filter_contains(&from->filter, probes[i]) > filter_contains(&owned.filter, probes[i]) ||
				(source.filter.header.type == FILTER_CUCKOO && filter_contains(&other->filter, probes[i]) >
				 (filter_contains(&owned.filter, probes[i]) || filter_contains(&source.filter, probes[i]))))
				broken("a value is lost when layer %u is merged", layer);
	}
	check_still_sound(&owned, sound, "merging");
	owned_filter_free(&owned);
	owned_filter_free(&source);
}

/* The union and the compaction of the extension. */
static void
unite_everything(const OwnedFilter *from, const OwnedFilter *other, const uint64_t probes[PROBES], bool sound)
{
	OwnedFilter owned = owned_filter_copy(from);
	bool		valid = stashes_are_valid(&from->filter) && stashes_are_valid(&other->filter);

	if (owned_filter_unite(&owned, &other->filter) == FILTER_OK)
		for (size_t i = 0; i < PROBES && valid; i++)
			if (filter_contains(&owned.filter, probes[i]) <
				(filter_contains(&from->filter, probes[i]) || filter_contains(&other->filter, probes[i])))
				broken("a value is lost in a union");
	check_still_sound(&owned, sound, "a union");
	if (from->filter.header.type == FILTER_CUCKOO)
	{
		bool		before[PROBES];

		for (size_t i = 0; i < PROBES; i++)
			before[i] = filter_contains(&owned.filter, probes[i]);
		owned_filter_compact(&owned);
		for (size_t i = 0; i < PROBES && valid; i++)
			if (filter_contains(&owned.filter, probes[i]) < before[i])
				broken("a value is lost in compaction");
		check_still_sound(&owned, sound, "compaction");
	}
	owned_filter_free(&owned);
}

/* Unions of filters that do not grow, if they have one layer each. */
static void
unite_fixed(const OwnedFilter *from, const OwnedFilter *other, const uint64_t probes[PROBES], bool sound)
{
	OwnedFilter united = owned_filter_copy(from);
	OwnedFilter fixed = owned_filter_copy(other);
	bool		valid = stashes_are_valid(&from->filter) && stashes_are_valid(&other->filter);

	if (from->filter.header.layers == 1 && other->filter.header.layers == 1)
	{
		filter_set_fixed(&united.filter);
		filter_set_fixed(&fixed.filter);
		if (owned_filter_unite(&united, &fixed.filter) == FILTER_OK)
		{
			if (!united.filter.header.fixed || united.filter.header.layers != 1)
				broken("a union grows");
			for (size_t i = 0; i < PROBES && valid; i++)
				if (filter_contains(&united.filter, probes[i]) <
					(filter_contains(&from->filter, probes[i]) || filter_contains(&other->filter, probes[i])))
					broken("a value is lost in a union of filters that do not grow");
		}
		check_still_sound(&united, sound, "a union that does not grow");
	}
	owned_filter_free(&united);
	owned_filter_free(&fixed);
}

static void
intersect_everything(const OwnedFilter *from, const OwnedFilter *other, const uint64_t probes[PROBES])
{
	OwnedFilter owned = owned_filter_copy(from);
	FilterStatus status = filter_intersect(&owned.filter, &other->filter);

	if (status == FILTER_OK)
		for (size_t i = 0; i < PROBES; i++)
			if (filter_contains(&owned.filter, probes[i]) <
				(filter_contains(&from->filter, probes[i]) && filter_contains(&other->filter, probes[i])))
				broken("a value is lost in an intersection");
	owned_filter_free(&owned);
}

static bool
is_small(const FilterView *filter)
{
	FilterHeader planned = filter->header;
	double		bytes;

	return filter_lay_out(&planned, &bytes) == FILTER_OK && bytes <= FUZZ_MAX_IMAGE;
}

/* Append a layer, and enlarge the newest: plan that for any header, and do it if the result is small. */
static void
grow_everything(const OwnedFilter *from, const uint64_t probes[PROBES])
{
	FilterView	next = from->filter;
	double		bytes;
	FilterStatus status = filter_append_layer(&next.header, 0, &bytes);

	if (!(bytes >= 0.0))
		broken("another layer of %g bytes", bytes);
	if (status == FILTER_OK)
	{
		if (filter_lay_out(&next.header, &bytes) == FILTER_OK && is_small(&next))
		{
			OwnedFilter owned = owned_filter_copy(from);

			if (owned_filter_grow(&owned, 0) != FILTER_OK)
				broken("a layer that was planned cannot be made");
			for (size_t i = 0; i < PROBES; i++)
				if (count_or_contains(&owned.filter, probes[i]) != count_or_contains(&from->filter, probes[i]))
					broken("growing changes what a filter contains");
			check_still_sound(&owned, false, "growing");
			owned_filter_free(&owned);
		}
		if (next.header.type == FILTER_CUCKOO && filter_enlarge_newest(&next.header, &bytes) == FILTER_OK &&
			(filter_lay_out(&next.header, &bytes) != FILTER_OK ||
			 !cuckoo_geometry_is_valid(next.header.layer[next.header.layers - 1].count, next.header.layer[next.header.layers - 1].size,
									   next.header.layer[next.header.layers - 1].width)) && bytes <= FILTER_MAX_IMAGE_BYTES)
			broken("the enlarged newest layer is invalid");
	}
}

/* Build as the aggregates do: into the layer as it is, to test memory safety; emptied; and emptied, with a stash for all. */
static void
build_everything(const uint8_t *bytes, size_t length, const uint64_t probes[PROBES])
{
	for (int pass = 0; pass <= 2; pass++)
	{
		bool		cleared = pass != 0;
		FilterStatus status = FILTER_FULL;
		OwnedFilter owned = copy_exactly(bytes, length);
		uint64_t	header = filter_header_bytes(&owned.filter.header);
		bool		valid = cleared || stashes_are_valid(&owned.filter);

		if (cleared)
			memset(owned.image + header, 0, (size_t) (owned.image_bytes - header));
		if (pass == 2 && owned.filter.header.type == FILTER_CUCKOO && owned.filter.header.layers > 0)
		{
			FilterHeader next = owned.filter.header;

			next.layer[0].stash_capacity = PROBES;
			if (owned_filter_move(&owned, &next) != FILTER_OK)
				broken("a stash makes a filter too large");
		}
		if (owned.filter.header.layers > 0)
			status = filter_build(&owned.filter, probes, PROBES);
		if (valid && status == FILTER_OK && filter_contains_run(&owned.filter, probes, PROBES, true) != PROBES)
			broken("a value is lost in building");
		if (status != FILTER_OK && pass == 2 && owned.filter.header.layers > 0)
			broken("building fails even with a stash");
		/* An aggregate makes no set: values that share a class in its stash are counted. */
		check_still_sound(&owned, cleared && !owned.filter.header.is_set && owned.filter.header.kind.code != VALUE_KIND_NONE, "building");
		owned_filter_free(&owned);
	}
}

/* Another filter to merge with, which holds a few values: of the same geometry, or of a fixed capacity. */
static OwnedFilter
make_other(const OwnedFilter *from, bool same, const uint64_t probes[PROBES])
{
	OwnedFilter other;
	bool		changed;
	size_t		done;

	if (same)
	{
		uint64_t	header = filter_header_bytes(&from->filter.header);

		other = owned_filter_copy(from);
		memset(other.image + header, 0, (size_t) (other.image_bytes - header));
	}
	else
		other = owned_filter_create(from->filter.header.type, 12, from->filter.header.rate);
	for (size_t i = 1; i < PROBES; i += 4)
		if (filter_add(&other.filter, probes[i], false, &changed) != FILTER_OK)
			break;
	(void) filter_add_all(&other.filter, probes + 2, 1, false, &done, &changed);
	return other;
}

void
fuzz_image(const uint8_t *bytes, size_t length)
{
	OwnedFilter owned = {.image = zeroed_memory(length), .image_bytes = length};
	const char *reason = "";
	uint64_t	probes[PROBES];
	FilterStatus status;
	size_t		head_length;
	bool		sound;

	if (length > FUZZ_MAX_IMAGE)
	{
		free(owned.image);
		return;
	}
	if (length > 0)
		memcpy(owned.image, bytes, length);
	status = filter_open(&owned.filter, owned.image, length, &reason);
	if (status != FILTER_OK && (status != FILTER_BAD_IMAGE || reason[0] == '\0'))
		broken("an image is refused with %d and reason \"%s\"", (int) status, reason);
	head_length = length < FILTER_MAX_HEADER_BYTES ? length : FILTER_MAX_HEADER_BYTES;
	check_header_alone(bytes, length, head_length, status, reason, &owned.filter);
	if (status != FILTER_OK)
	{
		free(owned.image);
		return;
	}
	check_header_alone(bytes, length, (size_t) filter_header_bytes(&owned.filter.header), status, reason, &owned.filter);
	check_canonical(&owned);
	status = filter_check_content(&owned.filter, &reason);
	if (status != FILTER_OK && (status != FILTER_BAD_IMAGE || reason[0] == '\0'))
		broken("a content is refused with %d and reason \"%s\"", (int) status, reason);
	sound = status == FILTER_OK && owned.filter.header.kind.code != VALUE_KIND_NONE;

	make_probes(&owned.filter, probes);
	read_everything(&owned, probes);
	add_everything(bytes, length, probes, sound);
	if (owned.filter.header.type == FILTER_CUCKOO && !owned.filter.header.is_set)
		remove_everything(bytes, length, probes, sound);
	grow_everything(&owned, probes);
	build_everything(bytes, length, probes);
	merge_everything(&owned, &owned, probes, sound);
	unite_everything(&owned, &owned, probes, sound);
	if (owned.filter.header.layers == 1)
		unite_fixed(&owned, &owned, probes, sound);
	for (int same = 0; same <= 1; same++)
	{
		OwnedFilter other = make_other(&owned, same, probes);

		merge_everything(&owned, &other, probes, sound);
		merge_everything(&other, &owned, probes, false);
		unite_everything(&owned, &other, probes, sound);
		if (owned.filter.header.layers == 1)
			unite_fixed(&owned, &other, probes, sound);
		if (owned.filter.header.type == FILTER_BLOOM)
			intersect_everything(&owned, &other, probes);
		owned_filter_free(&other);
	}
	if (owned.filter.header.type == FILTER_BLOOM)
		intersect_everything(&owned, &owned, probes);
	if (memcmp(owned.image, bytes, length) != 0)
		broken("reading changes the image");
	owned_filter_free(&owned);
}
