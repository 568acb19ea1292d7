#include "build/hash_collector.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"
#include "core/pause.h"
#include "huge_memory.h"

#define FIRST_ALLOCATION	16
#define SMALL_COLLECTION	4096

/*
 * The array becomes groups at this size, provided the memory limit is several times that size, since every group
 * needs a minimum of memory. From then on the array is a buffer that fits a core's L1 cache.
 */
#define GROUPED_FROM		((Size) 65536)
#define LEAST_GROUPED_LIMIT	(4 * GROUPED_FROM)
#define WAITING_HASHES		4096

/* A collector may always keep this many in memory, however little is left: writing fewer at a time is too slow. */
#define LEAST_SPILLED		512

/*
 * Fewer hashes are not divided into partitions when they are written, since each part would have only a few bytes. A
 * list is divided when it becomes longer than twice that.
 */
#define PARTITION_BITS		6
#define PARTITIONS			(1 << PARTITION_BITS)
#define LEAST_PARTITIONED	((Size) 64 * PARTITIONS)

/* Sort before every 16th spill only: sorting removes duplicates, but the partitions will be sorted again anyway. */
#define SPILLS_BETWEEN_SORTS 16

void
collector_pool_init(CollectorPool *pool, MemoryContext context)
{
	memset(pool, 0, sizeof(*pool));
	pool->context = context;
}

void
collector_pool_close(CollectorPool *pool)
{
	if (pool->spill != NULL)
		spill_file_close(pool->spill);
	pool->spill = NULL;
}

void
collector_init(HashCollector *collector, MemoryContext context, CollectorPool *pool)
{
	memset(collector, 0, sizeof(*collector));
	collector->context = context;
	collector->pool = pool;
}

static void
check_number(Size count)
{
	if (count > MaxAllocHugeSize / sizeof(uint64))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many values for one filter")));
}

static uint64 *
allocate_hashes(MemoryContext context, Size count)
{
	check_number(count);
	return huge_memory_allocate(context, count * sizeof(uint64));
}

Size
collector_memory_limit(void)
{
	double		bytes = (double) work_mem * 1024.0 * hash_mem_multiplier;

	return (Size) Min(bytes, (double) MaxAllocHugeSize) / (2 * sizeof(uint64));
}

/* The same for a collector with others in its pool, of which only one is sorted at a time. */
static Size
own_memory_limit(const HashCollector *collector)
{
	Size		limit = collector_memory_limit();
	Size		others = collector->pool != NULL ? collector->pool->held - collector->held : 0;

	return others < 2 * limit ? Min(limit, 2 * limit - others) : 0;
}

/* Update the pool's count after memory was allocated or freed. */
static void
count_memory(HashCollector *collector)
{
	Size		before = collector->held;

	collector->held = collector->allocated + (collector->groups != NULL ? hash_groups_room(collector->groups) : 0);
	if (collector->pool != NULL)
		collector->pool->held += collector->held - before;
}

static bool
has_spilled(const HashCollector *collector)
{
	return collector->partitions != NULL || collector->unpartitioned.list.count > 0;
}

static void
move_to_groups(HashCollector *collector)
{
	hash_groups_add(collector->groups, collector->hashes, collector->count);
	collector->count = collector->sorted = 0;
	count_memory(collector);
}

static Size
compact_groups(HashCollector *collector)
{
	Size		before,
				left;

	move_to_groups(collector);
	before = hash_groups_count(collector->groups);
	left = hash_groups_sort(collector->groups);
	collector->has_repeats = left < before - before / 8;
	return left;
}

/* Sort the hashes in memory and remove duplicates; returns how many are left in memory. */
static Size
compact(HashCollector *collector)
{
	uint64	   *scratch;
	Size		before = collector->count;
	Size		fresh = collector->count - collector->sorted;

	if (collector->groups != NULL)
		return compact_groups(collector);
	if (fresh == 0)
		return collector->count;
	CHECK_FOR_INTERRUPTS();
	scratch = allocate_hashes(CurrentMemoryContext, fresh);
	fresh = filter_sort_unique(collector->hashes + collector->sorted, scratch, fresh);
	collector->count = fresh;
	if (collector->sorted > 0)
	{
		filter_copy_bytes(scratch, collector->hashes + collector->sorted, fresh * sizeof(uint64));
		collector->count = filter_merge_unique(collector->hashes, collector->sorted, scratch, fresh);
	}
	collector->sorted = collector->count;
	collector->has_repeats = collector->count < before - before / 8;
	pfree(scratch);
	return collector->count;
}

