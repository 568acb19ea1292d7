/*
 * The number of keys is known only when all have come: planners' estimates are often wrong by factors. Hashes are therefore kept
 * as they come, and the filter is made for exactly that many. If they take half of the memory, they go into the largest filter
 * that the other half can hold.
 *
 * In a Parallel Hash, each process has a set of the rows that it hashes. The filter lies in the node's part of the query's
 * segment of shared memory, so that nothing is allocated while the query runs: its size depends on the rows that the planner
 * expects. Each process adds its hashes a chunk at a time, and locks only the part of the filter that it changes. No process
 * scans the other side of the join before all that hash rows have ended; those that come later hash none.
 *
 * A query does not fail because there is no memory for a filter: then there is none.
 */
#include "join_executor/key_set.h"

#include "access/parallel.h"
#include "utils/memutils.h"

#include "compat.h"
#include "huge_memory.h"
#include "core/bloom_inline.h"
#include "core/pause.h"

/* A block is a cache line. */
#define JOIN_BLOCK_BYTES	((Size) BLOOM_BLOCK_BITS / 8)

/*
 * The rate of false positives that filters are made for, and the rate above which a filter is not worth its probes. A false
 * positive costs no more than a row without a filter.
 */
#define RATE			0.01
#define USELESS_RATE	0.3

/* Filters are made for at least this many keys: for fewer, bloom_choose_geometry might choose another block size. */
#define FEWEST_KEYS		2048

/* Estimates can be larger than any integer. The filter for this many keys is as large as one can be. */
#define MOST_KEYS		1e11

/*
 * A shared filter is made for this multiple of the expected keys, since the planner's estimates are often too low, and for at
 * least FEWEST_SHARED keys: that filter fits into a CPU's fastest cache.
 */
#define EXPECTED_MULTIPLE	2.0
#define FEWEST_SHARED		16384

/* The geometry for a number of keys, of blocks of BLOOM_BLOCK_BITS bits, which take half of the limit at most. */
static BloomLayer
join_geometry(double keys, Size limit)
{
	static BloomLayer smallest = {0};
	BloomLayer	geometry = smallest;
	double		bytes;

	/* Choosing a geometry takes as long as some small queries. */
	if (keys > FEWEST_KEYS || smallest.blocks == 0)
		(void) bloom_choose_geometry((uint64) Min(Max(keys, FEWEST_KEYS), MOST_KEYS), RATE, &geometry, &bytes);
	if (keys <= FEWEST_KEYS)
		smallest = geometry;
	geometry.blocks = (uint32) Min(geometry.blocks, Max(limit / 2 / JOIN_BLOCK_BYTES, 1));
	return geometry;
}

/* Put a layer into memory that is a block longer, and align it, so that a probe reads one cache line. */
static BloomLayer
layer_at(BloomLayer geometry, void *memory)
{
	geometry.bits = (uint8 *) TYPEALIGN(JOIN_BLOCK_BYTES, memory);
	return geometry;
}

/* Whether a filter is too full to be worth its probes. */
static bool
is_useless(const BloomLayer *layer)
{
	return bloom_rate(layer, bloom_cardinality(layer, bloom_bits_set(layer))) > USELESS_RATE;
}

static BloomLayer
shared_geometry(double expected_keys, Size limit)
{
	return join_geometry(Max(EXPECTED_MULTIPLE * expected_keys, FEWEST_SHARED), limit);
}

Size
shared_keys_size(double expected_keys, Size limit)
{
	BloomLayer	geometry = shared_geometry(expected_keys, limit);

	return sizeof(SharedKeys) + bloom_bytes(&geometry) + JOIN_BLOCK_BYTES;
}

static BloomLayer
shared_layer(SharedKeys *shared)
{
	return layer_at(shared->geometry, shared + 1);
}

void
shared_keys_init(SharedKeys *shared, double expected_keys, Size limit, bool is_off)
{
	memset(shared, 0, shared_keys_size(expected_keys, limit));
	shared->geometry = shared_geometry(expected_keys, limit);
	/* Every session knows the wait event ParallelHashJoin, which says what is waited for: the other processes of the join. */
	for (int part = 0; part < SHARED_PARTS; part++)
		LWLockInitialize(&shared->lock[part].lock, LWTRANCHE_PARALLEL_HASH_JOIN);
	pg_atomic_init_u64(&shared->keys, 0);
	pg_atomic_init_u32(&shared->begun, 0);
	pg_atomic_init_u32(&shared->ended, 0);
	pg_atomic_init_u32(&shared->is_useless, is_off ? 1 : 0);
}

/* The part of the filter that has the block of a hash. No two parts share a block, since an addition stores all of a block. */
static inline uint32
part_of(const BloomLayer *layer, uint64 hash)
{
	return bloom_block_offset(layer, hash) / JOIN_BLOCK_BYTES % SHARED_PARTS;
}

