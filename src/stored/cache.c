/*
 * An out-of-line filter is identified by its whole TOAST pointer. At first only the header is fetched, and for each probe the
 * few bytes that it tests; once the probes have cost as much as fetching the whole filter, it is copied. A single lookup in a
 * large filter thus stays cheap, a scan pays for the filter once, and if the filters of a query do not all fit in memory, none
 * is fetched more often than its probes justify.
 *
 * A copy is aligned so that each block of a Bloom filter is one cache line: see core/image.h.
 *
 * Parts of a compressed filter cannot be fetched separately, so it is copied at once.
 */
#include "stored/cache.h"

#include <math.h>

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "common/hashfn.h"
#include "miscadmin.h"

#include "core/cuckoo_filter.h"
#include "core/hash.h"
#include "core/pause.h"
#include "huge_memory.h"
#include "stored/datum.h"

/* Each call site keeps so many stored filters, and so much memory for copies, unless work_mem or a single filter is larger. */
#define MAX_FILTERS		1024
#define MAX_COPIED_BYTES	((Size) 64 * 1024 * 1024)

/*
 * The cost of a probe by slices, as the number of bytes that could be fetched in the same time. It lies between the cost if
 * all is cached, and that if each slice is read from a disk.
 */
#define BYTES_PER_PROBE		16384

/* A filter is copied in slices of this size, about 1 MB, between which the query can be cancelled. */
#define BYTES_PER_SLICE			((Size) 512 * TOAST_MAX_CHUNK_SIZE)

typedef struct StoredEntry
{
	struct varatt_external pointer;
	char		status;
	SeenFilter *seen;
} StoredEntry;

#define SH_PREFIX stored
#define SH_ELEMENT_TYPE StoredEntry
#define SH_KEY_TYPE struct varatt_external
#define SH_KEY pointer
#define SH_HASH_KEY(table, key) hash_combine(murmurhash32((key).va_toastrelid), murmurhash32((key).va_valueid))
#define SH_EQUAL(table, a, b) (memcmp(&(a), &(b), sizeof(struct varatt_external)) == 0)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

void
filter_cache_init(FilterCache *cache, MemoryContext context)
{
	memset(cache, 0, sizeof(*cache));
	cache->context = context;
	dlist_init(&cache->by_use);
	cache->flat_header = MemoryContextAlloc(context, FILTER_MAX_HEADER_BYTES);
}

static Size
image_bytes(const SeenFilter *seen)
{
	return seen->pointer.va_rawsize - VARHDRSZ;
}

static void
forget_least_recent(FilterCache *cache)
{
	SeenFilter *seen = dlist_tail_element(SeenFilter, node, &cache->by_use);

	if (seen->copy != NULL)
	{
		cache->copied_bytes -= image_bytes(seen);
		pfree(seen->copy);
	}
	if (cache->latest == seen)
		cache->latest = NULL;
	dlist_delete(&seen->node);
	(void) stored_delete(cache->stored, seen->pointer);
	pfree(seen);
}

/* Copy the name of the kind, which unlike the other fields points into bytes that may be freed. */
static void
keep_kind_name(SeenFilter *seen)
{
	memcpy(seen->kind_name, seen->filter.header.kind.name, seen->filter.header.kind.name_length);
	seen->filter.header.kind.name = seen->kind_name;
}

/*
 * A compressed filter would be decompressed from its beginning for each slice. A filter of up to two chunks is fetched whole,
 * since the header and one slice already take two.
 */
static bool
can_be_sliced(const struct varatt_external *pointer)
{
	return !VARATT_EXTERNAL_IS_COMPRESSED(*pointer) && (Size) pointer->va_rawsize > 2 * TOAST_MAX_CHUNK_SIZE;
}

static struct varlena *
check_length(struct varlena *fetched, uint64 length)
{
	if (VARSIZE(fetched) - VARHDRSZ != length)
		filter_report_damage("its length is wrong");
	return fetched;
}