/*
 * The file.
 */

static void
append(HashCollector *collector, CollectorPartition *partition, const void *hashes, Size count, bool sorted)
{
	CollectorPool *pool = collector->pool;

	if (count == 0)
		return;
	if (pool->spill == NULL)
		pool->spill = spill_file_create(pool->context);
	partition->sorted = sorted && partition->list.count == 0;
	spill_append(pool->spill, &partition->list, hashes, count);
}

static CollectorPartition *
partition_of(HashCollector *collector, uint64 hash)
{
	if (collector->partitions == NULL)
		collector->partitions = MemoryContextAllocZero(collector->context, sizeof(CollectorPartition) * PARTITIONS);
	return &collector->partitions[hash >> (64 - PARTITION_BITS)];
}

/* Write hashes to their partitions. They need not be sorted: each partition will be sorted as a whole. */
static void
write_partitioned(HashCollector *collector, const uint64 *hashes, Size count, bool sorted)
{
	uint64	   *grouped = allocate_hashes(CurrentMemoryContext, count);
	Size		ends[PARTITIONS];
	Size		begin = 0;

	filter_group_hashes(hashes, grouped, count, PARTITION_BITS, ends);
	for (int i = 0; i < PARTITIONS; i++)
	{
		if (begin < ends[i])
			append(collector, partition_of(collector, grouped[begin]), grouped + begin, ends[i] - begin, sorted);
		begin = ends[i];
	}
	pfree(grouped);
}

static uint64 *
read_list(const HashCollector *collector, const SpillList *list)
{
	uint64	   *hashes = allocate_hashes(CurrentMemoryContext, Max(list->count, 1));

	if (list->count > 0)
		spill_read(collector->pool->spill, list, hashes);
	return hashes;
}

/* Divide the list of hashes that are not yet in partitions. */
static void
divide_list(HashCollector *collector)
{
	SpillList  *list = &collector->unpartitioned.list;
	Size		count = list->count;
	uint64	   *hashes = read_list(collector, list);

	spill_forget(collector->pool->spill, list);
	write_partitioned(collector, hashes, count, false);
	pfree(hashes);
}

static void
write_array(HashCollector *collector)
{
	bool		sorted = collector->sorted == collector->count;

	if (collector->count >= LEAST_PARTITIONED)
		write_partitioned(collector, collector->hashes, collector->count, sorted);
	else
	{
		append(collector, &collector->unpartitioned, collector->hashes, collector->count, sorted);
		if (collector->unpartitioned.list.count > 2 * LEAST_PARTITIONED)
			divide_list(collector);
	}
	collector->count = collector->sorted = 0;
}

static bool
write_group(const uint64 *hashes, Size count, void *collector)
{
	append(collector, partition_of(collector, hashes[0]), hashes, count, false);
	return true;
}

/* Move the hashes in memory to the file. */
static void
write_memory(HashCollector *collector)
{
	if (collector->groups != NULL)
	{
		move_to_groups(collector);
		(void) hash_groups_visit(collector->groups, write_group, collector);
		hash_groups_clear(collector->groups);
	}
	else
		write_array(collector);
	collector->spills++;
}

