/*
 * Memory and the file are both grouped by the leading bits of the hashes (hash_groups.c, hash_pool.c). A group is sorted on
 * its own when the set is read, so neither sorting nor merging needs memory for all hashes. Memory that is full is first
 * sorted, which removes duplicates, before anything is written.
 */
#include "collect/hash_set.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"
#include "core/pause.h"

#define FIRST_ALLOCATION	32		/* 256 bytes: most groups of a GROUP BY need no more */
#define SMALL_SET			4096	/* 32 kB, which are sorted in a core's L1 cache */

/*
 * At this size a set gets groups, provided the memory limit is several times as large, since every group needs a minimum of
 * memory. From then on the buffer fits a core's L1 cache.
 */
#define GROUPED_FROM		((Size) 65536)
#define MIN_GROUPED_LIMIT	(4 * GROUPED_FROM)
#define BUFFER_OF_GROUPS	4096

/* A set may always keep this many hashes in memory, however little is left, because writing fewer at a time is too slow. */
#define MIN_SPILLED			((Size) 512)

/*
 * Fewer hashes are written to one list without being divided into groups, since each group would get only a few bytes. The
 * list is divided when it has twice as many.
 */
#define MIN_DIVIDED			((Size) 64 * HASH_GROUPS)

/* Only every 16th spill sorts, to remove duplicates: the groups in the file will be sorted anyway. */
#define SPILLS_BETWEEN_SORTS 16

/* The number of hashes that a set may keep in memory if sorting them takes the same amount again. */
static Size
memory_limit(void)
{
	double		bytes = (double) work_mem * 1024.0 * hash_mem_multiplier;

	return (Size) Min(bytes, (double) MaxAllocHugeSize) / (2 * sizeof(uint64));
}

static Size
held_by_others(const HashSet *set)
{
	return set->pool != NULL ? set->pool->held - set->held : 0;
}

bool
hash_set_can_be_replaced(const HashSet *set, Size hashes)
{
	return hashes <= set->held || held_by_others(set) + hashes <= 2 * memory_limit();
}

/* The number of hashes that this set may keep in memory. Only one set of a pool is sorted at a time. */
static Size
own_memory_limit(const HashSet *set)
{
	Size		limit = memory_limit();
	Size		others = held_by_others(set);

	limit = others < 2 * limit ? Min(limit, 2 * limit - others) : 0;
	/*
	 * Sorting groups needs no second array, so they get all of the memory except the unused ends of blocks, up to an eighth.
	 */
	if (set->groups != NULL)
		limit = limit / 4 * 7;
	return Max(limit, MIN_SPILLED);
}

static void
count_memory(HashSet *set)
{
	Size		before = set->held;

	set->held = set->allocated + (set->groups != NULL ? hash_groups_capacity(set->groups) : 0);
	if (set->pool != NULL)
		set->pool->held += set->held - before;
}

void
hash_set_init(HashSet *set, MemoryContext context, HashPool *pool)
{
	memset(set, 0, sizeof(*set));
	set->context = context;
	set->pool = pool;
	set->buffer = set->first;
	set->allocated = HASH_SET_FIRST;
	count_memory(set);
}

static void
enlarge_buffer(HashSet *set, Size count)
{
	if (set->buffer == set->first)
	{
		set->buffer = hash_array_allocate(set->context, count);
		memcpy(set->buffer, set->first, sizeof(set->first));
	}
	else
		set->buffer = repalloc_huge(set->buffer, count * sizeof(uint64));
	set->allocated = (uint32) count;
	count_memory(set);
}

static void
empty_buffer_into_groups(HashSet *set)
{
	hash_groups_add(set->groups, set->buffer, set->count);
	set->count = 0;
	count_memory(set);
}

static void
begin_groups(HashSet *set)
{
	set->groups = hash_groups_create(set->context);
	set->grouped_limit = 2 * (Size) set->count;
	empty_buffer_into_groups(set);
	enlarge_buffer(set, BUFFER_OF_GROUPS);
}

void
hash_set_empty(HashSet *set)
{
	if (set->groups != NULL)
		hash_groups_clear(set->groups);
	set->count = 0;
}

/* Sort an array and remove duplicates; returns how many are left. This takes as much memory again. */
static Size
sort_array(uint64 *hashes, Size count)
{
	uint64	   *scratch = hash_array_allocate(CurrentMemoryContext, count);

	count = filter_sort_unique(hashes, scratch, count);
	pfree(scratch);
	return count;
}

