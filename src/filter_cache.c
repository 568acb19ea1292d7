#include "filter_cache.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash.h"
#include "filter_datum.h"

/* At most so many stored filters are known at one call site; copied ones take so much memory, work_mem, or one filter's. */
#define CACHED_FILTERS	1024
#define CACHED_BYTES	((Size) 64 * 1024 * 1024)

/*
 * What a probe by slices costs, in bytes that could be fetched whole instead (measured: 0.09 ms for a probe, 82 ms for a
 * filter of 100 MB).
 */
#define BYTES_PER_PROBE	16384
#define MOST_DOUBLINGS	8

typedef struct StoredKey
{
	Oid			relation;
	Oid			value;
} StoredKey;

typedef struct StoredEntry
{
	StoredKey	key;
	char		status;
	SeenFilter *seen;
} StoredEntry;

#define SH_PREFIX stored
#define SH_ELEMENT_TYPE StoredEntry
#define SH_KEY_TYPE StoredKey
#define SH_KEY key
#define SH_HASH_KEY(table, key) hash_combine(murmurhash32((key).relation), murmurhash32((key).value))
#define SH_EQUAL(table, a, b) ((a).relation == (b).relation && (a).value == (b).value)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

void
filter_cache_init(FilterCache *cache, MemoryContext context)
{
	memset(cache, 0, sizeof(*cache));
	cache->context = context;
	cache->flat_header = MemoryContextAlloc(context, FILTER_MAX_HEADER_BYTES);
}

static StoredKey
key_of(const struct varatt_external *pointer)
{
	StoredKey	key = {pointer->va_toastrelid, pointer->va_valueid};

	return key;
}

static void
drop_copy(FilterCache *cache, SeenFilter *seen)
{
	cache->copied_bytes -= VARSIZE(seen->copy);
	pfree(seen->copy);
	seen->copy = NULL;
	seen->filter.image = NULL;
	seen->probes = 0;
	seen->drops++;
}

/* The least recently used stored filter, of those with a copy or of all. */
static SeenFilter *
least_recent(FilterCache *cache, bool with_copy)
{
	SeenFilter *oldest = NULL;
	stored_iterator iterator;
	StoredEntry *entry;

	stored_start_iterate(cache->stored, &iterator);
	while ((entry = stored_iterate(cache->stored, &iterator)) != NULL)
		if ((entry->seen->copy != NULL || !with_copy) &&
			(oldest == NULL || entry->seen->last_used < oldest->last_used))
			oldest = entry->seen;
	return oldest;
}

static void
forget(FilterCache *cache, SeenFilter *seen)
{
	if (seen->copy != NULL)
		drop_copy(cache, seen);
	if (cache->latest == seen)
		cache->latest = NULL;
	(void) stored_delete(cache->stored, key_of(&seen->pointer));
	pfree(seen);
}

/* Keep the name of the kind, which is in bytes that may go before the header's other fields do. */
static void
keep_kind_name(SeenFilter *seen)
{
	memcpy(seen->kind_name, seen->filter.kind.name, seen->filter.kind.name_length);
	seen->filter.kind.name = seen->kind_name;
}

static void
copy_whole(FilterCache *cache, SeenFilter *seen, Datum datum)
{
	SeenFilter *oldest;
	MemoryContext old;
	struct varlena *copy;
	Size		most = Max(CACHED_BYTES, (Size) work_mem * 1024);

	while (cache->copied_bytes > 0 && cache->copied_bytes + seen->pointer.va_rawsize > most &&
		   (oldest = least_recent(cache, true)) != NULL)
		drop_copy(cache, oldest);

	old = MemoryContextSwitchTo(cache->context);
	copy = PG_DETOAST_DATUM(datum);
	MemoryContextSwitchTo(old);
	filter_view_varlena(&seen->filter, copy);
	keep_kind_name(seen);
	seen->copy = copy;
	cache->copied_bytes += VARSIZE(copy);
}

static struct varlena *
fetch_slice(Datum datum, uint64 offset, uint64 length)
{
	return PG_DETOAST_DATUM_SLICE(datum, (int32) offset, (int32) length);
}

/* Probing by slices is out for a compressed filter, which has to be decompressed from its beginning. */
static bool
can_be_sliced(const struct varatt_external *pointer)
{
	return !VARATT_EXTERNAL_IS_COMPRESSED(*pointer) && pointer->va_rawsize > 2 * BYTES_PER_PROBE;
}

