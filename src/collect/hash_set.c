#include "collect/hash_set.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"
#include "core/pause.h"

#define FIRST_ALLOCATION	16
#define SMALL_SET			4096

/*
 * At this size a set gets groups, provided the memory limit is several times that size, since every group needs a
 * minimum of memory. From then on the buffer fits a core's L1 cache.
 */
#define GROUPED_FROM		((Size) 65536)
#define MIN_GROUPED_LIMIT	(4 * GROUPED_FROM)
#define BUFFER_OF_GROUPS	4096

/* A set may always keep this many hashes in memory, however little is left: writing fewer at a time is too slow. */
#define MIN_SPILLED			((Size) 512)

/* Sort before every 16th spill only: sorting removes duplicates, but the groups in the file will be sorted anyway. */
#define SPILLS_BETWEEN_SORTS 16

void
hash_pool_init(HashPool *pool, MemoryContext context)
{
	memset(pool, 0, sizeof(*pool));
	pool->context = context;
}

void
hash_pool_hold(HashPool *pool, Size hashes)
{
	pool->held += hashes;
}

void
hash_pool_close(HashPool *pool)
{
	if (pool->spill != NULL)
		spill_file_close(pool->spill);
	pool->spill = NULL;
}

void
hash_set_init(HashSet *set, MemoryContext context, HashPool *pool)
{
	memset(set, 0, sizeof(*set));
	set->context = context;
	set->pool = pool;
}

/*
 * Memory.
 */

Size
hash_set_memory_limit(void)
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
	return hashes <= set->held || held_by_others(set) + hashes <= 2 * hash_set_memory_limit();
}

/* The number of hashes that the set may have in memory. Only one set of a pool is sorted at a time. */
static Size
own_memory_limit(const HashSet *set)
{
	Size		limit = hash_set_memory_limit();
	Size		others = held_by_others(set);

	limit = others < 2 * limit ? Min(limit, 2 * limit - others) : 0;
	/* Sorting groups needs no second array, and the unused ends of blocks take less than an eighth of the memory. */
	if (set->groups != NULL)
		limit = limit / 4 * 7;
	return Max(limit, MIN_SPILLED);
}

/* Update the pool's count after memory was allocated or freed. */
static void
count_memory(HashSet *set)
{
	Size		before = set->held;

	set->held = set->allocated + (set->groups != NULL ? hash_groups_room(set->groups) : 0);
	if (set->pool != NULL)
		set->pool->held += set->held - before;
}

static void
enlarge_buffer(HashSet *set, Size count)
{
	if (set->buffer == NULL)
		set->buffer = hash_array_allocate(set->context, count);
	else
		set->buffer = repalloc_huge(set->buffer, count * sizeof(uint64));
	set->allocated = count;
	count_memory(set);
}

static void
empty_buffer_into_groups(HashSet *set)
{
	hash_groups_add(set->groups, set->buffer, set->count);
	set->count = set->sorted = 0;
	count_memory(set);
}

static void
begin_groups(HashSet *set)
{
	set->groups = hash_groups_create(set->context);
	set->grouped_room = 2 * set->count;
	empty_buffer_into_groups(set);
	pfree(set->buffer);
	set->buffer = NULL;
	enlarge_buffer(set, BUFFER_OF_GROUPS);
}

/*
 * Sorting, and moving to the file.
 */

static void
sort_buffer(HashSet *set)
{
	Size		fresh = set->count - set->sorted;
	uint64	   *scratch;

	if (fresh == 0)
		return;
	CHECK_FOR_INTERRUPTS();
	scratch = hash_array_allocate(CurrentMemoryContext, fresh);
	fresh = filter_sort_unique(set->buffer + set->sorted, scratch, fresh);
	set->count = fresh;
	if (set->sorted > 0)
	{
		filter_copy_bytes(scratch, set->buffer + set->sorted, fresh * sizeof(uint64));
		set->count = filter_merge_unique(set->buffer, set->sorted, scratch, fresh);
	}
	set->sorted = set->count;
	pfree(scratch);
}

bool
hash_set_has_many_duplicates(Size count, Size distinct)
{
	return distinct < count - count / 8;
}

Size
hash_set_sort(HashSet *set)
{
	Size		before = set->count,
				left;

	if (set->groups != NULL)
	{
		empty_buffer_into_groups(set);
		before = hash_groups_count(set->groups);
		left = hash_groups_sort(set->groups);
	}
	else
	{
		sort_buffer(set);
		left = set->count;
	}
	set->has_duplicates = hash_set_has_many_duplicates(before, left);
	return left;
}

typedef struct GroupToSpill
{
	SpilledGroups *spilled;
	uint32		group;
} GroupToSpill;

static bool
spill_hashes(const uint64 *hashes, Size count, void *argument)
{
	GroupToSpill *to = argument;

	spilled_groups_add(to->spilled, to->group, hashes, count);
	return true;
}

/* Move the hashes in memory to the file. */
static void
spill(HashSet *set)
{
	if (set->pool->spill == NULL)
		set->pool->spill = spill_file_create(set->pool->context);
	if (set->spilled == NULL)
		set->spilled = spilled_groups_create(set->context, set->pool->spill);
	if (set->groups != NULL)
	{
		GroupToSpill to = {set->spilled, 0};

		empty_buffer_into_groups(set);
		for (; to.group < HASH_GROUPS; to.group++)
			(void) hash_groups_visit_one(set->groups, to.group, spill_hashes, &to);
		hash_groups_clear(set->groups);
	}
	else
		spilled_groups_add_mixed(set->spilled, set->buffer, set->count);
	set->count = set->sorted = 0;
	set->spills++;
}

