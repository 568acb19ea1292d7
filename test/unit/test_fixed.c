/*
 * Filters that do not grow: what they take, when they are full, and their unions.
 */
#include <string.h>

#include "multiset.h"

static bool
same_images(const OwnedFilter *a, const OwnedFilter *b)
{
	return a->image_bytes == b->image_bytes && memcmp(a->image, b->image, (size_t) a->image_bytes) == 0;
}

static OwnedFilter
create_fixed(FilterType type, uint64_t capacity, double rate)
{
	OwnedFilter owned = owned_filter_create(type, capacity, rate);

	filter_set_fixed(&owned.filter);
	return owned;
}

/* Ten times the capacity, added one at a time, all at once, or by unions, results in the same layer. */
static void
test_fixed_bloom(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 10000; capacity *= 10)
	{
		OwnedFilter one_by_one = create_fixed(FILTER_BLOOM, capacity, 0.01);
		OwnedFilter at_once = create_fixed(FILTER_BLOOM, capacity, 0.01);
		OwnedFilter united = create_fixed(FILTER_BLOOM, capacity, 0.01);
		OwnedFilter part = create_fixed(FILTER_BLOOM, capacity, 0.01);
		Multiset	set = create_multiset((size_t) capacity * 10, capacity);
		uint64_t   *hashes = zeroed_memory(set.count * sizeof(uint64_t));
		size_t		done;
		bool		changed = false;

		for (size_t i = 0; i < set.count; i++)
		{
			hashes[i] = set.value[i].hash;
			set.value[i].copies = 1;
			if (filter_add(&one_by_one.filter, hashes[i], false, &changed) != FILTER_OK)
				wrong(&failed, "capacity %" PRIu64 ": value %u is rejected", capacity, (unsigned) i);
			(void) filter_add(&part.filter, hashes[i], false, &changed);
			/* Parts, as either operand. */
			if (i % (capacity / 2 + 1) == 0 || i == set.count - 1)
			{
				if (i % 2 == 0 ? owned_filter_unite(&united, &part.filter) != FILTER_OK :
					owned_filter_unite(&part, &united.filter) != FILTER_OK)
					wrong(&failed, "capacity %" PRIu64 ": part of the values does not fit", capacity);
				if (i % 2 != 0)
				{
					owned_filter_free(&united);
					united = part;
				}
				else
					owned_filter_free(&part);
				part = create_fixed(FILTER_BLOOM, capacity, 0.01);
			}
		}
		if (filter_add_all(&at_once.filter, hashes, set.count, false, &done, &changed) != FILTER_OK || done != set.count || !changed)
			wrong(&failed, "capacity %" PRIu64 ": %u values are accepted", capacity, (unsigned) done);
		if (!same_images(&one_by_one, &at_once) || !same_images(&one_by_one, &united))
			wrong(&failed, "capacity %" PRIu64 ": the image differs", capacity);
		check_held(&at_once.filter, &set, "fixed bloom", &failed);
		check_valid(&at_once, "fixed bloom", &failed);
		if (at_once.filter.header.layers != 1 || !(filter_rate_now(&at_once.filter) > 0.1))
			wrong(&failed, "capacity %" PRIu64 ": the rate is %g", capacity, filter_rate_now(&at_once.filter));
		(void) filter_add_all(&at_once.filter, hashes, set.count, false, &done, &changed);
		if (!same_images(&one_by_one, &at_once))
			wrong(&failed, "capacity %" PRIu64 ": the same values change the image", capacity);
		free(hashes);
		free(set.value);
		owned_filter_free(&one_by_one);
		owned_filter_free(&at_once);
		owned_filter_free(&united);
		owned_filter_free(&part);
	}
	none_wrong(failed, "bloom: a filter that does not grow takes any number of values into its layer");
}

/* filter_add, with room made for the value if the filter has any. */
static FilterStatus
add_to_fixed(OwnedFilter *owned, uint64_t hash)
{
	FilterStatus status;
	bool		changed;

	while ((status = filter_add(&owned->filter, hash, false, &changed)) == FILTER_FULL)
	{
		OwnedFilter before = owned_filter_copy(owned);
		bool		same;

		status = owned_filter_enlarge(owned, hash);
		same = same_images(&before, owned);
		owned_filter_free(&before);
		if (status != FILTER_OK)
			return changed || !same ? FILTER_BAD_IMAGE : status;
	}
	return status;
}