/* Sort the hashes in memory and remove duplicates; returns how many are left in memory. */
static Size
sort_set(HashSet *set)
{
	Size		before = set->count,
				left;

	if (set->groups != NULL)
	{
		empty_buffer_into_groups(set);
		before = hash_groups_count(set->groups);
		hash_groups_sort(set->groups);
		left = hash_groups_count(set->groups);
	}
	else
	{
		CHECK_FOR_INTERRUPTS();
		left = sort_array(set->buffer, set->count);
		set->count = (uint32) left;
	}
	/* With few duplicates, sorting again just to remove them is in vain. The limit is not measured. */
	set->has_duplicates = left < before - before / 8;
	return left;
}

static void
spill_group(HashSet *set, uint32 group, const uint64 *hashes, Size count)
{
	if (set->spilled == NULL)
		set->spilled = MemoryContextAllocZero(set->context, sizeof(SpillList) * HASH_GROUPS);
	hash_pool_write(set->pool, &set->spilled[group], hashes, count);
}

static void
spill_divided(HashSet *set, const uint64 *hashes, Size count)
{
	uint64	   *grouped = hash_array_allocate(CurrentMemoryContext, count);
	Size		ends[HASH_GROUPS];
	Size		begin = 0;

	filter_group_hashes(hashes, grouped, count, HASH_GROUP_BITS, ends);
	for (uint32 i = 0; i < HASH_GROUPS; begin = ends[i++])
		spill_group(set, i, grouped + begin, ends[i] - begin);
	pfree(grouped);
}

/* Divide the hashes in the file that are not in a group yet. */
static void
divide_mixed(HashSet *set)
{
	Size		count = set->mixed.count;
	uint64	   *hashes = hash_array_allocate(CurrentMemoryContext, count);

	hash_pool_read(set->pool, &set->mixed, hashes);
	set->mixed.count = 0;
	spill_divided(set, hashes, count);
	pfree(hashes);
}

static void
spill(HashSet *set)
{
	if (set->groups != NULL)
	{
		uint64	   *hashes;

		empty_buffer_into_groups(set);
		hashes = hash_array_allocate(CurrentMemoryContext,
									 hash_groups_count_one(set->groups, hash_groups_largest(set->groups)));
		for (uint32 i = 0; i < HASH_GROUPS; i++)
			spill_group(set, i, hashes, hash_groups_copy_one(set->groups, i, hashes));
		pfree(hashes);
	}
	else if (set->count >= MIN_DIVIDED)
		spill_divided(set, set->buffer, set->count);
	else
		hash_pool_write(set->pool, &set->mixed, set->buffer, set->count);
	if (set->mixed.count > 2 * MIN_DIVIDED)
		divide_mixed(set);
	set->spills++;
	hash_set_empty(set);
}

/* Double the buffer while it is small, or the number of hashes that the groups may hold. */
static void
grow(HashSet *set, Size limit)
{
	if (set->groups != NULL)
		set->grouped_limit = Min(set->grouped_limit * 2, limit);
	else if (set->allocated >= GROUPED_FROM && limit >= MIN_GROUPED_LIMIT)
		begin_groups(set);
	else
		enlarge_buffer(set, Min(Max(set->allocated * 2, FIRST_ALLOCATION), limit));
}

/*
 * Sort full memory where it may be worthwhile; false if it stays too full. It may be worthwhile if sorting is cheap (as in the
 * many small sets of a GROUP BY), if the last sort found duplicates, or if the set is at its limit. Half of the memory must
 * then be free for more hashes, so that each new hash costs sorting two at most. At the limit, where the alternative is to
 * write to the file, a quarter is enough, which costs sorting four.
 */
static bool
make_space_by_sorting(HashSet *set, Size capacity, bool at_limit)
{
	if (set->has_duplicates || (at_limit ? set->spills % SPILLS_BETWEEN_SORTS == 0 : capacity <= SMALL_SET))
		return sort_set(set) <= (at_limit ? capacity / 4 * 3 : capacity / 2);
	return false;
}