/*
 * Adding.
 */

/* Double the room of the buffer while it is small, or the number of hashes that the groups may hold. */
static void
grow(HashSet *set, Size limit)
{
	if (set->groups != NULL)
		set->grouped_room = Min(set->grouped_room * 2, limit);
	else if (set->allocated >= GROUPED_FROM && limit >= MIN_GROUPED_LIMIT)
		begin_groups(set);
	else
		enlarge_buffer(set, Min(set->allocated * 2, limit));
}

/*
 * Make room in the buffer for at least one more hash; false if that takes more memory than allowed.
 *
 * If the memory is full, its hashes are sorted first, provided that this is cheap (as in the many small sets of a GROUP
 * BY), or the set is at its limit, or the last sort found duplicates. Half of the memory must then be free for more
 * hashes; at the limit, where the alternative is to write to the file, a quarter suffices.
 */
static bool
make_room(HashSet *set)
{
	Size		room = set->allocated,
				limit = own_memory_limit(set);
	bool		at_limit;

	if (hash_set_has_room(set))
		return true;
	if (set->buffer == NULL)
	{
		enlarge_buffer(set, FIRST_ALLOCATION);
		return true;
	}
	if (set->groups != NULL)
	{
		room = set->grouped_room;
		empty_buffer_into_groups(set);
		if (hash_groups_count(set->groups) < room)
			return true;
	}

	at_limit = room >= limit;
	if (at_limit && set->spilled != NULL && !set->has_duplicates && set->spills % SPILLS_BETWEEN_SORTS != 0)
		return false;
	if ((at_limit || room <= SMALL_SET || set->has_duplicates) && hash_set_sort(set) <= (at_limit ? room / 4 * 3 : room / 2))
		return true;
	if (at_limit)
		return false;
	grow(set, limit);
	return true;
}

bool
hash_set_is_at_limit(HashSet *set)
{
	return set->spilled == NULL && !make_room(set);
}

void
hash_set_add_slow(HashSet *set, uint64 hash)
{
	if (!make_room(set))
	{
		if (set->pool != NULL)
			spill(set);
		else
			grow(set, MaxAllocHugeSize);
	}
	set->buffer[set->count++] = hash;
}

void
hash_set_add_all(HashSet *set, const void *hashes, Size count)
{
	const char *from = hashes;

	while (count > 0)
	{
		Size		part = Min(count, set->allocated - set->count);

		if (part == 0)
		{
			uint64		hash;

			memcpy(&hash, from, sizeof(hash));
			hash_set_add_slow(set, hash);
			part = 1;
		}
		else
		{
			filter_copy_bytes(set->buffer + set->count, from, part * sizeof(uint64));
			set->count += part;
		}
		from += part * sizeof(uint64);
		count -= part;
	}
}

/*
 * Reading the set.
 */

Size
hash_set_count(const HashSet *set)
{
	Size		count = set->count;

	if (set->groups != NULL)
		count += hash_groups_count(set->groups);
	if (set->spilled != NULL)
		count += spilled_groups_count(set->spilled);
	return count;
}

/* The hashes of a group, in memory and in the file, palloc'd. */
static uint64 *
read_group(const HashSet *set, uint32 group, Size *count)
{
	Size		in_memory = set->groups != NULL ? hash_groups_count_one(set->groups, group) : 0;
	Size		in_file = set->spilled != NULL ? spilled_groups_count_one(set->spilled, group) : 0;
	uint64	   *hashes = hash_array_allocate(CurrentMemoryContext, in_memory + in_file);

	*count = in_memory + in_file;
	if (in_file > 0)
		spilled_groups_read(set->spilled, group, hashes);
	if (in_memory > 0)
		hash_groups_copy_one(set->groups, group, hashes + in_file);
	return hashes;
}

/* Move the buffer to the other hashes of the set, and divide all into the same groups; returns their number. */
static uint32
gather(HashSet *set)
{
	if (set->groups != NULL)
	{
		empty_buffer_into_groups(set);
		if (set->spilled != NULL)
			spilled_groups_divide(set->spilled);
		return HASH_GROUPS;
	}
	spill(set);
	return spilled_groups_number(set->spilled);
}

bool
hash_set_visit(HashSet *set, HashOrder order, HashVisitor visitor, void *argument)
{
	uint32		groups;

	if (set->spilled == NULL && order == HASHES_SORTED)
		(void) hash_set_sort(set);
	if (set->spilled == NULL && set->groups == NULL)
		return set->count == 0 || visitor(set->buffer, set->count, argument);
	groups = gather(set);
	for (uint32 i = 0; i < groups; i++)
	{
		Size		count;
		uint64	   *hashes = read_group(set, i, &count);
		bool		completed;

		CHECK_FOR_INTERRUPTS();
		if (set->spilled != NULL && order == HASHES_SORTED)
			count = hash_array_sort(hashes, count);
		completed = count == 0 || visitor(hashes, count, argument);
		pfree(hashes);
		if (!completed)
			return false;
	}
	return true;
}

void
hash_set_clear(HashSet *set)
{
	if (set->spilled != NULL)
		spilled_groups_free(set->spilled);
	if (set->groups != NULL)
		hash_groups_free(set->groups);
	if (set->buffer != NULL)
		pfree(set->buffer);
	set->groups = NULL;
	set->allocated = 0;
	count_memory(set);
	hash_set_init(set, set->context, set->pool);
}
