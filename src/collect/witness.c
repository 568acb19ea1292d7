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
} Excesses;

uint64
witness_entry(uint64 hash, uint64 witness)
{
	return (uint64) PREFIX_OF(hash) << (64 - PREFIX_BITS) | witness >> PREFIX_BITS;
}

/* Count a witness of a prefix. A prefix with a single witness is dropped when the next prefix comes. */
static void
count_witness(Excesses *all, uint32 prefix)
{
	Excess	   *last = all->count > 0 ? &all->excess[all->count - 1] : NULL;

	if (last != NULL && last->prefix == prefix)
	{
		last->copies++;
		return;
	}
	if (last != NULL && last->copies == 1)
		all->count--;
	if (all->count == all->allocated)
	{
		all->allocated *= 2;
		all->excess = repalloc_huge(all->excess, all->allocated * sizeof(Excess));
	}
	all->excess[all->count].prefix = prefix;
	all->excess[all->count++].copies = 1;
}

/* The counted witnesses of a hash's prefix, or null. Hashes come in ascending order. */
static Excess *
excess_of(Excesses *all, uint64 hash)
{
	while (all->at < all->count && all->excess[all->at].prefix < PREFIX_OF(hash))
		all->at++;
	return all->at < all->count && all->excess[all->at].prefix == PREFIX_OF(hash) ? &all->excess[all->at] : NULL;
}

struct varlena *
witness_copy_collisions(HashSet *witnesses, HashSet *hashes, struct varlena *datum)
{
	Excesses	all = {palloc(1024 * sizeof(Excess)), 0, 1024, 0};
	MutableFilter mutable;
	Excess	   *excess;
	HashScan	scan;

	hash_scan_begin(&scan, witnesses, HASHES_SORTED);
	while (hash_scan_next(&scan))
		for (Size i = 0; i < scan.count; i++)
			count_witness(&all, PREFIX_OF(scan.hashes[i]));

	hash_scan_begin(&scan, hashes, HASHES_SORTED);
	while (hash_scan_next(&scan))
		for (Size i = 0; i < scan.count; i++)
			if ((excess = excess_of(&all, scan.hashes[i])) != NULL)
				excess->copies--;

	all.at = 0;
	mutable.context = CurrentMemoryContext;
	mutable.datum = datum;
	filter_view_varlena(&mutable.filter, datum);
	hash_scan_begin(&scan, hashes, HASHES_SORTED);
	while (hash_scan_next(&scan))
		for (Size i = 0; i < scan.count; i++)
		{
			excess = excess_of(&all, scan.hashes[i]);
			/* A filter counts no more copies than that, including the first one. */
			for (int copy = 1; excess != NULL && copy <= Min(excess->copies, CUCKOO_STICKY_COUNT - 1); copy++)
				(void) mutable_filter_add_all(&mutable, &scan.hashes[i], 1, false);
		}
	pfree(all.excess);
	return mutable.datum;
}
