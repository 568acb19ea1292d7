/*
 * The filters that a call site has seen, so that a stored filter is fetched once and not for every row.
 */
#ifndef FILTER_STORED_CACHE_H
#define FILTER_STORED_CACHE_H

#include "postgres.h"

#include "lib/ilist.h"

#include "compat.h"
#include "core/filter.h"

typedef struct SeenFilter
{
	dlist_node	node;			/* in by_use */
	FilterView	filter;			/* without an image while only the header has been fetched */
	PreparedFilter prepared;	/* for lookups, if it has an image */
	char		kind_name[VALUE_KIND_MAX_NAME_BYTES];	/* filter.kind.name points here in either case */
	struct varatt_external pointer;
	void	   *copy;			/* the memory that contains the image; null while only the header has been fetched */
	uint32		probes;			/* by slices */
} SeenFilter;

typedef struct FilterCache
{
	MemoryContext context;
	SeenFilter *latest;			/* the stored filter used last, or null */
	struct stored_hash *stored; /* null until there is one */
	dlist_head	by_use;			/* the stored filters, in the order in which they last became `latest`, newest first */
	Size		copied_bytes;

	/*
	 * Filters that are not stored out of line are used in place, and not kept: the next row may have another one at the same
	 * address. Their headers are usually the same from row to row, so the last one need not be parsed again.
	 */
	SeenFilter	flat;
	uint8	   *flat_header;
	Size		flat_header_bytes;
	Size		flat_size;		/* 0: none yet */
} FilterCache;

/* Initialize a cache that allocates in the context. */
extern void filter_cache_init(FilterCache *cache, MemoryContext context);

/* The filter of a datum, perhaps without its image. Valid until the next call. Errors as in filter_view. */
extern SeenFilter *filter_cache_find_slow(FilterCache *cache, Datum datum);

static inline SeenFilter *
filter_cache_find(FilterCache *cache, Datum datum)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_EXTERNAL_ONDISK(stored))
	{
		if (likely(cache->latest != NULL &&
				   memcmp(&cache->latest->pointer, VARDATA_EXTERNAL(stored), sizeof(struct varatt_external)) == 0))
			return cache->latest;
	}
	else if (likely(VARATT_IS_4B_U(stored) && VARSIZE(stored) == cache->flat_size &&
					memcmp(VARDATA(stored), cache->flat_header, cache->flat_header_bytes) == 0))
	{
		prepared_move(&cache->flat.prepared, &cache->flat.filter, (uint8 *) VARDATA(stored));
		return &cache->flat;
	}
	return filter_cache_find_slow(cache, datum);
}

/*
 * If the filter that was just found for a datum is expected to get enough probes to make a copy worthwhile, copy it now,
 * sooner than filter_cache_probe, which expects none. If the probes are not certain, for example because a LIMIT may end the
 * query, a few come first: the more, the less they would add to the time of all.
 */
extern void filter_cache_expect(FilterCache *cache, SeenFilter *seen, Datum datum, double probes, bool certain);

/* Whether the filter that was just found for a datum contains a hash. */
extern bool filter_cache_probe(FilterCache *cache, SeenFilter *seen, Datum datum, uint64 hash);

/* The count of a hash, as in filter_count, in the filter that was just found for a datum. */
extern unsigned filter_cache_count(FilterCache *cache, SeenFilter *seen, Datum datum, uint64 hash);

static inline bool
filter_cache_contains(FilterCache *cache, SeenFilter *seen, Datum datum, uint64 hash)
{
	if (likely(seen->filter.image != NULL))
		return prepared_contains(&seen->prepared, hash);
	return filter_cache_probe(cache, seen, datum, hash);
}

#endif