static struct varlena *
fetch_slice(Datum datum, uint64 offset, uint64 length)
{
	return check_length(PG_DETOAST_DATUM_SLICE(datum, (int32) offset, (int32) length), length);
}

static void
fetch_header(SeenFilter *seen, Datum datum)
{
	struct varlena *head = fetch_slice(datum, 0, FILTER_MAX_HEADER_BYTES);
	const char *reason;

	if (filter_open_header(&seen->filter.header, (uint8 *) VARDATA(head), FILTER_MAX_HEADER_BYTES, image_bytes(seen),
						   &reason) != FILTER_OK)
		filter_report_damage(reason);
	keep_kind_name(seen);
	pfree(head);
}

static void
fetch_image_in_slices(const SeenFilter *seen, Datum datum, uint8 *image)
{
	for (Size offset = 0; offset < image_bytes(seen); offset += BYTES_PER_SLICE)
	{
		Size		length = Min(image_bytes(seen) - offset, BYTES_PER_SLICE);
		struct varlena *slice = fetch_slice(datum, offset, length);

		memcpy(image + offset, VARDATA(slice), length);
		pfree(slice);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
copy_whole(FilterCache *cache, SeenFilter *seen, Datum datum)
{
	FilterView	filter = seen->filter;
	struct varlena *flat = NULL;
	void	   *copy;
	uint8	   *image;
	const char *reason;

	/* Make room for another copy of this size by dropping others. This filter is the one used last, or a new one. */
	while (cache->copied_bytes > 0 &&
		   cache->copied_bytes + image_bytes(seen) > Max(MAX_COPIED_BYTES, (Size) work_mem * 1024))
		forget_least_recent(cache);
	if (!can_be_sliced(&seen->pointer))
	{
		flat = check_length(PG_DETOAST_DATUM(datum), image_bytes(seen));
		filter_view_varlena(&filter, flat);
	}
	copy = huge_memory_allocate(cache->context, image_bytes(seen) + FILTER_PLACEMENT_BYTES, 0);
	image = filter_place_image(&filter.header, copy);
	if (flat != NULL)
	{
		filter_copy_bytes(image, VARDATA(flat), image_bytes(seen));
		pfree(flat);
	}
	else
		fetch_image_in_slices(seen, datum, image);
	if (filter_open(&filter, image, image_bytes(seen), &reason) != FILTER_OK)
		filter_report_damage(reason);
	Assert(filter_place_image(&filter.header, image) == image);
	/* This comes last, when nothing can fail any more. */
	seen->filter = filter;
	filter_prepare(&seen->prepared, &seen->filter);
	keep_kind_name(seen);
	seen->copy = copy;
	cache->copied_bytes += image_bytes(seen);
}

static SeenFilter *
find_stored(FilterCache *cache, Datum datum, const struct varatt_external *pointer)
{
	StoredEntry *entry;
	SeenFilter *seen;
	bool		found;

	if (cache->stored == NULL)
		cache->stored = stored_create(cache->context, 16, NULL);
	entry = stored_lookup(cache->stored, *pointer);
	if (entry != NULL)
		return entry->seen;

	if (cache->stored->members >= MAX_FILTERS)
		forget_least_recent(cache);
	seen = MemoryContextAllocZero(cache->context, sizeof(SeenFilter));
	seen->pointer = *pointer;
	if (can_be_sliced(pointer))
		fetch_header(seen, datum);
	else
		copy_whole(cache, seen, datum);
	/* This comes last, when nothing can fail any more. */
	entry = stored_insert(cache->stored, *pointer, &found);
	entry->seen = seen;
	dlist_push_head(&cache->by_use, &seen->node);
	return seen;
}

static SeenFilter *
view_flat(FilterCache *cache, struct varlena *datum)
{
	SeenFilter *flat = &cache->flat;

	cache->flat_size = 0;
	filter_view_varlena(&flat->filter, datum);
	filter_prepare(&flat->prepared, &flat->filter);
	keep_kind_name(flat);
	cache->flat_header_bytes = filter_header_bytes(&flat->filter.header);
	memcpy(cache->flat_header, VARDATA(datum), cache->flat_header_bytes);
	cache->flat_size = VARSIZE(datum);
	return flat;
}

SeenFilter *
filter_cache_find_slow(FilterCache *cache, Datum datum)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(datum);
	struct varatt_external pointer;

	/* In place, like a flat one: the object may change between two calls. */
	if (VARATT_IS_EXTERNAL_EXPANDED(stored))
		return filter_cache_find(cache, PointerGetDatum(filter_object(datum)->datum));
	if (!VARATT_IS_EXTERNAL_ONDISK(stored))
		return view_flat(cache, PG_DETOAST_DATUM(datum));
	VARATT_EXTERNAL_GET_POINTER(pointer, stored);
	cache->latest = find_stored(cache, datum, &pointer);
	dlist_move_head(&cache->by_use, &cache->latest->node);
	return cache->latest;
}

/* Whether a layer contains a hash, by fetching only the ranges that it reads. */
static bool
layer_contains(const SeenFilter *seen, Datum datum, uint32 layer, uint64 hash)
{
	FilterRange range[2];
	struct varlena *slice[2];
	const uint8_t *bytes[2] = {NULL, NULL};
	uint32		ranges = filter_lookup_ranges(&seen->filter, layer, hash, range);
	bool		contains;

	for (uint32 i = 0; i < ranges; i++)
	{
		slice[i] = fetch_slice(datum, range[i].offset, range[i].length);
		bytes[i] = (uint8 *) VARDATA(slice[i]);
	}
	contains = filter_ranges_contain(&seen->filter, layer, hash, bytes);
	for (uint32 i = 0; i < ranges; i++)
		pfree(slice[i]);
	return contains;
}

/* Copy the filter if this number of probes by slices takes longer, or if it has a stash, which is searched. */
static void
copy_for_probes(FilterCache *cache, SeenFilter *seen, Datum datum, double probes)
{
	Size		even = seen->filter.header.has_stash ? 0 : (image_bytes(seen) - 1) / BYTES_PER_PROBE + 1;

	if (seen->filter.image == NULL && probes > (double) even)
		copy_whole(cache, seen, datum);
}

void
filter_cache_expect(FilterCache *cache, SeenFilter *seen, Datum datum, double probes, bool certain)
{
	copy_for_probes(cache, seen, datum, certain ? seen->probes + probes : sqrt(seen->probes * probes));
}

bool
filter_cache_probe(FilterCache *cache, SeenFilter *seen, Datum datum, uint64 hash)
{
	copy_for_probes(cache, seen, datum, ++seen->probes);
	if (seen->filter.image != NULL)
		return prepared_contains(&seen->prepared, hash);
	for (uint32 layer = seen->filter.header.layers; layer-- > 0;)
		if (layer_contains(seen, datum, layer, hash))
			return true;
	return false;
}

/* Slices are fetched to their positions in an image whose other bytes are neither set nor read. */
unsigned
filter_cache_count(FilterCache *cache, SeenFilter *seen, Datum datum, uint64 hash)
{
	FilterView	partial = seen->filter;
	unsigned	count;

	copy_for_probes(cache, seen, datum, ++seen->probes);
	if (seen->filter.image != NULL)
		return filter_count(&seen->filter, hash);
	partial.image = MemoryContextAllocHuge(CurrentMemoryContext, image_bytes(seen));
	for (uint32 layer = 0; layer < partial.header.layers; layer++)
	{
		FilterRange range[4];
		uint32		ranges = filter_lookup_ranges(&partial, layer, hash, range);

		ranges += filter_counter_ranges(&partial, layer, hash, range + ranges);
		for (uint32 i = 0; i < ranges; i++)
		{
			struct varlena *slice = fetch_slice(datum, range[i].offset, range[i].length);

			memcpy(partial.image + range[i].offset, VARDATA(slice), range[i].length);
			pfree(slice);
		}
	}
	count = filter_count(&partial, hash);
	pfree(partial.image);
	return count;
}