/* Sort the hashes by parts, and add the hashes of each part at once. Each process begins with a different part. */
static void
shared_keys_add(SharedKeys *shared, const KeyChunk *chunk, uint32 count)
{
	BloomLayer	layer = shared_layer(shared);
	uint64		sorted[KEY_CHUNK];
	uint32		start[SHARED_PARTS + 1] = {0};

	for (uint32 i = 0; i < count; i++)
		start[part_of(&layer, chunk->hash[i])]++;
	for (int part = 1; part <= SHARED_PARTS; part++)
		start[part] += start[part - 1];
	for (uint32 i = 0; i < count; i++)
		sorted[--start[part_of(&layer, chunk->hash[i])]] = chunk->hash[i];
	for (int i = 0; i < SHARED_PARTS; i++)
	{
		int			part = (ParallelWorkerNumber + 1 + i) % SHARED_PARTS;

		LWLockAcquire(&shared->lock[part].lock, LW_EXCLUSIVE);
		(void) bloom_add_all(&layer, sorted + start[part], start[part + 1] - start[part]);
		LWLockRelease(&shared->lock[part].lock);
	}
	pg_atomic_fetch_add_u64(&shared->keys, count);
}

/* Note that a process has hashed its rows. The last one finds out, before any can probe the filter, whether it is of use. */
static void
shared_keys_end(SharedKeys *shared)
{
	BloomLayer	layer = shared_layer(shared);

	if (pg_atomic_add_fetch_u32(&shared->ended, 1) == pg_atomic_read_u32(&shared->begun) && is_useless(&layer))
		pg_atomic_write_u32(&shared->is_useless, 1);
}

BloomLayer
shared_keys_filter(SharedKeys *shared)
{
	uint32		ended = pg_atomic_read_u32(&shared->ended);

	/* Read `begun` after `ended`, so that no process that begins meanwhile is missed, and what they have written after both. */
	pg_memory_barrier();
	if (ended > 0 && ended == pg_atomic_read_u32(&shared->begun) && pg_atomic_read_u32(&shared->is_useless) == 0)
		return shared_layer(shared);
	return (BloomLayer) {0};
}

void
key_set_init(KeySet *set, MemoryContext parent, Size limit)
{
	set->context = AllocSetContextCreate(parent, "keys of a runtime filter", ALLOCSET_DEFAULT_SIZES);
	set->limit = limit;
}

/* This chunk replaces all others when there is no memory for one of them, or for the layer. Its hashes are never read. */
static KeyChunk lost_keys;

/* Free all that a set has, except the number of keys. */
static void
free_keys(KeySet *set, KeyChunk *chunks)
{
	MemoryContextReset(set->context);
	set->chunks = chunks;
	set->in_chunk = 0;
	set->layer = (BloomLayer) {0};
}

void
key_set_reset(KeySet *set)
{
	free_keys(set, NULL);
	set->count = 0;
}

void
key_set_begin(KeySet *set)
{
	key_set_reset(set);
	if (set->shared != NULL)
		pg_atomic_fetch_add_u32(&set->shared->begun, 1);
}

void
key_set_leave(KeySet *set)
{
	set->count = pg_atomic_read_u64(&set->shared->keys);
	set->layer = set->shared->geometry;
	set->shared = NULL;
}

static void
make_layer(KeySet *set, double keys)
{
	BloomLayer	geometry = join_geometry(keys, set->limit);
	void	   *memory = huge_memory_allocate(set->context, bloom_bytes(&geometry) + JOIN_BLOCK_BYTES, MCXT_ALLOC_NO_OOM);

	if (memory == NULL)
	{
		free_keys(set, &lost_keys);
		return;
	}
	set->layer = layer_at(geometry, memory);
	filter_clear_bytes(set->layer.bits, bloom_bytes(&geometry));
}

/* Move all hashes to the filter, which is made for this many keys if there is none. One empty chunk remains. */
static void
empty_chunks(KeySet *set, double keys)
{
	if (set->shared == NULL && set->layer.bits == NULL && set->chunks != &lost_keys)
		make_layer(set, keys);
	while (set->chunks != NULL && set->chunks != &lost_keys)
	{
		KeyChunk   *next = set->chunks->next;

		if (set->shared != NULL)
			shared_keys_add(set->shared, set->chunks, set->in_chunk);
		else
			(void) bloom_add_all(&set->layer, set->chunks->hash, set->in_chunk);
		if (next == NULL)
			break;
		pfree(set->chunks);
		set->chunks = next;
		set->in_chunk = KEY_CHUNK;
	}
	set->in_chunk = 0;
}

/* Whether the hashes may take a further chunk. If not, they go into the filter. */
static bool
has_memory(const KeySet *set)
{
	return set->chunks == NULL || (set->shared == NULL && set->layer.bits == NULL && set->chunks != &lost_keys &&
								   set->count / KEY_CHUNK * sizeof(KeyChunk) < set->limit / 2);
}

/* Provide an entry for a key in the first chunk, which is full or missing. */
void
key_set_next_chunk(KeySet *set)
{
	KeyChunk   *chunk;

	if (!has_memory(set))
	{
		empty_chunks(set, MOST_KEYS);
		return;
	}
	chunk = MemoryContextAllocExtended(set->context, sizeof(KeyChunk), MCXT_ALLOC_NO_OOM);
	if (chunk == NULL)
	{
		free_keys(set, &lost_keys);
		return;
	}
	chunk->next = set->chunks;
	set->chunks = chunk;
	set->in_chunk = 0;
}

void
key_set_finish(KeySet *set)
{
	empty_chunks(set, (double) set->count);
	/* A process whose keys are lost never ends, so that no process uses the shared filter. */
	if (set->shared != NULL && set->chunks != &lost_keys)
		shared_keys_end(set->shared);
	if (set->layer.bits == NULL || is_useless(&set->layer))
		free_keys(set, NULL);
}