/* The number of sorted hashes, at any alignment, that belong to partitions before the given one. */
static Size
count_before(const char *hashes, Size count, uint64 partition)
{
	Size		low = 0,
				high = count;

	while (low < high)
	{
		Size		middle = low + (high - low) / 2;
		uint64		hash;

		memcpy(&hash, hashes + middle * sizeof(hash), sizeof(hash));
		if (hash >> (64 - PARTITION_BITS) < partition)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Write sorted distinct hashes, at any alignment, to the file. */
static void
write_run(HashCollector *collector, const char *hashes, Size count)
{
	Size		begin = 0;

	if (count < LEAST_PARTITIONED)
	{
		append(collector, &collector->unpartitioned, hashes, count, true);
		if (collector->unpartitioned.list.count > 2 * LEAST_PARTITIONED)
			divide_list(collector);
		return;
	}
	for (uint64 i = 0; i < PARTITIONS; i++)
	{
		Size		end = count_before(hashes, count, i + 1);

		append(collector, partition_of(collector, i << (64 - PARTITION_BITS)), hashes + begin * sizeof(uint64),
			   end - begin, true);
		begin = end;
	}
}

/* Move all hashes to the file, each to its partition; returns the number of partitions. */
static int
settle(HashCollector *collector)
{
	write_memory(collector);
	if (collector->partitions == NULL)
		return 1;
	if (collector->unpartitioned.list.count > 0)
		divide_list(collector);
	return PARTITIONS;
}

/* All hashes of a partition, sorted and distinct, palloc'd; they also replace the partition in the file. */
static uint64 *
read_partition(HashCollector *collector, int number, Size *count)
{
	CollectorPartition *partition =
		collector->partitions != NULL ? &collector->partitions[number] : &collector->unpartitioned;
	uint64	   *hashes = read_list(collector, &partition->list);

	*count = partition->list.count;
	if (*count > 0 && !partition->sorted)
	{
		uint64	   *scratch = allocate_hashes(CurrentMemoryContext, *count);

		*count = filter_sort_unique(hashes, scratch, *count);
		pfree(scratch);
		spill_replace(collector->pool->spill, &partition->list, hashes, *count);
		partition->sorted = true;
	}
	return hashes;
}

/*
 * Adding.
 */

/* Allocate memory for a number of hashes. */
static void
reserve(HashCollector *collector, Size count)
{
	if (count <= collector->allocated)
		return;
	check_number(count);
	if (collector->hashes == NULL)
		collector->hashes = allocate_hashes(collector->context, count);
	else
		collector->hashes = huge_memory_enlarge(collector->hashes, collector->count * sizeof(uint64), count * sizeof(uint64));
	collector->allocated = count;
	count_memory(collector);
}

static void
begin_groups(HashCollector *collector)
{
	collector->groups = hash_groups_create(collector->context);
	move_to_groups(collector);
	pfree(collector->hashes);
	collector->hashes = NULL;
	collector->allocated = 0;
	reserve(collector, WAITING_HASHES);
	collector->look_at = LEAST_GROUPED_LIMIT;
}

/* If the last sort found few duplicates, memory is sorted only before every n-th write to the file. */
static bool
spills_unsorted(const HashCollector *collector)
{
	return has_spilled(collector) && !collector->has_repeats && collector->spills % SPILLS_BETWEEN_SORTS != 0;
}

/* Empty the array into the groups. They are sorted at the limit, and at every doubling if that found duplicates before. */
static bool
make_room_in_groups(HashCollector *collector)
{
	/* Sorting groups needs no second array, and the unused ends of blocks take less than an eighth of the memory. */
	Size		limit = own_memory_limit(collector) / 4 * 7;
	bool		at_limit = collector->look_at >= limit;

	move_to_groups(collector);
	if (hash_groups_count(collector->groups) < collector->look_at)
		return true;
	if (at_limit && spills_unsorted(collector))
		return false;
	if (collector->has_repeats || at_limit)
	{
		if (compact(collector) <= (at_limit ? collector->look_at / 4 * 3 : collector->look_at / 2))
			return true;
		if (at_limit)
			return false;
	}
	collector->look_at = Min(collector->look_at * 2, limit);
	return true;
}

/*
 * Small collections are sorted whenever they are full, since that is cheap and keeps the many small groups of a GROUP
 * BY small. Larger ones are sorted if that found duplicates before, and before any step other than doubling the
 * array.
 */
static bool
make_room_in_array(HashCollector *collector)
{
	Size		wanted = collector->allocated * 2;
	Size		limit = own_memory_limit(collector);
	bool		at_limit = wanted > limit && collector->allocated >= LEAST_SPILLED;
	bool		is_large = collector->allocated >= GROUPED_FROM && limit >= LEAST_GROUPED_LIMIT;

	if (at_limit && spills_unsorted(collector))
		return false;
	if (collector->allocated <= SMALL_COLLECTION || collector->has_repeats || at_limit || is_large)
	{
		/* If half were duplicates, there is room again; before writing to the file, a quarter suffices. */
		if (compact(collector) <= (at_limit ? collector->allocated / 4 * 3 : collector->allocated / 2))
			return true;
		if (at_limit)
			return false;
	}
	if (is_large)
		begin_groups(collector);
	else
		reserve(collector, wanted);
	return true;
}

/* Make room for at least one more hash; false if that takes more memory than allowed. */
static bool
make_room(HashCollector *collector)
{
	if (collector->count < collector->allocated)
		return true;
	if (collector->groups != NULL)
		return make_room_in_groups(collector);
	if (collector->allocated > 0)
		return make_room_in_array(collector);
	reserve(collector, FIRST_ALLOCATION);
	return true;
}

bool
collector_is_at_limit(HashCollector *collector)
{
	return !has_spilled(collector) && !make_room(collector);
}

void
collector_add_slow(HashCollector *collector, uint64 hash)
{
	if (!make_room(collector))
	{
		if (collector->pool != NULL)
			write_memory(collector);
		else if (collector->groups != NULL)
			collector->look_at *= 2;
		else
			reserve(collector, collector->allocated * 2);
	}
	collector->hashes[collector->count++] = hash;
}

void
collector_add_sorted(HashCollector *collector, const void *hashes, Size count)
{
	if (count == 0)
		return;
	if (collector->pool != NULL &&
		(has_spilled(collector) || collector->count + count > Max(own_memory_limit(collector), LEAST_SPILLED)))
	{
		write_memory(collector);
		write_run(collector, hashes, count);
		return;
	}
	compact(collector);
	/* There is seldom only one run. */
	if (collector->count + count > collector->allocated)
		reserve(collector, collector->count + count + Min(count, collector_memory_limit()));
	collector->count = filter_merge_unique(collector->hashes, collector->count, hashes, count);
	collector->sorted = collector->count;
}

/*
 * Taking out.
 */

uint64
collector_distinct(HashCollector *collector)
{
	uint64		distinct = 0;
	int			partitions;

	if (!has_spilled(collector))
		return compact(collector);
	partitions = settle(collector);
	for (int i = 0; i < partitions; i++)
	{
		Size		count;

		CHECK_FOR_INTERRUPTS();
		pfree(read_partition(collector, i, &count));
		distinct += count;
	}
	return distinct;
}

/* A visitor gets at most this many hashes at a time, so that the query can be cancelled in between. */
#define VISIT_HASHES 65536

static bool
visit_array(const uint64 *hashes, Size count, HashVisitor visitor, void *argument)
{
	for (Size begin = 0; begin < count; begin += VISIT_HASHES)
	{
		CHECK_FOR_INTERRUPTS();
		if (!visitor(hashes + begin, Min(count - begin, VISIT_HASHES), argument))
			return false;
	}
	return true;
}

bool
collector_visit(HashCollector *collector, HashVisitor visitor, void *argument)
{
	int			partitions;

	if (!has_spilled(collector))
	{
		compact(collector);
		if (collector->groups != NULL)
			return hash_groups_visit(collector->groups, visitor, argument);
		return visit_array(collector->hashes, collector->count, visitor, argument);
	}
	partitions = settle(collector);
	for (int i = 0; i < partitions; i++)
	{
		Size		count;
		uint64	   *hashes = read_partition(collector, i, &count);
		bool		go_on = visit_array(hashes, count, visitor, argument);

		pfree(hashes);
		if (!go_on)
			return false;
	}
	return true;
}

void
collector_clear(HashCollector *collector)
{
	if (has_spilled(collector))
		spill_forget(collector->pool->spill, &collector->unpartitioned.list);
	if (collector->partitions != NULL)
	{
		for (int i = 0; i < PARTITIONS; i++)
			spill_forget(collector->pool->spill, &collector->partitions[i].list);
		pfree(collector->partitions);
	}
	if (collector->groups != NULL)
		hash_groups_free(collector->groups);
	if (collector->hashes != NULL)
		pfree(collector->hashes);
	collector->groups = NULL;
	collector->allocated = 0;
	count_memory(collector);
	collector_init(collector, collector->context, collector->pool);
}
