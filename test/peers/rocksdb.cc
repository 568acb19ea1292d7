/*
 * RocksDB's FastLocalBloom, with the 10 bits per value and 6 probes of its usual setting (0.96%). Its loops over many
 * values are private members in table/block_based/filter_policy.cc, so they are reproduced here: prefetching eight
 * additions ahead, and all lookups of a batch of MultiGet before the first.
 *
 * Compiled twice: the library chooses between vector code and plain code when it is compiled.
 */
#include "contender.h"

#include <string.h>

#include "util/bloom_impl.h"

namespace
{

using ROCKSDB_NAMESPACE::FastLocalBloomImpl;
using ROCKSDB_NAMESPACE::Lower32of64;
using ROCKSDB_NAMESPACE::Upper32of64;

const int	millibits = 10000;
const size_t ahead = 8;
const size_t batch = 32;

struct Set
{
	char	   *data;
	uint32_t	length;
	int			probes;
};

void *
create(uint64_t values)
{
	Set		   *set = new Set;

	set->length = (uint32_t) ((values * millibits / 1000 + 511) / 512 * 64);
	set->probes = FastLocalBloomImpl::ChooseNumProbes(millibits);
	set->data = (char *) touched_memory(set->length);
	return set;
}

void
destroy(void *set)
{
	free(((Set *) set)->data);
	delete(Set *) set;
}

uint64_t
bytes(const void *set)
{
	return ((const Set *) set)->length;
}

size_t
add(void *to, const uint64_t *hashes, size_t count)
{
	const Set	set = *(const Set *) to;

	for (size_t i = 0; i < count; i++)
		FastLocalBloomImpl::AddHash(Lower32of64(hashes[i]), Upper32of64(hashes[i]), set.length, set.probes, set.data);
	return count;
}

size_t
add_batched(void *to, const uint64_t *hashes, size_t count)
{
	const Set	set = *(const Set *) to;
	uint32_t	offsets[ahead];

	for (size_t i = 0; i < count + ahead; i++)
	{
		uint32_t   &offset = offsets[i % ahead];

		if (i >= ahead)
			FastLocalBloomImpl::AddHashPrepared(Upper32of64(hashes[i - ahead]), set.probes, set.data + offset);
		if (i < count)
			FastLocalBloomImpl::PrepareHash(Lower32of64(hashes[i]), set.length, set.data, &offset);
	}
	return count;
}

bool
build(void *set, uint64_t *hashes, uint64_t *, size_t count)
{
	return add_batched(set, hashes, count) == count;
}

size_t
count_one_by_one(const void *in, const uint64_t *hashes, size_t count)
{
	const Set	set = *(const Set *) in;
	size_t		found = 0;

	for (size_t i = 0; i < count; i++)
		found += FastLocalBloomImpl::HashMayMatch(Lower32of64(hashes[i]), Upper32of64(hashes[i]), set.length, set.probes,
												  set.data);
	return found;
}

size_t
count_batched(const void *in, const uint64_t *hashes, size_t count, bool)
{
	const Set	set = *(const Set *) in;
	uint32_t	offsets[batch];
	size_t		found = 0;

	for (size_t start = 0; start < count; start += batch)
	{
		for (size_t i = 0; i < batch; i++)
			FastLocalBloomImpl::PrepareHash(Lower32of64(hashes[start + i]), set.length, set.data, &offsets[i]);
		for (size_t i = 0; i < batch; i++)
			found += FastLocalBloomImpl::HashMayMatchPrepared(Upper32of64(hashes[start + i]), set.probes,
															  set.data + offsets[i]);
	}
	return found;
}

const Contender contender = {
#ifdef __AVX2__
	.name = "RocksDB, AVX2",
#else
	.name = "RocksDB",
#endif
	.kind = CONTENDER_BLOOM,
	.create = create,
	.destroy = destroy,
	.bytes = bytes,
	.slots = NULL,
	.build = build,
	.add = add,
	.add_batched = add_batched,
	.count = count_one_by_one,
	.count_batched = count_batched,
	.remove = NULL,
};

}

#ifdef __AVX2__
const Contender rocksdb_avx2_contenders[] = {contender, {}};
#else
const Contender rocksdb_contenders[] = {contender, {}};
#endif