/*
 * A filter is full only when it has as many entries as its capacity, however many copies they stand for, and then stays
 * unchanged. Counters need half a byte for each slot.
 */
static void
test_fixed_cuckoo(void)
{
	uint64_t	failed = 0;

	for (uint64_t capacity = 1; capacity <= 20000; capacity = capacity * 3 + 1)
		for (unsigned copies = 1; copies <= 2 * CUCKOO_PERMANENT; copies += copies < 5 ? 1 : 9)
		{
			OwnedFilter owned = create_fixed(FILTER_CUCKOO, capacity, 0.01);
			Multiset	set = create_multiset((size_t) capacity * 2 + 2, capacity);
			FilterStatus status = FILTER_OK;
			size_t		count = 0;
			uint64_t	first_bytes = owned.image_bytes;
			uint64_t	entries;
			CuckooLayer layer;
			FilterView	next;
			double		bytes;

			while (status == FILTER_OK && count < set.count)
			{
				for (unsigned i = 0; i < copies && status == FILTER_OK; i++)
				{
					status = add_to_fixed(&owned, set.value[count].hash);
					set.value[count].copies += status == FILTER_OK;
				}
				count++;
			}
			next = owned.filter;
			if (status != FILTER_FULL || filter_append_layer(&next.header, 0, &bytes) != FILTER_FULL || next.header.layers != 1)
				wrong(&failed, "capacity %" PRIu64 ": it grows, or an error changes something", capacity);
			layer = filter_cuckoo_layer(&owned.filter, 0);
			entries = cuckoo_entries(&layer);
			if (entries < capacity || (double) entries > 1.1 * (double) capacity + 1.0)
				wrong(&failed, "capacity %" PRIu64 ", %u copies: full at %u", capacity, copies, (unsigned) entries);
			if (filter_rate_now(&owned.filter) > 1.5 * 0.01)
				wrong(&failed, "capacity %" PRIu64 ", %u copies: the rate is %g", capacity, copies, filter_rate_now(&owned.filter));
			if (layer.counted != (copies > 1) ||
				owned.image_bytes > first_bytes + cuckoo_slots(&layer) / 2 + 8 * (1 + (uint64_t) layer.stash_capacity) ||
				layer.stash_capacity > 16)
				wrong(&failed, "capacity %" PRIu64 ", %u copies: counters %d, a stash of %u", capacity, copies, layer.counted,
					  layer.stash_capacity);
			check_held(&owned.filter, &set, "fixed cuckoo", &failed);
			check_valid(&owned, "fixed cuckoo", &failed);
			free(set.value);
			owned_filter_free(&owned);
		}
	none_wrong(failed, "cuckoo: a filter that does not grow becomes full, and keeps the values that it holds");
}

/* Copies of a value that is there take no room, however full the filter is. */
static void
test_fixed_permanent(void)
{
	OwnedFilter owned = create_fixed(FILTER_CUCKOO, 1000, 0.01);
	Random		random = {7};
	uint64_t	permanent = random_next(&random);
	uint64_t	twice = random_next(&random);
	uint64_t	failed = 0;
	bool		changed;

	for (int i = 0; i < CUCKOO_PERMANENT; i++)
		if (add_to_fixed(&owned, permanent) != FILTER_OK)
			wrong(&failed, "copy %d is rejected", i);
	for (int i = 0; i < 2; i++)
		if (add_to_fixed(&owned, twice) != FILTER_OK)
			wrong(&failed, "copy %d is rejected", i);
	while (add_to_fixed(&owned, random_next(&random)) == FILTER_OK)
		;
	for (int i = 0; i < 1000; i++)
		if (filter_add(&owned.filter, permanent, false, &changed) != FILTER_OK || changed)
			wrong(&failed, "another copy is rejected, or changes the filter");
	for (unsigned copies = 3; copies <= CUCKOO_PERMANENT; copies++)
		if (filter_add(&owned.filter, twice, false, &changed) != FILTER_OK || !changed ||
			filter_count(&owned.filter, twice) != copies)
			wrong(&failed, "a copy is rejected, or not counted");
	if (filter_remove(&owned.filter, permanent) || filter_remove(&owned.filter, twice))
		wrong(&failed, "a permanent value is removed");
	none_wrong(failed, "cuckoo: a full filter accepts more copies of a value that it has");
	owned_filter_free(&owned);
}

