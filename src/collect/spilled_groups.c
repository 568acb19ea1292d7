#include "collect/spilled_groups.h"

#include "utils/memutils.h"

#include "compat.h"
#include "core/hash_sort.h"

/*
 * Fewer hashes are not divided into groups when they are written, since each group would get only a few bytes. They
 * are collected in one list, which is divided when it is longer than twice that.
 */
#define MIN_DIVIDED		((Size) 64 * HASH_GROUPS)

struct SpilledGroups
{
	MemoryContext context;
	SpillFile  *file;
	SpillList	undivided;
	SpillList  *group;			/* HASH_GROUPS of them; null while all hashes are in `undivided` */
};

SpilledGroups *
spilled_groups_create(MemoryContext context, SpillFile *file)
{
	SpilledGroups *spilled = MemoryContextAllocZero(context, sizeof(SpilledGroups));

	spilled->context = context;
	spilled->file = file;
	return spilled;
}

void
spilled_groups_add(SpilledGroups *spilled, uint32 group, const uint64 *hashes, Size count)
{
	if (spilled->group == NULL)
		spilled->group = MemoryContextAllocZero(spilled->context, sizeof(SpillList) * HASH_GROUPS);
	spill_append(spilled->file, &spilled->group[group], hashes, count);
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

void
spilled_groups_divide(SpilledGroups *spilled)
{
	Size		count = spilled->undivided.count;
	uint64	   *hashes;

	if (count == 0)
		return;
	hashes = hash_array_allocate(CurrentMemoryContext, count);
	spill_read(spilled->file, &spilled->undivided, hashes);
	spill_forget(spilled->file, &spilled->undivided);
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
	spill_append(spilled->file, &spilled->undivided, hashes, count);
	if (spilled->undivided.count > 2 * MIN_DIVIDED)
		spilled_groups_divide(spilled);
}

uint32
spilled_groups_number(SpilledGroups *spilled)
{
	if (spilled->group == NULL)
		return 1;
	spilled_groups_divide(spilled);
	return HASH_GROUPS;
}

static const SpillList *
list_of(const SpilledGroups *spilled, uint32 group)
{
	return spilled->group == NULL ? &spilled->undivided : &spilled->group[group];
}

Size
spilled_groups_count_one(const SpilledGroups *spilled, uint32 group)
{
	return list_of(spilled, group)->count;
}

void
spilled_groups_read(const SpilledGroups *spilled, uint32 group, uint64 *hashes)
{
	spill_read(spilled->file, list_of(spilled, group), hashes);
}

Size
spilled_groups_count(const SpilledGroups *spilled)
{
	Size		count = spilled->undivided.count;

	for (uint32 i = 0; spilled->group != NULL && i < HASH_GROUPS; i++)
		count += spilled->group[i].count;
	return count;
}

void
spilled_groups_free(SpilledGroups *spilled)
{
	spill_forget(spilled->file, &spilled->undivided);
	if (spilled->group != NULL)
	{
		for (uint32 i = 0; i < HASH_GROUPS; i++)
			spill_forget(spilled->file, &spilled->group[i]);
		pfree(spilled->group);
	}
	pfree(spilled);
}
