/*
 * The vacuum filter, 12 bits (0.18%), in the faster of its authors' versions, which has functions for many values.
 */
#include "cuckoo_adapter.h"

/* See cuckoofilter.cc. */
#define CUCKOO_FILTER_HASHUTIL_H_
#define cuckoofilter vacuum
namespace vacuum
{
typedef GivenHash TwoIndependentMultiplyShift;
}
#include "cuckoofilter.h"

typedef vacuum::VacuumFilter<uint64_t, 12> Vacuum;
typedef CuckooAdapter<Vacuum, 12> Adapter;

/* Suppress the line that the constructor prints. */
static void *
create(uint64_t values)
{
	std::streambuf *to = std::cout.rdbuf(nullptr);
	void	   *set = Adapter::create(values);

	std::cout.rdbuf(to);
	std::cout.clear();
	return set;
}

/* Add_many reports for each value whether it was added; a value that finds no place replaces another. */
static size_t
add_batched(void *set, const uint64_t *hashes, size_t count)
{
	for (size_t i = 0; i < count; i += CONTENDER_BATCH)
	{
		bool		added[CONTENDER_BATCH];
		size_t		batch = count - i < CONTENDER_BATCH ? count - i : CONTENDER_BATCH;

		((Vacuum *) set)->Add_many(hashes + i, added, (int) batch);
		for (size_t j = 0; j < batch; j++)
			if (!added[j])
				return i + j;
	}
	return count;
}

static bool
build(void *set, uint64_t *hashes, uint64_t *, size_t count)
{
	return add_batched(set, hashes, count) == count;
}

static size_t
count_batched(const void *set, const uint64_t *hashes, size_t count, bool)
{
	size_t		found = 0;

	for (size_t i = 0; i < count; i += CONTENDER_BATCH)
	{
		bool		contained[CONTENDER_BATCH];

		((Vacuum *) set)->Contain_many(hashes + i, contained, CONTENDER_BATCH);
		for (size_t j = 0; j < CONTENDER_BATCH; j++)
			found += contained[j];
	}
	return found;
}

static Contender
contender()
{
	Contender	made = Adapter::contender("vacuum, 12 bits");

	made.create = create;
	made.build = build;
	made.add_batched = add_batched;
	made.count_batched = count_batched;
	return made;
}

const Contender vacuum_contenders[] = {contender(), {}};
