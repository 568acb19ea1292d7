#include "hash_collector.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"
#include "core/pause.h"
#include "huge_memory.h"

#define FIRST_ALLOCATION	16
#define SMALL_COLLECTION	4096

/*
 * The array becomes groups at this size, where the memory limit is some times of that, since each group takes some memory.
 * From then on hashes wait in an array that fits a core's first cache.
 */
#define GROUPED_FROM		((Size) 65536)
#define LEAST_GROUPED_LIMIT	(4 * GROUPED_FROM)
#define WAITING_HASHES		4096

/* Memory is sorted before every so manieth spill only: it finds repeats, but sorts what will be sorted again. */
#define SPILLS_BETWEEN_SORTS 16

void
collector_init(HashCollector *collector, MemoryContext context, bool may_spill)
{
	memset(collector, 0, sizeof(*collector));
	collector->context = context;
	collector->may_spill = may_spill;
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

/* Hashes that may be kept in memory, with as much again for sorting an array of them. */
Size
collector_memory_limit(void)
{
	double		bytes = (double) work_mem * 1024.0 * hash_mem_multiplier;

	return (Size) Min(bytes, (double) MaxAllocHugeSize) / (2 * sizeof(uint64));
}

Size
collector_in_memory(const HashCollector *collector)
{
	return collector->count + (collector->groups != NULL ? hash_groups_count(collector->groups) : 0);
}

static void
move_to_groups(HashCollector *collector)
{
	hash_groups_add(collector->groups, collector->hashes, collector->count);
	collector->count = collector->sorted = 0;
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

Size
collector_compact(HashCollector *collector)
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
 * Partitions.
 */

static void
seek_partition(CollectorPartition *partition, uint64 hash_number)
{
	if (BufFileSeek(partition->file, 0, (off_t) (hash_number * sizeof(uint64)), SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in a temporary file of a filter")));
}

/* Write hashes to the file of their partition. They are sorted and distinct or not. */
static void
append_to_partition(HashCollector *collector, int number, const void *hashes, Size count, bool sorted)
{
	CollectorPartition *partition;

	CHECK_FOR_INTERRUPTS();
	if (collector->partitions == NULL)
		collector->partitions = palloc0(sizeof(CollectorPartition) * COLLECTOR_PARTITIONS);
	if (count == 0)
		return;
	partition = &collector->partitions[number];
	if (partition->file == NULL)
		partition->file = BufFileCreateTemp(false);
	seek_partition(partition, partition->count);
	BufFileWrite(partition->file, unconstify(void *, hashes), count * sizeof(uint64));
	partition->sorted = sorted && partition->count == 0;
	partition->count += count;
}

/* The hashes of an array, which is not sorted for that: all of a partition will be sorted together. */
static void
write_array(HashCollector *collector)
{
	bool		sorted = collector->sorted == collector->count;
	uint64	   *hashes = allocate_hashes(collector->context, Max(collector->count, 1));
	Size		ends[COLLECTOR_PARTITIONS];

	filter_group_hashes(collector->hashes, hashes, collector->count, COLLECTOR_PARTITION_BITS, ends);
	for (int i = 0; i < COLLECTOR_PARTITIONS; i++)
	{
		Size		begin = i == 0 ? 0 : ends[i - 1];

		append_to_partition(collector, i, hashes + begin, ends[i] - begin, sorted);
	}
	pfree(hashes);
	collector->count = collector->sorted = 0;
}

static bool
write_hashes(const uint64 *hashes, Size count, void *collector)
{
	append_to_partition(collector, hashes[0] >> (64 - COLLECTOR_PARTITION_BITS), hashes, count, false);
	return true;
}

static void
write_memory_groups(HashCollector *collector)
{
	move_to_groups(collector);
	(void) hash_groups_visit(collector->groups, write_hashes, collector);
	hash_groups_clear(collector->groups);
}

/* Move the hashes in memory to the files of their partitions. */
static void
write_to_partitions(HashCollector *collector)
{
	MemoryContext old = MemoryContextSwitchTo(collector->context);

	if (collector->groups != NULL)
		write_memory_groups(collector);
	else
		write_array(collector);
	collector->spills++;
	MemoryContextSwitchTo(old);
}

/* The number of sorted hashes, at any address, that belong to partitions before one. */
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
		if (hash >> (64 - COLLECTOR_PARTITION_BITS) < partition)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Write sorted distinct hashes, at any address, to their partitions. */
static void
write_run(HashCollector *collector, const char *hashes, Size count)
{
	MemoryContext old = MemoryContextSwitchTo(collector->context);
	Size		begin = 0;

	for (int i = 0; i < COLLECTOR_PARTITIONS; i++)
	{
		Size		end = count_before(hashes, count, i + 1);

		append_to_partition(collector, i, hashes + begin * sizeof(uint64), end - begin, true);
		begin = end;
	}
	MemoryContextSwitchTo(old);
}

/* All hashes of a partition, sorted and distinct, palloc'd; what is in its file is then the same. */
static uint64 *
read_partition(CollectorPartition *partition)
{
	Size		bytes = partition->count * sizeof(uint64);
	uint64	   *hashes = allocate_hashes(CurrentMemoryContext, Max(partition->count, 1));

	if (partition->count == 0)
		return hashes;
	seek_partition(partition, 0);
	if (BufFileRead(partition->file, hashes, bytes) != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of a filter")));
	if (!partition->sorted)
	{
		uint64	   *scratch = allocate_hashes(CurrentMemoryContext, partition->count);

		partition->count = filter_sort_unique(hashes, scratch, partition->count);
		pfree(scratch);
		seek_partition(partition, 0);
		BufFileWrite(partition->file, hashes, partition->count * sizeof(uint64));
		partition->sorted = true;
	}
	return hashes;
}

/*
 * Adding.
 */

/* Have room for so many hashes in memory. */
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

/*
 * Empty the array into the groups. They are sorted at every doubling where that found repeats before, and at the memory limit;
 * after that only now and then, for repeats that have come up since: it sorts what will be sorted again.
 */
static void
make_room_in_groups(HashCollector *collector)
{
	/* Sorting takes no second array here, and the ends of blocks, which are empty, less than an eighth of the memory. */
	Size		limit = collector_memory_limit() / 4 * 7;
	bool		at_limit = collector->look_at >= limit;

	move_to_groups(collector);
	if (hash_groups_count(collector->groups) < collector->look_at)
		return;
	if (collector->partitions != NULL && !collector->has_repeats && collector->spills % SPILLS_BETWEEN_SORTS != 0)
	{
		write_to_partitions(collector);
		return;
	}
	if (collector->has_repeats || at_limit)
	{
		if (collector_compact(collector) <= collector->look_at / 2)
			return;
		if (at_limit && collector->may_spill)
		{
			write_to_partitions(collector);
			return;
		}
	}
	collector->look_at = at_limit ? collector->look_at * 2 : Min(collector->look_at * 2, limit);
}

/*
 * Make room for at least one more hash. Small collections are sorted whenever they are full, since that is cheap and keeps
 * the many small groups of a GROUP BY small; larger ones where that found repeats before, and before anything else is done
 * with them than doubling the array.
 */
static void
make_room(HashCollector *collector)
{
	Size		wanted = collector->allocated * 2;
	bool		at_limit = wanted > collector_memory_limit();
	bool		is_large = collector->allocated >= GROUPED_FROM && collector_memory_limit() >= LEAST_GROUPED_LIMIT;

	if (collector->groups != NULL)
	{
		make_room_in_groups(collector);
		return;
	}
	if (collector->allocated == 0)
	{
		reserve(collector, FIRST_ALLOCATION);
		return;
	}
	/* Now and then a full memory is looked through for repeats that have come up since. */
	if (collector->partitions != NULL && !collector->has_repeats && collector->spills % SPILLS_BETWEEN_SORTS != 0)
	{
		write_to_partitions(collector);
		return;
	}
	if (collector->allocated <= SMALL_COLLECTION || collector->has_repeats || at_limit || is_large)
	{
		/* Where repeats were half of it, what they took is room again. */
		if (collector_compact(collector) <= collector->allocated / 2)
			return;
		if (at_limit && collector->may_spill && collector->allocated > SMALL_COLLECTION)
		{
			write_to_partitions(collector);
			return;
		}
	}
	if (is_large)
		begin_groups(collector);
	else
		reserve(collector, wanted);
}

void
collector_add_slow(HashCollector *collector, uint64 hash)
{
	make_room(collector);
	collector->hashes[collector->count++] = hash;
}

void
collector_add_sorted(HashCollector *collector, const void *hashes, Size count)
{
	if (count == 0)
		return;
	if (collector->may_spill &&
		(collector->partitions != NULL || collector->count + count > Max(collector_memory_limit(), SMALL_COLLECTION)))
	{
		if (collector->count > 0)
			write_to_partitions(collector);
		write_run(collector, hashes, count);
		return;
	}
	collector_compact(collector);
	/* One run is seldom the only one. */
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

	if (collector->partitions == NULL)
		return collector_compact(collector);
	write_to_partitions(collector);
	for (int i = 0; i < COLLECTOR_PARTITIONS; i++)
	{
		CHECK_FOR_INTERRUPTS();
		pfree(read_partition(&collector->partitions[i]));
		distinct += collector->partitions[i].count;
	}
	return distinct;
}

/* A visitor is given no more than this at once, so that the query can be cancelled in between. */
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
	if (collector->partitions == NULL)
	{
		collector_compact(collector);
		if (collector->groups != NULL)
			return hash_groups_visit(collector->groups, visitor, argument);
		return visit_array(collector->hashes, collector->count, visitor, argument);
	}
	write_to_partitions(collector);
	for (int i = 0; i < COLLECTOR_PARTITIONS; i++)
	{
		uint64	   *hashes = read_partition(&collector->partitions[i]);
		bool		go_on = visit_array(hashes, collector->partitions[i].count, visitor, argument);

		pfree(hashes);
		if (!go_on)
			return false;
	}
	return true;
}

void
collector_close(HashCollector *collector)
{
	if (collector->partitions != NULL)
	{
		for (int i = 0; i < COLLECTOR_PARTITIONS; i++)
			if (collector->partitions[i].file != NULL)
				BufFileClose(collector->partitions[i].file);
		pfree(collector->partitions);
	}
	if (collector->groups != NULL)
		hash_groups_free(collector->groups);
	if (collector->hashes != NULL)
		pfree(collector->hashes);
	collector_init(collector, collector->context, collector->may_spill);
}
