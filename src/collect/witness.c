#include "collect/witness.h"

#include "compat.h"
#include "stored/datum.h"
#include "stored/mutable.h"

/* Leading bits of an entry that come from the hash; the other 40 bits come from the witness. */
#define PREFIX_BITS 24
#define PREFIX_OF(hash) ((uint32) ((hash) >> (64 - PREFIX_BITS)))

typedef struct Excess
{
	uint32		prefix;
	int32		copies;			/* the number of witnesses with this prefix; later minus that of hashes */
} Excess;

typedef struct Excesses
{
	Excess	   *excess;			/* in ascending order of the prefixes */
	Size		count;
	Size		allocated;
	Size		at;				/* index of the first that may still have hashes */
	MutableFilter mutable;		/* receives the copies */
} Excesses;

uint64
witness_entry(uint64 hash, uint64 witness)
{
	return (uint64) PREFIX_OF(hash) << (64 - PREFIX_BITS) | witness >> PREFIX_BITS;
}

/* Count the witnesses of each prefix. A prefix with a single witness is dropped when the next prefix comes. */
static bool
count_witnesses(const uint64 *witnesses, Size count, void *argument)
{
	Excesses   *all = argument;

	for (Size i = 0; i < count; i++)
	{
		uint32		prefix = PREFIX_OF(witnesses[i]);
		Excess	   *last = all->count > 0 ? &all->excess[all->count - 1] : NULL;

		if (last != NULL && last->prefix == prefix)
		{
			last->copies++;
			continue;
		}
		if (last != NULL && last->copies == 1)
			all->count--;
		if (all->count == all->allocated)
		{
			all->allocated = Max(1024, 2 * all->allocated);
			all->excess = all->excess == NULL ? palloc(all->allocated * sizeof(Excess))
				: repalloc_huge(all->excess, all->allocated * sizeof(Excess));
		}
		all->excess[all->count].prefix = prefix;
		all->excess[all->count++].copies = 1;
	}
	return true;
}

/* The counted witnesses of a hash's prefix, or null. Hashes come in ascending order. */
static Excess *
excess_of(Excesses *all, uint64 hash)
{
	while (all->at < all->count && all->excess[all->at].prefix < PREFIX_OF(hash))
		all->at++;
	return all->at < all->count && all->excess[all->at].prefix == PREFIX_OF(hash) ? &all->excess[all->at] : NULL;
}

static bool
subtract_hashes(const uint64 *hashes, Size count, void *argument)
{
	for (Size i = 0; i < count; i++)
	{
		Excess	   *excess = excess_of(argument, hashes[i]);

		if (excess != NULL)
			excess->copies--;
	}
	return true;
}

static bool
add_copies(const uint64 *hashes, Size count, void *argument)
{
	Excesses   *all = argument;

	for (Size i = 0; i < count; i++)
	{
		Excess	   *excess = excess_of(all, hashes[i]);

		/* A filter counts no more copies than that, including the first one. */
		for (int copy = 1; excess != NULL && copy <= Min(excess->copies, CUCKOO_STICKY_COUNT - 1); copy++)
			(void) mutable_filter_add_all(&all->mutable, &hashes[i], 1, false);
	}
	return true;
}

struct varlena *
witness_copy_collisions(HashSet *witnesses, HashSet *hashes, struct varlena *datum)
{
	Excesses	all;

	memset(&all, 0, sizeof(all));
	(void) hash_set_visit(witnesses, HASHES_SORTED, count_witnesses, &all);
	(void) hash_set_visit(hashes, HASHES_SORTED, subtract_hashes, &all);
	all.at = 0;
	all.mutable.context = CurrentMemoryContext;
	all.mutable.datum = datum;
	filter_view_varlena(&all.mutable.filter, datum);
	(void) hash_set_visit(hashes, HASHES_SORTED, add_copies, &all);
	pfree(all.excess);
	return all.mutable.datum;
}