bool
hash_set_make_space_in_memory(HashSet *set, bool may_sort)
{
	Size		limit = own_memory_limit(set);
	Size		capacity = set->groups != NULL ? set->grouped_limit : set->allocated;

	if (hash_set_has_space(set))
		return true;
	if (set->groups != NULL)
		empty_buffer_into_groups(set);
	if (set->groups != NULL && hash_groups_count(set->groups) < capacity)
		return true;
	if (may_sort && make_space_by_sorting(set, capacity, capacity >= limit))
		return true;
	if (capacity < limit)
		grow(set, limit);
	return capacity < limit;
}

void
hash_set_make_space(HashSet *set)
{
	if (hash_set_make_space_in_memory(set, true))
		return;
	/* A set without a pool has no limit. */
	if (set->pool != NULL)
		spill(set);
	else
		grow(set, MaxAllocHugeSize);
}

void
hash_set_add_all(HashSet *set, const void *hashes, Size count)
{
	const char *from = hashes;

	while (count > 0)
	{
		Size		part;

		hash_set_make_space(set);
		part = Min(count, set->allocated - set->count);
		filter_copy_bytes(set->buffer + set->count, from, part * sizeof(uint64));
		set->count += (uint32) part;
		from += part * sizeof(uint64);
		count -= part;
	}
}

Size
hash_set_count(const HashSet *set)
{
	Size		count = set->count + set->mixed.count;

	if (set->groups != NULL)
		count += hash_groups_count(set->groups);
	for (uint32 i = 0; set->spilled != NULL && i < HASH_GROUPS; i++)
		count += set->spilled[i].count;
	return count;
}

void
hash_scan_begin(HashScan *scan, HashSet *set, HashOrder order)
{
	memset(scan, 0, sizeof(*scan));
	scan->set = set;
	scan->sort = order == HASHES_SORTED && set->spills > 0;
	if (order == HASHES_SORTED && set->spills == 0)
		(void) sort_set(set);
	if (set->groups != NULL)
		empty_buffer_into_groups(set);
	else if (set->spills > 0)
		spill(set);
	if (set->mixed.count > 0 && (set->groups != NULL || set->spilled != NULL))
		divide_mixed(set);
	scan->runs = set->groups != NULL || set->spilled != NULL ? HASH_GROUPS : 1;
}

/* Read the hashes of a group, or all hashes if they are not divided, in memory and in the file. */
static void
read_run(HashScan *scan, uint32 group)
{
	HashSet    *set = scan->set;
	const SpillList *in_file = set->spilled != NULL ? &set->spilled[group] : &set->mixed;
	Size		in_memory = set->groups != NULL ? hash_groups_count_one(set->groups, group) : 0;

	scan->copy = hash_array_allocate(CurrentMemoryContext, in_file->count + in_memory);
	scan->hashes = scan->copy;
	scan->count = in_file->count + in_memory;
	if (in_file->count > 0)
		hash_pool_read(set->pool, in_file, scan->copy);
	if (in_memory > 0)
		(void) hash_groups_copy_one(set->groups, group, scan->copy + in_file->count);
	if (scan->sort)
		scan->count = sort_array(scan->copy, scan->count);
}

bool
hash_scan_next(HashScan *scan)
{
	do
	{
		hash_scan_end(scan);
		if (scan->next == scan->runs)
			return false;
		CHECK_FOR_INTERRUPTS();
		if (scan->set->groups != NULL || scan->set->spills > 0)
			read_run(scan, scan->next);
		else
		{
			scan->hashes = scan->set->buffer;
			scan->count = scan->set->count;
		}
		scan->next++;
	} while (scan->count == 0);
	return true;
}

void
hash_scan_end(HashScan *scan)
{
	if (scan->copy != NULL)
		pfree(scan->copy);
	scan->copy = NULL;
}

uint64
hash_set_distinct(HashSet *set)
{
	uint64		sum = 0;
	HashScan	scan;

	if (set->spills == 0)
		return sort_set(set);
	hash_scan_begin(&scan, set, HASHES_SORTED);
	while (hash_scan_next(&scan))
		sum += scan.count;
	return sum;
}

void
hash_set_clear(HashSet *set)
{
	if (set->groups != NULL)
		hash_groups_free(set->groups);
	if (set->buffer != set->first)
		pfree(set->buffer);
	set->groups = NULL;
	set->allocated = 0;
	count_memory(set);
	hash_set_init(set, set->context, set->pool);
}