/* Unions of filters that do not grow: either all values of both, or an error; and with one that grows, always an error. */
static void
test_fixed_union(FilterType type)
{
	uint64_t	failed = 0;
	int			fit = 0;
	int			full = 0;

	for (uint64_t capacity = 10; capacity <= 3000; capacity = capacity * 2 + 1)
		for (unsigned percent = 0; percent <= 100; percent += 20)
		{
			OwnedFilter left = create_fixed(type, capacity, 0.01);
			OwnedFilter right = create_fixed(type, capacity, 0.01);
			OwnedFilter other = owned_filter_create(type, capacity * 2, 0.01);
			OwnedFilter from_left,
						from_right;
			Multiset	set = create_multiset((size_t) (capacity * (40 + percent) / 100), capacity + percent);
			FilterStatus status;
			bool		changed;

			for (size_t i = 0; i < set.count; i++)
			{
				(void) filter_add(i % 2 == 0 ? &left.filter : &right.filter, set.value[i].hash, false, &changed);
				set.value[i].copies = 1;
			}
			from_left = owned_filter_copy(&left);
			from_right = owned_filter_copy(&right);
			status = owned_filter_unite(&from_left, &right.filter);
			if (owned_filter_unite(&from_right, &left.filter) != status)
				wrong(&failed, "capacity %" PRIu64 ", %u %%: the order matters", capacity, percent);
			if (type == FILTER_BLOOM ? status != FILTER_OK : (status == FILTER_OK) != (set.count <= capacity))
				wrong(&failed, "capacity %" PRIu64 ", %u values: %d", capacity, (unsigned) set.count, (int) status);
			fit += status == FILTER_OK;
			full += status == FILTER_FULL;
			if (status == FILTER_OK)
			{
				check_held(&from_left.filter, &set, "fixed union", &failed);
				check_held(&from_right.filter, &set, "fixed union", &failed);
				if (type == FILTER_CUCKOO && set.count > 1 && (!from_left.filter.header.is_set || !from_right.filter.header.is_set))
					wrong(&failed, "capacity %" PRIu64 ": a union is not a set", capacity);
				if (!from_left.filter.header.fixed || !from_right.filter.header.fixed || from_left.image_bytes != left.image_bytes ||
					from_right.image_bytes != left.image_bytes)
					wrong(&failed, "capacity %" PRIu64 ": the size differs", capacity);
			}
			else if (!same_images(&from_left, &left) || !same_images(&from_right, &right))
				wrong(&failed, "capacity %" PRIu64 ": an error, and something changed", capacity);

			if (owned_filter_unite(&from_left, &other.filter) != FILTER_OTHER_GEOMETRY ||
				owned_filter_unite(&other, &from_left.filter) != FILTER_OTHER_GEOMETRY)
				wrong(&failed, "capacity %" PRIu64 ": a filter that grows is united", capacity);
			owned_filter_free(&other);
			other = create_fixed(type, capacity * 2, 0.01);
			if (owned_filter_unite(&from_left, &other.filter) != FILTER_OTHER_GEOMETRY)
				wrong(&failed, "capacity %" PRIu64 ": a fixed filter of another geometry is united", capacity);
			free(set.value);
			owned_filter_free(&left);
			owned_filter_free(&right);
			owned_filter_free(&other);
			owned_filter_free(&from_left);
			owned_filter_free(&from_right);
		}
	none_wrong(failed, "%s: unions with a filter that does not grow", type == FILTER_BLOOM ? "bloom" : "cuckoo");
	ok(fit > 10 && (full > 10) == (type == FILTER_CUCKOO), "%s: some unions fit and some do not (%d, %d)",
	   type == FILTER_BLOOM ? "bloom" : "cuckoo", fit, full);
}

int
main(void)
{
	test_fixed_bloom();
	test_fixed_cuckoo();
	test_fixed_permanent();
	test_fixed_union(FILTER_BLOOM);
	test_fixed_union(FILTER_CUCKOO);
	return done_testing();
}
