/*
 * The filters of src/core: Bloom at 1%, cuckoo at 0.1%.
 */
#include "contender.h"
#include "core/hash_sort.h"
#include "core/filter.h"
#include "owned_filter.h"

#define BLOOM_RATE	0.01
#define CUCKOO_RATE	0.001

typedef struct Ours
{
	FilterView	filter;
	PreparedFilter prepared;
	uint64_t	bytes;
	void	   *memory;
} Ours;

/* In touched memory, on cache lines as the extension places its copies. */
static void *
create(FilterType type, uint64_t values, double rate)
{
	OwnedFilter planned = owned_filter_create(type, values, rate);
	Ours	   *ours = (Ours *) zeroed_memory(sizeof(*ours));

	ours->filter = planned.filter;
	ours->bytes = planned.image_bytes;
	ours->memory = touched_memory((size_t) planned.image_bytes + FILTER_PLACEMENT_BYTES);
	owned_filter_free(&planned);
	filter_write_header(&ours->filter, filter_place_image(&ours->filter.header, ours->memory));
	filter_prepare(&ours->prepared, &ours->filter);
	return ours;
}

static void *
create_bloom(uint64_t values)
{
	return create(FILTER_BLOOM, values, BLOOM_RATE);
}

static void *
create_cuckoo(uint64_t values)
{
	return create(FILTER_CUCKOO, values, CUCKOO_RATE);
}

static void
destroy(void *set)
{
	free(((Ours *) set)->memory);
	free(set);
}

static uint64_t
bytes(const void *set)
{
	return ((const Ours *) set)->bytes;
}

static uint64_t
slots(const void *set)
{
	CuckooLayer cuckoo = filter_cuckoo_layer(&((const Ours *) set)->filter, 0);

	return cuckoo_slots(&cuckoo);
}

static bool
build_bloom(void *set, uint64_t *hashes, uint64_t *scratch, size_t count)
{
	(void) scratch;
	return filter_build(&((Ours *) set)->filter, hashes, count) == FILTER_OK;
}

/* As the aggregates build filters. */
static bool
build_cuckoo(void *set, uint64_t *hashes, uint64_t *scratch, size_t count)
{
	count = filter_sort_unique(hashes, scratch, count);
	return filter_build(&((Ours *) set)->filter, hashes, count) == FILTER_OK;
}

static size_t
add(void *set, const uint64_t *hashes, size_t count)
{
	FilterView *filter = &((Ours *) set)->filter;
	size_t		added = 0;
	bool		changed;

	while (added < count && filter_add(filter, hashes[added], false, &changed) == FILTER_OK)
		added++;
	return added;
}

static size_t
add_batched(void *set, const uint64_t *hashes, size_t count)
{
	size_t		done;
	bool		changed = false;

	(void) filter_add_all(&((Ours *) set)->filter, hashes, count, false, &done, &changed);
	return done;
}

static size_t
count_one_by_one(const void *set, const uint64_t *hashes, size_t count)
{
	const PreparedFilter *prepared = &((const Ours *) set)->prepared;
	size_t		found = 0;

	for (size_t i = 0; i < count; i++)
		found += prepared_contains(prepared, hashes[i]);
	return found;
}

static size_t
count_batched(const void *set, const uint64_t *hashes, size_t count, bool most)
{
	const FilterView *filter = &((const Ours *) set)->filter;
	uint32_t	index[4096];
	size_t		found = 0;

	(void) most;
	for (size_t i = 0; i < count; i += 4096)
		found += filter_contained(filter, hashes + i, count - i < 4096 ? count - i : 4096, index);
	return found;
}

static size_t
remove_one_by_one(void *set, const uint64_t *hashes, size_t count)
{
	const FilterView *filter = &((const Ours *) set)->filter;
	size_t		removed = 0;

	for (size_t i = 0; i < count; i++)
		removed += filter_remove(filter, hashes[i]);
	return removed;
}

static size_t
remove_batched(void *set, const uint64_t *hashes, size_t count)
{
	return filter_remove_all(&((const Ours *) set)->filter, hashes, count);
}

const Contender our_contenders[] = {
	{
		.name = "Bloom, 1%",
		.kind = CONTENDER_BLOOM,
		.create = create_bloom,
		.destroy = destroy,
		.bytes = bytes,
		.build = build_bloom,
		.add = add,
		.add_batched = add_batched,
		.count = count_one_by_one,
		.count_batched = count_batched,
	},
	{
		.name = "cuckoo, 0.1%",
		.kind = CONTENDER_CUCKOO,
		.create = create_cuckoo,
		.destroy = destroy,
		.bytes = bytes,
		.slots = slots,
		.build = build_cuckoo,
		.add = add,
		.add_batched = add_batched,
		.count = count_one_by_one,
		.count_batched = count_batched,
		.remove = remove_one_by_one,
		.remove_batched = remove_batched,
	},
	{.name = NULL},
};
