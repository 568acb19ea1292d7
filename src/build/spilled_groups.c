#include "build/spilled_groups.h"

#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"

/*
 * Fewer hashes are not divided into groups when they are written, since each group would get only a few bytes. They
 * are collected in one list, which is divided when it is longer than twice that.
 */
#define MIN_DIVIDED		((Size) 64 * HASH_GROUPS)

typedef struct SpilledGroup
{
	SpillList	list;
	bool		sorted;			/* sorted and free of duplicates */
} SpilledGroup;

struct SpilledGroups
{
	MemoryContext context;
	SpillFile  *file;
	SpilledGroup undivided;
	SpilledGroup *group;		/* HASH_GROUPS of them; null while all hashes are in `undivided` */
};

SpilledGroups *
spilled_groups_create(MemoryContext context, SpillFile *file)
{
	SpilledGroups *spilled = MemoryContextAllocZero(context, sizeof(SpilledGroups));

	spilled->context = context;
	spilled->file = file;
	return spilled;
}

static void
append(SpilledGroups *spilled, SpilledGroup *group, const uint64 *hashes, Size count)
{
	if (count == 0)
		return;
	group->sorted = false;
	spill_append(spilled->file, &group->list, hashes, count);
}

void
spilled_groups_add(SpilledGroups *spilled, uint32 group, const uint64 *hashes, Size count)
{
	if (spilled->group == NULL)
		spilled->group = MemoryContextAllocZero(spilled->context, sizeof(SpilledGroup) * HASH_GROUPS);
	append(spilled, &spilled->group[group], hashes, count);
}

static void
divide(SpilledGroups *spilled, const uint64 *hashes, Size count)
{
	uint64	   *grouped = hash_array_allocate(CurrentMemoryContext, count);
	Size		ends[HASH_GROUPS];
	Size		begin = 0;

	filter_group_hashes(hashes, grouped, count, HASH_GROUP_BITS, ends);
	for (uint32 i = 0; i < HASH_GROUPS; i++)
	{
		if (begin < ends[i])
			spilled_groups_add(spilled, i, grouped + begin, ends[i] - begin);
		begin = ends[i];
	}
	pfree(grouped);
}

static uint64 *
read_list(const SpilledGroups *spilled, const SpillList *list)
{
	uint64	   *hashes = hash_array_allocate(CurrentMemoryContext, list->count);

	spill_read(spilled->file, list, hashes);
	return hashes;
}

static void
divide_list(SpilledGroups *spilled)
{
	SpillList  *list = &spilled->undivided.list;
	Size		count = list->count;
	uint64	   *hashes = read_list(spilled, list);

	spill_forget(spilled->file, list);
	divide(spilled, hashes, count);
	pfree(hashes);
}

void
spilled_groups_add_mixed(SpilledGroups *spilled, const uint64 *hashes, Size count)
{
	if (count >= MIN_DIVIDED)
	{
		divide(spilled, hashes, count);
		return;
	}
	append(spilled, &spilled->undivided, hashes, count);
	if (spilled->undivided.list.count > 2 * MIN_DIVIDED)
		divide_list(spilled);
}

/* All hashes of a group, sorted and distinct, palloc'd; they also replace the group in the file. */
static uint64 *
read_sorted(SpilledGroups *spilled, SpilledGroup *group)
{
	uint64	   *hashes = read_list(spilled, &group->list);

	if (!group->sorted)
	{
		Size		count = group->list.count;
		uint64	   *scratch = hash_array_allocate(CurrentMemoryContext, count);

		count = filter_sort_unique(hashes, scratch, count);
		pfree(scratch);
		spill_replace(spilled->file, &group->list, hashes, count);
		group->sorted = true;
	}
	return hashes;
}

static bool
visit_sorted(SpilledGroups *spilled, SpilledGroup *group, bool whole, HashVisitor visitor, void *argument)
{
	uint64	   *hashes = read_sorted(spilled, group);
	Size		count = group->list.count;
	bool		completed = whole ? visitor(hashes, count, argument) : hash_array_visit(hashes, count, visitor, argument);

	pfree(hashes);
	return completed;
}

bool
spilled_groups_visit(SpilledGroups *spilled, bool whole, HashVisitor visitor, void *argument)
{
	if (spilled->group == NULL)
		return visit_sorted(spilled, &spilled->undivided, whole, visitor, argument);
	if (spilled->undivided.list.count > 0)
		divide_list(spilled);
	for (uint32 i = 0; i < HASH_GROUPS; i++)
		if (!visit_sorted(spilled, &spilled->group[i], whole, visitor, argument))
			return false;
	return true;
}

bool
spilled_groups_visit_if_distinct(SpilledGroups *spilled, HashVisitor visitor, void *argument)
{
	bool		completed;

	if (spilled->undivided.list.count > 0)
		divide_list(spilled);
	completed = spilled->group != NULL;
	for (uint32 i = 0; completed && i < HASH_GROUPS; i++)
	{
		SpilledGroup *group = &spilled->group[i];
		Size		count = group->list.count;
		uint64	   *hashes = read_list(spilled, &group->list);
		uint64	   *scratch = hash_array_allocate(CurrentMemoryContext, count);

		completed = (group->sorted || filter_sort_unique(hashes, scratch, count) == count) && visitor(hashes, count, argument);
		pfree(scratch);
		pfree(hashes);
	}
	return completed;
}

static bool
count_hashes(const uint64 *hashes, Size count, void *sum)
{
	*(uint64 *) sum += count;
	return true;
}

uint64
spilled_groups_distinct(SpilledGroups *spilled)
{
	uint64		sum = 0;

	(void) spilled_groups_visit(spilled, true, count_hashes, &sum);
	return sum;
}

uint64 *
spilled_groups_read(SpilledGroups *spilled, uint32 group, Size *count)
{
	const SpillList *list;

	if (spilled->undivided.list.count > 0)
		divide_list(spilled);
	if (spilled->group == NULL)
	{
		*count = 0;
		return hash_array_allocate(CurrentMemoryContext, 0);
	}
	list = &spilled->group[group].list;
	*count = list->count;
	return read_list(spilled, list);
}

uint64
spilled_groups_count(const SpilledGroups *spilled)
{
	uint64		count = spilled->undivided.list.count;

	for (uint32 i = 0; spilled->group != NULL && i < HASH_GROUPS; i++)
		count += spilled->group[i].list.count;
	return count;
}

void
spilled_groups_free(SpilledGroups *spilled)
{
	spill_forget(spilled->file, &spilled->undivided.list);
	if (spilled->group != NULL)
	{
		for (uint32 i = 0; i < HASH_GROUPS; i++)
			spill_forget(spilled->file, &spilled->group[i].list);
		pfree(spilled->group);
	}
	pfree(spilled);
}
