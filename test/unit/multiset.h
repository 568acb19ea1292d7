/*
 * An exact multiset of values, with which tests compare a filter, and random operations on both.
 *
 * The invariant: under legal operations (any add; a remove only of a value that is held; unique adds only if nothing
 * is ever removed) a value that is held is found, and its count is not below its copies while there were never more than
 * CUCKOO_MAX_COUNT of them; otherwise it is CUCKOO_PERMANENT. If fingerprints are so long that no two values collide,
 * counts and removes are exact as well. A set has no counts.
 */
#ifndef UNIT_MULTISET_H
#define UNIT_MULTISET_H

#include "core/cuckoo_inline.h"
#include "owned_filter.h"
#include "random.h"
#include "tap.h"

/* A rate with slots of the minimum width, so that many values collide, and one at which none of a few thousand do. */
#define COLLIDING	0.5
#define EXACT		1e-7

typedef struct Value
{
	uint64_t	hash;
	unsigned	copies;			/* added and not removed, however many the filter counts */
	bool		permanent;		/* whether it had more than are counted */
} Value;

typedef struct Multiset
{
	size_t		count;
	Value	   *value;
} Multiset;

static inline Multiset
create_multiset(size_t count, uint64_t seed)
{
	Multiset	set = {count, zeroed_memory(count * sizeof(Value))};
	Random		random = {seed};

	for (size_t i = 0; i < count; i++)
		set.value[i].hash = random_next(&random);
	return set;
}

static inline unsigned
least_count(const FilterView *filter, const Value *value)
{
	if (filter->header.is_set)
		return value->copies > 0;
	return value->permanent || value->copies > CUCKOO_MAX_COUNT ? CUCKOO_PERMANENT : value->copies;
}

static inline void
check_held(const FilterView *filter, const Multiset *set, const char *when, uint64_t *failed)
{
	for (size_t i = 0; i < set->count; i++)
	{
		const Value *value = &set->value[i];

		if (value->copies > 0 && !filter_contains(filter, value->hash))
			wrong(failed, "%s: a value of %u copies is lost, with %u layers", when, value->copies, filter->header.layers);
		if (filter->header.type == FILTER_CUCKOO && filter_count(filter, value->hash) < least_count(filter, value))
			wrong(failed, "%s: %u copies are counted as %u, with %u layers", when, value->copies,
				  filter_count(filter, value->hash), filter->header.layers);
	}
}

static inline void
check_valid(const OwnedFilter *owned, const char *when, uint64_t *failed)
{
	const char *reason = "";
	FilterView	opened;

	if (filter_open(&opened, owned->image, owned->image_bytes, &reason) != FILTER_OK)
		wrong(failed, "%s: the image does not open: %s", when, reason);
}

/*
 * Random legal operations on a cuckoo filter.
 */

typedef struct Mix
{
	unsigned	adds;			/* in percent; the rest are removes */
	unsigned	favourites;		/* every n-th operation is on one of a few values; 0 for none */
	bool		compacts;
} Mix;

/* Whether every layer refines all older ones: then any value that is not permanent can be removed. */
static inline bool
is_nested(const FilterView *filter)
{
	for (uint32_t layer = 1; layer < filter->header.layers; layer++)
	{
		CuckooLayer older = filter_cuckoo_layer(filter, layer - 1);
		CuckooLayer newer = filter_cuckoo_layer(filter, layer);

		if (!cuckoo_can_fold(&older, &newer))
			return false;
	}
	return true;
}

static inline void
operate(OwnedFilter *owned, Multiset *set, const Mix *mix, size_t operations, Random *random, const char *when,
		uint64_t *failed)
{
	for (size_t i = 0; i < operations; i++)
	{
		bool		favourite = mix->favourites > 0 && random_below(random, mix->favourites) == 0;
		Value	   *value = &set->value[random_below(random, favourite ? 3 : set->count)];

		if (random_below(random, 100) < mix->adds)
		{
			if (owned_filter_add(owned, value->hash, false) == FILTER_OK)
				value->permanent |= ++value->copies > CUCKOO_MAX_COUNT;
			else
				wrong(failed, "%s: an add fails", when);
		}
		else if (value->copies > 0 && !owned->filter.header.is_set)
		{
			unsigned	before = filter_count(&owned->filter, value->hash);

			value->copies--;
			if (filter_remove(&owned->filter, value->hash))
			{
				if (value->permanent)
					wrong(failed, "%s: a permanent value is removed", when);
				/* Copies in several layers can be more than are counted. */
				if (before < CUCKOO_MAX_COUNT && filter_count(&owned->filter, value->hash) + 1 != before)
					wrong(failed, "%s: after removing one of %u entries, %u remain", when, before,
						  filter_count(&owned->filter, value->hash));
			}
			else if (before < CUCKOO_PERMANENT && is_nested(&owned->filter))
				wrong(failed, "%s: one of %u copies cannot be removed", when, before);
		}
		if (filter_count(&owned->filter, value->hash) < least_count(&owned->filter, value))
			wrong(failed, "%s: %u copies are counted as %u", when, value->copies,
				  filter_count(&owned->filter, value->hash));
		if (mix->compacts && random_below(random, operations / 4 + 1) == 0)
			owned_filter_compact(owned);
		if (i % (operations / 10 + 1) == 0)
		{
			check_held(&owned->filter, set, when, failed);
			check_valid(owned, when, failed);
		}
	}
	check_held(&owned->filter, set, when, failed);
	check_valid(owned, when, failed);
}

#endif
