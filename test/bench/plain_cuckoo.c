#include "plain_cuckoo.h"

#include "core/arithmetic.h"
#include "core/bytes.h"

#define BUCKET_BYTES	6
#define TAIL_BYTES		2		/* a bucket is loaded as 8 bytes */
#define MASK			UINT64_C(0xfff)
#define ONES			UINT64_C(0x001001001001)
#define TOPS			UINT64_C(0x800800800800)
#define MAX_KICKS		500
#define BATCH			32		/* as FILTER_BATCH */

PlainCuckoo
plain_cuckoo_size(uint64_t values)
{
	PlainCuckoo cuckoo = {1, NULL};

	while ((double) values > PLAIN_CUCKOO_HIGHEST_LOAD * PLAIN_CUCKOO_BUCKET_SLOTS * (double) cuckoo.buckets)
		cuckoo.buckets *= 2;
	return cuckoo;
}

uint64_t
plain_cuckoo_bytes(const PlainCuckoo *cuckoo)
{
	return cuckoo->buckets * BUCKET_BYTES + TAIL_BYTES;
}

static inline uint64_t
fingerprint_of(uint64_t hash)
{
	uint64_t	fingerprint = hash & MASK;

	return fingerprint + (fingerprint == 0);
}

static inline uint64_t
bucket_of(const PlainCuckoo *cuckoo, uint64_t hash)
{
	return (hash >> PLAIN_CUCKOO_FINGERPRINT_BITS) & (cuckoo->buckets - 1);
}

static inline uint64_t
other_bucket(const PlainCuckoo *cuckoo, uint64_t bucket, uint64_t fingerprint)
{
	return (bucket ^ fingerprint * UINT64_C(0x5bd1e995)) & (cuckoo->buckets - 1);
}

static inline uint64_t
load_bucket(const PlainCuckoo *cuckoo, uint64_t bucket)
{
	return load_le64(cuckoo->slots + bucket * BUCKET_BYTES);
}

static inline uint64_t
slot_of(uint64_t word, unsigned slot)
{
	return word >> (slot * PLAIN_CUCKOO_FINGERPRINT_BITS) & MASK;
}

static inline void
store_slot(const PlainCuckoo *cuckoo, uint64_t bucket, unsigned slot, uint64_t fingerprint)
{
	unsigned	shift = slot * PLAIN_CUCKOO_FINGERPRINT_BITS;
	uint64_t	word = load_bucket(cuckoo, bucket);

	store_le64(cuckoo->slots + bucket * BUCKET_BYTES, (word & ~(MASK << shift)) | fingerprint << shift);
}

static bool
put(const PlainCuckoo *cuckoo, uint64_t bucket, uint64_t fingerprint)
{
	uint64_t	word = load_bucket(cuckoo, bucket);

	for (unsigned slot = 0; slot < PLAIN_CUCKOO_BUCKET_SLOTS; slot++)
		if (slot_of(word, slot) == 0)
		{
			store_slot(cuckoo, bucket, slot, fingerprint);
			return true;
		}
	return false;
}

bool
plain_cuckoo_add(const PlainCuckoo *cuckoo, uint64_t hash)
{
	uint64_t	fingerprint = fingerprint_of(hash);
	uint64_t	bucket = bucket_of(cuckoo, hash);

	if (put(cuckoo, bucket, fingerprint))
		return true;
	for (unsigned kick = 0; kick < MAX_KICKS; kick++)
	{
		unsigned	slot;
		uint64_t	evicted;

		bucket = other_bucket(cuckoo, bucket, fingerprint);
		if (put(cuckoo, bucket, fingerprint))
			return true;
		hash = hash * UINT64_C(6364136223846793005) + 1;
		slot = (unsigned) (hash >> 62);
		evicted = slot_of(load_bucket(cuckoo, bucket), slot);
		store_slot(cuckoo, bucket, slot, fingerprint);
		fingerprint = evicted;
	}
	return false;
}

/* Nonzero if one of the four slots holds the fingerprint, that is, becomes zero when XORed with it. */
static inline uint64_t
match(uint64_t word, uint64_t fingerprint)
{
	word ^= fingerprint * ONES;
	return (word - ONES) & ~word & TOPS;
}

bool
plain_cuckoo_contains(const PlainCuckoo *cuckoo, uint64_t hash)
{
	uint64_t	fingerprint = fingerprint_of(hash);
	uint64_t	bucket = bucket_of(cuckoo, hash);
	uint64_t	other = other_bucket(cuckoo, bucket, fingerprint);

	return (match(load_bucket(cuckoo, bucket), fingerprint) | match(load_bucket(cuckoo, other), fingerprint)) != 0;
}

static inline void
prefetch(const PlainCuckoo *cuckoo, uint64_t hash)
{
	uint64_t	bucket = bucket_of(cuckoo, hash);

	filter_prefetch(cuckoo->slots + bucket * BUCKET_BYTES);
	filter_prefetch(cuckoo->slots + other_bucket(cuckoo, bucket, fingerprint_of(hash)) * BUCKET_BYTES);
}

size_t
plain_cuckoo_contains_run(const PlainCuckoo *cuckoo, const uint64_t *hashes, size_t count, bool wanted)
{
	for (size_t start = 0; start < count; start += BATCH)
	{
		size_t		end = count - start < BATCH ? count : start + BATCH;

		for (size_t i = start; i < end; i++)
			prefetch(cuckoo, hashes[i]);
		for (size_t i = start; i < end; i++)
			if (plain_cuckoo_contains(cuckoo, hashes[i]) != wanted)
				return i;
	}
	return count;
}