static void
fetch_header(SeenFilter *seen, Datum datum)
{
	struct varlena *head = fetch_slice(datum, 0, FILTER_MAX_HEADER_BYTES);
	const char *reason;

	if (filter_open_header(&seen->filter, (uint8 *) VARDATA(head), VARSIZE(head) - VARHDRSZ,
						   seen->pointer.va_rawsize - VARHDRSZ, &reason) != FILTER_OK)
		filter_report_damage(reason);
	keep_kind_name(seen);
	pfree(head);
}

static SeenFilter *
find_stored(FilterCache *cache, Datum datum, const struct varatt_external *pointer)
{
	StoredEntry *entry;
	SeenFilter *seen;
	bool		found;

	if (cache->stored == NULL)
		cache->stored = stored_create(cache->context, 16, NULL);
	entry = stored_lookup(cache->stored, key_of(pointer));
	if (entry != NULL)
	{
		if (memcmp(&entry->seen->pointer, pointer, sizeof(*pointer)) == 0)
			return entry->seen;
		forget(cache, entry->seen);
	}

	if (cache->stored->members >= CACHED_FILTERS)
		forget(cache, least_recent(cache, false));
	seen = MemoryContextAllocZero(cache->context, sizeof(SeenFilter));
	seen->pointer = *pointer;
	if (can_be_sliced(pointer))
		fetch_header(seen, datum);
	else
		copy_whole(cache, seen, datum);
	/* Only now that nothing can fail any more. */
	entry = stored_insert(cache->stored, key_of(pointer), &found);
	entry->seen = seen;
	return seen;
}

static SeenFilter *
take_flat(FilterCache *cache, struct varlena *datum)
{
	SeenFilter *flat = &cache->flat;

	cache->flat_size = 0;
	filter_view_varlena(&flat->filter, datum);
	keep_kind_name(flat);
	cache->flat_header_bytes = filter_header_bytes(&flat->filter);
	memcpy(cache->flat_header, VARDATA(datum), cache->flat_header_bytes);
	cache->flat_size = VARSIZE(datum);
	return flat;
}

SeenFilter *
filter_cache_find_slow(FilterCache *cache, Datum datum)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(datum);
	struct varatt_external pointer;

	if (!VARATT_IS_EXTERNAL_ONDISK(stored))
		return take_flat(cache, PG_DETOAST_DATUM(datum));

	VARATT_EXTERNAL_GET_POINTER(pointer, stored);
	cache->latest = find_stored(cache, datum, &pointer);
	cache->latest->last_used = ++cache->clock;
	return cache->latest;
}

const Filter *
filter_cache_view(FilterCache *cache, Datum datum)
{
	SeenFilter *seen = filter_cache_find(cache, datum);

	if (seen->filter.image == NULL)
		copy_whole(cache, seen, datum);
	return &seen->filter;
}

static bool
layer_contains(const SeenFilter *seen, Datum datum, uint32 layer, uint64 hash)
{
	FilterRange range[2];
	struct varlena *slice[2] = {NULL, NULL};
	const uint8_t *bytes[2] = {NULL, NULL};
	uint32		ranges = filter_lookup_ranges(&seen->filter, layer, hash, range);
	bool		contains;

	for (uint32 i = 0; i < ranges; i++)
	{
		slice[i] = fetch_slice(datum, range[i].offset, range[i].length);
		if (VARSIZE(slice[i]) - VARHDRSZ != range[i].length)
			filter_report_damage("it ends early");
		bytes[i] = (uint8 *) VARDATA(slice[i]);
	}
	contains = filter_ranges_contain(&seen->filter, layer, hash, bytes);
	for (uint32 i = 0; i < ranges; i++)
		pfree(slice[i]);
	return contains;
}

bool
filter_cache_probe(FilterCache *cache, SeenFilter *seen, Datum datum, uint64 hash)
{
	/* Each copy that had to make room makes the next wait longer, or filters that do not all fit would chase each other. */
	if (seen->probes++ >= ((uint32) seen->pointer.va_rawsize / BYTES_PER_PROBE) << Min(seen->drops, MOST_DOUBLINGS))
	{
		copy_whole(cache, seen, datum);
		return filter_contains(&seen->filter, hash);
	}
	for (uint32 layer = seen->filter.layers; layer-- > 0;)
		if (layer_contains(seen, datum, layer, hash))
			return true;
	return false;
}
