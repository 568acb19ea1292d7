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
 * From so many hashes on, room grows faster than by doubling, up to the memory limit: growing means copying, and what is not
 * used yet takes no memory (measured over 10 million values: memory touched for the first time took longer than sorting).
 */
#define LARGE_COLLECTION	(512 * 1024)
#define LARGE_GROWTH		8

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

/* Hashes that may be kept in memory, with as much again for sorting them. */
Size
collector_memory_limit(void)
{
	double		bytes = (double) work_mem * 1024.0 * hash_mem_multiplier;

	return (Size) Min(bytes, (double) MaxAllocHugeSize) / (2 * sizeof(uint64));
}

Size
collector_compact(HashCollector *collector)
{
	uint64	   *scratch;
	Size		before = collector->count;
	Size		fresh = collector->count - collector->sorted;

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

/* Write hashes to their partitions' files; group i of them ends at ends[i]. The groups are sorted and distinct or not. */
static void
write_groups(HashCollector *collector, const void *hashes, const Size *ends, bool sorted)
{
	Size		begin = 0;

	if (collector->partitions == NULL)
		collector->partitions = palloc0(sizeof(CollectorPartition) * COLLECTOR_PARTITIONS);
	for (int i = 0; i < COLLECTOR_PARTITIONS; i++)
	{
		CollectorPartition *partition = &collector->partitions[i];
		Size		count = ends[i] - begin;

		CHECK_FOR_INTERRUPTS();
		if (count == 0)
			continue;
		if (partition->file == NULL)
			partition->file = BufFileCreateTemp(false);
		seek_partition(partition, partition->count);
		BufFileWrite(partition->file, (char *) unconstify(void *, hashes) + begin * sizeof(uint64), count * sizeof(uint64));
		partition->sorted = sorted && partition->count == 0;
		partition->count += count;
		begin = ends[i];
	}
}

/*
 * Move the hashes in memory to the files of their partitions. They are grouped by partition, and not sorted for that: all
 * of a partition will be sorted together.
 */
static void
write_to_partitions(HashCollector *collector)
{
	MemoryContext old = MemoryContextSwitchTo(collector->context);
	bool		sorted = collector->sorted == collector->count;
	uint64	   *hashes = allocate_hashes(collector->context, Max(collector->count, 1));
	Size		ends[COLLECTOR_PARTITIONS];

	filter_group_hashes(collector->hashes, hashes, collector->count, COLLECTOR_PARTITION_BITS, ends);
	write_groups(collector, hashes, ends, sorted);
	pfree(hashes);
	collector->count = collector->sorted = 0;
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
write_run(HashCollector *collector, const void *hashes, Size count)
{
	MemoryContext old = MemoryContextSwitchTo(collector->context);
	Size		ends[COLLECTOR_PARTITIONS];

	for (int i = 0; i < COLLECTOR_PARTITIONS; i++)
		ends[i] = count_before(hashes, count, i + 1);
	write_groups(collector, hashes, ends, true);
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

/*
 * Make room for at least one more hash. Small collections are sorted whenever they are full, since that is cheap and keeps
 * the many small groups of a GROUP BY small; larger ones where that found repeats before, and at the memory limit.
 */
static void
make_room(HashCollector *collector)
{
	Size		wanted = collector->allocated * 2;
	bool		at_limit = wanted > collector_memory_limit();

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
	if (collector->allocated <= SMALL_COLLECTION || collector->has_repeats || at_limit)
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
	if (collector->allocated >= LARGE_COLLECTION)
		wanted = Max(wanted, Min(collector->allocated * LARGE_GROWTH, collector_memory_limit()));
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
visit_array(const uint64 *hashes, Size count, CollectorVisitor visitor, void *argument)
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
collector_visit(HashCollector *collector, CollectorVisitor visitor, void *argument)
{
	if (collector->partitions == NULL)
	{
		collector_compact(collector);
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
	if (collector->hashes != NULL)
		pfree(collector->hashes);
	collector_init(collector, collector->context, collector->may_spill);
}
